import { toProblem } from '../errors.ts'
import type { Call } from '../http/call/call.ts'
import { toIcebergStatus } from './iceberg/iceberg-error.ts'
import { toRemoteStatus } from './webhdfs/remote-exception.ts'

/** The HTTP status that a call is answered with for something thrown: APIs of other makes have their own. */
export const toAnsweredStatus = (error: unknown, { operationId, method }: Call<unknown>): number => {
  if (operationId.startsWith('iceberg')) return toIcebergStatus(error)
  return operationId.startsWith('webHdfs') ? toRemoteStatus(error, method) : toProblem(error).status
}
