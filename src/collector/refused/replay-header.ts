import type { Call } from '../../http/call/call.ts'

/**
 * On a refused event that is sent in again: its id, and `dated` behind it where its old time of receipt was put into the parameter
 * `date`, which the request did not have when its key was first used.
 */
const replayHeader = 'sluice-replay'

/** Whether a request was refused before, and is stored as such already. */
export const isReplayed = (call: Pick<Call<unknown>, 'header'>): boolean => call.header(replayHeader) !== undefined

/** Whether the date of a replay was added to what its sender sent. */
export const hasOldDate = (call: Pick<Call<unknown>, 'header'>): boolean =>
  call.header(replayHeader)?.endsWith(' dated') ?? false
