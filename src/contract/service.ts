import type { Context, MiddlewareHandler } from 'hono'
import type { CallAnswer } from '../http/call/answer.ts'
import type { AnswerError, BaseCall, FinishAnswer } from '../http/call/base-call.ts'
import type { Call, Identity } from '../http/call/call.ts'
import type { Role } from '../http/roles.ts'
import type { Contract, Operation } from './contract.ts'
import type { OperationId, Params as ParamsOf } from './operations.ts'
import { createRequestCheck } from './request-check.ts'

/** What answers the operations that have one of its tags. */
export type Service = {
  readonly tags: readonly string[]
  /** One for each of these operations; undefined for one that shall not exist. */
  readonly handlers: { readonly [Id in OperationId]?: ((call: Call<ParamsOf<Id>>) => CallAnswer) | undefined }
  readonly guardOf: (operation: Operation) => Guard
  /** As {@link Guard.renderError}, for a path without an operation: caller and origin were not checked. */
  readonly renderMissing?: Guard['renderError']
}

/** What a service adds to the contract's rules for an operation. */
export type Guard = {
  /** The caller; throws for callers without the role that the contract names. Undefined without authentication. */
  readonly authorize: ((call: Call<unknown>, role: Role) => Identity | undefined) | undefined
  /** Asked before anything of a request is looked at, by its operation: the answer while there is too much to do. */
  readonly shed?: ((operationId: string, call: Pick<BaseCall, 'header' | 'method'>) => Response | undefined) | undefined
  /**
   * Hears of a call that its handler never sees, with its caller where that may make it, and with the parameters where they
   * could be read: to count it, to add headers, or to keep what was sent first. It fails, or throws, with what is thrown instead.
   */
  readonly onRefusal?: ((error: unknown, call: Call<unknown>) => CallAnswer) | undefined
  /** Sees every request to the path before all else, whatever its method, unless it took the fast path; may throw. */
  readonly checkSource?: ((context: Context) => void) | undefined
  /** Is around every answer of the path, after {@link checkSource}; what it throws is rendered as other errors are. */
  readonly around?: MiddlewareHandler | undefined
  /** Makes another one of every answer of the path, be it an error, whatever the way; mostly it gives back what it gets. */
  readonly finish?: FinishAnswer | undefined
  /** Answers `OPTIONS` where that is more than a list of methods, with these headers; may throw. */
  readonly answerOptions?: ((context: Context, headers: Readonly<Record<string, string>>) => Response) | undefined
  /** Makes a response of an error for those who ask in other words, whatever the way; undefined leaves it. */
  readonly answerError?: AnswerError | undefined
  /** The same for those who can show it better than as problem details, where no short way is. */
  readonly renderError?: ((error: unknown, context: Context) => Response | Promise<Response> | undefined) | undefined
}

/** An operation with what answers it. */
export type BoundOperation = {
  readonly operation: Operation
  readonly guard: Guard
  readonly answer: (call: BaseCall) => CallAnswer
}

/**
 * Puts the rules of the contract in front of the handlers of a service.
 * @throws TypeError when operations and handlers are not the same set
 */
export const bindService = (contract: Contract, { tags, handlers, guardOf }: Service): readonly BoundOperation[] => {
  const operations = contract.operations.filter(({ tag }) => tags.includes(tag))
  // The one place where a handler loses the type of its parameters: from here on the contract's validators vouch.
  const byId = new Map(Object.entries(handlers as unknown as Readonly<Record<string, AnyHandler | undefined>>))
  const missing = operations.filter(({ id }) => !byId.has(id))
  const surplus = [...byId.keys()].filter(name => operations.every(({ id }) => id !== name))
  if (missing.length > 0) throw new TypeError(`Operations without a handler: ${missing.map(({ id }) => id).join(', ')}`)
  if (surplus.length > 0) throw new TypeError(`Handlers without an operation: ${surplus.join(', ')}`)
  return operations.flatMap(operation => {
    const handler = byId.get(operation.id)
    if (handler === undefined) return []
    const guard = guardOf(operation)
    return [{ operation, guard, answer: createAnswer(operation, handler, guard) }]
  })
}

type Params = Readonly<Record<string, unknown>>
type AnyHandler = (call: Call<Params>) => CallAnswer

/** Checks the form of a call and its parameters, then the role of its caller. */
const createAnswer = (operation: Operation, handler: AnyHandler, guard: Guard): BoundOperation['answer'] => {
  const { id, role } = operation
  const { authorize, shed, onRefusal } = guard
  const check = createRequestCheck(operation)
  /** Whose call it is that was refused for something else; undefined for those who may not make it. */
  const findCaller = (known: Call<Params>): Identity | undefined => {
    try {
      return role === undefined ? undefined : authorize?.(known, role)
    } catch {
      return undefined
    }
  }
  const refuse = (error: unknown, known: Call<Params>): CallAnswer => {
    if (onRefusal) return onRefusal(error, known)
    throw error
  }
  const answerKnown = (call: BaseCall, params: Params): CallAnswer => {
    const known = call.withOperation(id, params)
    if (role === undefined || !authorize) return handler(known)
    let caller: Identity | undefined
    try {
      caller = authorize(known, role)
    } catch (error) {
      return refuse(error, known)
    }
    return handler(call.withOperation(id, params, caller))
  }
  return call => {
    const isShed = shed?.(id, call)
    if (isShed) return isShed
    let params: Params
    try {
      params = check(call.target, name => call.header(name))
    } catch (error) {
      return refuse(error, call.withOperation(id, {}, onRefusal && findCaller(call.withOperation(id, {}))))
    }
    return answerKnown(call, params)
  }
}
