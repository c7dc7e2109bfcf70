import { SluiceError } from '../errors.ts'
import type { Call } from '../http/call.ts'

/** What requests are counted under whose client went away before the answer, as nginx does. Nobody sees it. */
export const hangUpStatus = 499

/** Whether the client of a call has gone: whatever fails then is nobody's fault. */
export const isHangUp = ({ signal }: Pick<Call, 'signal'>): boolean => signal.aborted

/** An error of a call whose client has gone, as one that is not worth a line in the log. */
export const toHangUp = (error: unknown): SluiceError =>
  error instanceof SluiceError ? error : new SluiceError('unavailable', 'The client went away', { cause: error })
