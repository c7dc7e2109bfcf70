import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import type { Admission } from '../../http/body/admission.ts'
import { announcedBytesOf, arrivedBytesOf, noteArrivedBytes } from '../../http/body/arrived-bytes.ts'
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
 * Refuses a request whatever its body is, and keeps the beginning of that where it is here already, or will be stored.
 * @throws what it was given
 */
export const refuseUnread = (parts: UnreadParts, call: Call<unknown>, error: unknown): Promise<never> | never => {
  const isDecoded = call.header('content-encoding') === undefined
  if (call.whole) keepSent(call, call.whole, isDecoded)
  else if (isStored(parts, call, error)) return readRefused(parts.admission, call, error, isDecoded)
  // A small body arrives all the same, and a large one no further than that.
  else noteArrivedBytes(call, Math.min(announcedBytesOf(call), smallBodyBytes))
  throw error
}

/** What a client has not sent yet, because it waits to hear whether it should, is nothing to store. */
const isStored = ({ settings }: UnreadParts, call: Call<unknown>, error: unknown): boolean =>
  error instanceof SluiceError &&
  isOfContent(error) &&
  call.method === 'POST' &&
  call.header('expect') === undefined &&
  (!settings().knowsCallers || call.caller !== undefined)

const readRefused = async (
  admission: Admission,
  call: Call<unknown>,
  error: unknown,
  isDecoded: boolean,
): Promise<never> => {
  try {
    const claim = admission.admit(0, { clientAddress: call.peer })
    try {
      const onBytes = (more: number): void | Promise<void> => {
        noteArrivedBytes(call, more)
        return claim.receive(more, maxStoredBytes)
      }
      const beginning = await call.bytes(maxStoredBytes, onBytes, true)
      keepSent(call, beginning, isDecoded, Math.max(announcedBytesOf(call), arrivedBytesOf(call)))
    } finally {
      claim.release()
    }
  } catch {
    // Then it is refused without.
  }
  throw error
}
