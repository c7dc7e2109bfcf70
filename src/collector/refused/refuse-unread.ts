import type { Admission } from '../../http/body/admission.ts'
import { admitBody } from '../../http/body/admit-body.ts'
import type { Call } from '../../http/call/call.ts'
import { maxStoredBytes } from '../live/recent.ts'
import { keepSent } from './sent-bodies.ts'

/**
 * Refuses a request whatever its body is, and keeps that where it is short and announced, or here already.
 * @throws what it was given
 */
export const refuseUnread = (admission: Admission, call: Call<unknown>, error: unknown): Promise<never> | never => {
  const isDecoded = call.header('content-encoding') === undefined
  const announced = Number(call.header('content-length') ?? Number.NaN)
  if (call.whole) keepSent(call, call.whole, isDecoded)
  else if (announced <= maxStoredBytes && call.header('expect') === undefined)
    return readRefused(admission, call, error, isDecoded)
  throw error
}

const readRefused = async (
  admission: Admission,
  call: Call<unknown>,
  error: unknown,
  isDecoded: boolean,
): Promise<never> => {
  try {
    const { bytes, claim } = admitBody(call, admission, maxStoredBytes, { clientAddress: call.peer })
    try {
      keepSent(call, await bytes, isDecoded)
    } finally {
      claim.release()
    }
  } catch {
    // Then it is refused without.
  }
  throw error
}
