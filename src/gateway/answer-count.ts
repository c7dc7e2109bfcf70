import type { OperationId } from '../contract/operations.ts'
import type { Call, Handler } from '../http/call/call.ts'
import { toAnsweredStatus } from './answered-status.ts'
import { hangUpStatus, toPath } from './audit.ts'
import type { GatewayFigures } from './figures.ts'
import { isHangUp, toHangUp } from './hang-up.ts'
import { textParam } from './text-param.ts'

/** What counts the answers of the gateway. */
export type AnswerCount = {
  /** Counts one answer. @param id of the operation, where the call does not name a part of it */
  readonly record: (id: string, call: Pick<Call<unknown>, 'params'>, code: number) => void
  /** The same handler, whose answers count, whatever they are. */
  readonly counted: <P>(op: OperationId, handler: Handler<P>) => Handler<P>
}

/** Counts answers by operation, cluster and status. @param clusterOf the mount point that serves a path */
export const createAnswerCount = ({
  figures,
  clusterOf,
}: {
  readonly figures: Pick<GatewayFigures, 'record'>
  readonly clusterOf: (path: string) => string
}): AnswerCount => {
  const record: AnswerCount['record'] = (id, { params }, code) =>
    figures.record({ op: toOp(params) ?? id, cluster: clusterOf(toPath(params)), code })
  return {
    record,
    counted: (op, handler) => async call => {
      try {
        const response = await handler(call)
        record(op, call, response.status)
        return response
      } catch (error) {
        record(op, call, isHangUp(call) ? hangUpStatus : toAnsweredStatus(error, call))
        throw isHangUp(call) ? toHangUp(error) : error
      }
    },
  }
}

/** The operation of a WebHDFS call: four operations of the contract cover many. */
export const toOp = (params: unknown): string | undefined => textParam(params, 'op')
