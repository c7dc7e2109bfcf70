import { toProblem } from '../errors.ts'
import type { Call } from '../http/call/call.ts'
import { toRemoteStatus } from './webhdfs/remote-exception.ts'

/** The HTTP status that a call is answered with for something thrown: Hadoop's API has its own. */
export const toAnsweredStatus = (error: unknown, { operationId, method }: Call<unknown>): number =>
  operationId.startsWith('webHdfs') ? toRemoteStatus(error, method) : toProblem(error).status
