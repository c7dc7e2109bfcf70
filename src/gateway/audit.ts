import { type ErrorCode, toProblem } from '../errors.ts'
import type { Call, Handler, Identity } from '../http/call/call.ts'
import type { LogMethod } from '../log/log.ts'
import { toAnsweredStatus } from './answered-status.ts'
import { textParam } from './text-param.ts'

/** What a write reports about itself as soon as it is known; the rest is taken from its call. */
export type WriteFacts = {
  /** What was asked for, by its name in the API that was called. @default the name under which it is audited */
  readonly operation?: string
  /** The path that is written. @default the parameter `path` */
  readonly path?: string
  /** The second path of what has two, such as a rename. */
  readonly destination?: string
  /** Whether another call will send the bytes, which leaves the line. @default false */
  readonly isSentOn?: boolean
}

/** Takes facts of the write that runs; later ones replace earlier ones. */
export type Tell = (facts: WriteFacts) => void

/** Answers a call that changes files. */
export type Write<P> = (call: Call<P>, tell: Tell) => Response | Promise<Response>

/** One line of the log: a user's action, or attempt, on files. */
export type WriteEntry = {
  /** The token's name, or `anonymous`. */
  readonly who: string
  /** Address of the client; empty if unknown. */
  readonly from: string
  readonly operation: string
  readonly path: string
  readonly destination?: string
  readonly outcome: 'ok' | 'client gone' | ErrorCode
  /** HTTP status; 499 where the client went away before the answer. */
  readonly status: number
}

/**
 * The status under which a request is counted and logged if its client left before the answer, as in nginx. It is never
 * sent.
 */
export const hangUpStatus = 499

/** Logs who did what to which file, and from where: one line for each write, whatever its outcome. */
export const createWriteAudit = (info: LogMethod) => {
  const record = (
    call: Call<unknown>,
    caller: Identity | undefined,
    facts: Omit<WriteFacts, 'isSentOn'> & { readonly operation: string },
    result: Pick<WriteEntry, 'outcome' | 'status'>,
  ): void => {
    const entry: WriteEntry = {
      who: caller?.name ?? 'anonymous',
      from: call.peer,
      path: toPath(call.params),
      ...facts,
      ...result,
    }
    info(entry, 'gateway')
  }

  return {
    /** A handler that leaves one line for each call. */
    audited:
      <P>(operation: string, write: Write<P>): Handler<P> =>
      async call => {
        const { caller } = call
        let facts = { operation }
        let isSentOn = false
        const tell: Tell = ({ isSentOn: isNow = isSentOn, ...more }) => {
          isSentOn = isNow
          facts = { ...facts, ...more }
        }
        try {
          const response = await write(call, tell)
          if (!isSentOn) record(call, caller, facts, { outcome: 'ok', status: response.status })
          return response
        } catch (error) {
          const { code } = toProblem(error)
          const isGone = call.signal.aborted
          record(
            call,
            caller,
            facts,
            isGone
              ? { outcome: 'client gone', status: hangUpStatus }
              : { outcome: code, status: toAnsweredStatus(error, call) },
          )
          throw error
        }
      },
    /** Leaves the line of a call that no handler saw, for want of a role. Strangers leave none: they could fill the log. */
    refused: (
      error: unknown,
      call: Call<unknown>,
      caller: Identity | undefined,
      operation: string = call.operationId,
    ): void => {
      const { code, status } = toProblem(error)
      if (code !== 'denied' || isSafe(call)) return
      record(call, caller, { operation }, { outcome: code, status })
    },
  }
}

/** Whether the method of a call says that nothing is changed (RFC 9110 §9.2.1). */
const isSafe = ({ method }: Call<unknown>): boolean => method === 'GET' || method === 'HEAD'

/** The path that a call is about; the root where it is about none. */
export const toPath = (params: unknown): string => textParam(params, 'path') ?? '/'
