import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import type { Admission } from '../../http/body/admission.ts'
import { admitBody } from '../../http/body/admit-body.ts'
import { announcedBytesOf, noteArrivedBytes } from '../../http/body/arrived-bytes.ts'
import type { Call } from '../../http/call/call.ts'
import { smallBodyBytes } from '../../http/edge/linger.ts'
import { maxStoredBytes } from '../live/recent.ts'
import type { CollectorSettings } from '../settings.ts'
import { keepSent } from './sent-bodies.ts'
import { isOfContent } from './to-refused-request.ts'

/** What reading of refused bodies takes. */
export type UnreadParts = {
  readonly admission: Admission
  readonly settings: Current<Pick<CollectorSettings, 'knowsCallers'>>
}

/**
 * Refuses a request whatever its body is, and keeps that where it is here already; or where it is short and announced, and will
 * be stored.
 * @throws what it was given
 */
export const refuseUnread = (parts: UnreadParts, call: Call<unknown>, error: unknown): Promise<never> | never => {
  const isDecoded = call.header('content-encoding') === undefined
  if (call.whole) keepSent(call, call.whole, isDecoded)
  else if (isStored(parts, call, error) && isShort(call)) return readRefused(parts.admission, call, error, isDecoded)
  // A small body comes all the same, and a large one no further than that.
  else noteArrivedBytes(call, Math.min(announcedBytesOf(call), smallBodyBytes))
  throw error
}

const isStored = ({ settings }: UnreadParts, { method, caller }: Call<unknown>, error: unknown): boolean =>
  error instanceof SluiceError &&
  isOfContent(error.status) &&
  method === 'POST' &&
  (!settings().knowsCallers || caller !== undefined)

const isShort = (call: Call<unknown>): boolean =>
  Number(call.header('content-length') ?? Number.NaN) <= maxStoredBytes && call.header('expect') === undefined

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
