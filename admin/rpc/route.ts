import {
  createJSONRPCErrorResponse,
  JSONRPCErrorCode,
  JSONRPCErrorException,
  type JSONRPCRequest,
  JSONRPCServer,
} from 'json-rpc-2.0'
import { isRecord } from '../../src/is-record.ts'
import { answerJson } from '../answer.ts'
import { readJsonText } from '../json-body.ts'
import type { ProtocolParts } from '../protocol.ts'
import type { AdminCall } from '../routes.ts'
import type { RequestTurns } from '../turns.ts'
import { isUnexpectedRpc, toErrorResponse } from './errors.ts'
import type { RpcContext } from './method.ts'
import { methods } from './methods.ts'

/** Most calls in one batch. */
const maxBatch = 100

/** Answers `POST /rpc`. Errors of calls are in the answer, with 200; 204 when there is nothing to say. */
export const createRpcRoute = ({ open, product, now, onUnexpected }: ProtocolParts) => {
  const answer = createRpcServer(onUnexpected)
  return async (call: AdminCall): Promise<Response> => {
    const { turns } = call
    const answered = await answer(await readJsonText(call), { beans: open(call), product, now }, turns)
    return answered === null ? new Response(null, { status: 204 }) : answerJson(answered, turns)
  }
}

/** Answers the text of a JSON-RPC 2.0 request or batch; nothing when it holds notifications only. */
type AnswerRpc = (text: string, context: RpcContext, turns: RequestTurns) => Promise<unknown>

/**
 * Makes the server. The library dispatches; what it takes too lightly is checked before it: the form of each request,
 * the number of requests, and what an error may show. Calls of a batch run one after another, in their order, so that a
 * read after a write sees it.
 */
const createRpcServer = (onUnexpected: ProtocolParts['onUnexpected']): AnswerRpc => {
  const server = new JSONRPCServer<RpcContext>({ errorListener: () => {} })
  for (const [name, method] of methods) {
    server.addMethod(name, async (params: unknown, context) => {
      try {
        return (await method.run(toNamed(params, Object.keys(method.params.shape)), context)) ?? null
      } catch (error) {
        if (isUnexpectedRpc(error)) onUnexpected(error)
        throw error
      }
    })
  }
  server.mapErrorToJSONRPCErrorResponse = toErrorResponse

  const answerOne = async (request: unknown, context: RpcContext): Promise<unknown> =>
    isRequest(request) ? await server.receive(request, context) : toInvalid(request)

  return async (text, context, turns) => {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return createJSONRPCErrorResponse(null, JSONRPCErrorCode.ParseError, 'The body is not JSON')
    }
    if (!Array.isArray(message)) return answerOne(message, context)
    if (message.length === 0)
      return createJSONRPCErrorResponse(null, JSONRPCErrorCode.InvalidRequest, 'The batch is empty')
    if (message.length > maxBatch) {
      const problem = `The batch has ${message.length} calls; ${maxBatch} are taken`
      return createJSONRPCErrorResponse(null, JSONRPCErrorCode.InvalidRequest, problem)
    }
    const answers: unknown[] = []
    for (const [index, request] of message.entries()) {
      // Events that arrive meanwhile wait for one call, not for all of them.
      if (index > 0) await turns.next()
      const answer = await answerOne(request, context)
      if (answer !== null) answers.push(answer)
    }
    return answers.length === 0 ? null : answers
  }
}

/** JSON-RPC 2.0, section 4: `id` is a text, a number or null; `params` are an object or an array. */
const isRequest = (value: unknown): value is JSONRPCRequest =>
  isRecord(value) &&
  value['jsonrpc'] === '2.0' &&
  typeof value['method'] === 'string' &&
  (!Object.hasOwn(value, 'id') || isId(value['id'])) &&
  (!Object.hasOwn(value, 'params') || (typeof value['params'] === 'object' && value['params'] !== null))

const toInvalid = (request: unknown): unknown => {
  const id = isRecord(request) && isId(request['id']) ? request['id'] : null
  return createJSONRPCErrorResponse(
    id,
    JSONRPCErrorCode.InvalidRequest,
    'Expected {"jsonrpc":"2.0","id":…,"method":…,"params":…}',
  )
}

const isId = (value: unknown): value is string | number | null =>
  typeof value === 'string' || typeof value === 'number' || value === null

const toNamed = (params: unknown, names: readonly string[]): unknown => {
  if (!Array.isArray(params)) return params ?? {}
  if (params.length > names.length) {
    throw new JSONRPCErrorException(
      `Expected at most ${names.length} parameters, got ${params.length}`,
      JSONRPCErrorCode.InvalidParams,
    )
  }
  return Object.fromEntries(params.map((value, i) => [names[i], value]))
}
