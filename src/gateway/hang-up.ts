import { SluiceError } from '../errors.ts'
import type { Call } from '../http/call/call.ts'

/** Whether the client of a call has left: failures after that are not the server's. */
export const isHangUp = ({ signal }: Pick<Call, 'signal'>): boolean => signal.aborted

/** An error of a call whose client has gone, as one that is not worth a line in the log. */
export const toHangUp = (error: unknown): SluiceError =>
  error instanceof SluiceError ? error : new SluiceError('unavailable', 'The client disconnected', { cause: error })
