import { JSONRPCErrorException } from 'json-rpc-2.0'
import { BeanError, type BeanErrorCode } from '../../src/beans/bean-error.ts'
import { SluiceError } from '../../src/errors.ts'

/** Codes of JSON-RPC 2.0, section 5.1. */
export const parseError = -32700
export const invalidRequest = -32600
export const invalidParams = -32602
export const internalError = -32603

/** The application's own codes, out of the range that JSON-RPC leaves to servers; `rpc.discover` lists them. */
export const applicationErrors = {
  denied: { code: -32001, message: 'The token lacks the role' },
  'bean-not-found': { code: -32002, message: 'There is no such bean' },
  'attribute-not-found': { code: -32003, message: 'The bean has no such attribute' },
  'operation-not-found': { code: -32004, message: 'The bean has no such operation' },
  'read-only': { code: -32005, message: 'The attribute cannot be written' },
  failed: { code: -32006, message: 'The operation failed' },
  'too-many': { code: -32007, message: 'The answer would be too large' },
} as const satisfies Partial<Record<BeanErrorCode, { readonly code: number; readonly message: string }>>

/** An error of one call; `data.code` is its stable name. */
export type RpcProblem = {
  readonly code: number
  readonly message: string
  readonly data?: { readonly code: string }
}

/** What a client may know of a thrown value; unknown errors show nothing. */
export const toRpcProblem = (error: unknown): RpcProblem => {
  if (error instanceof BeanError)
    return { code: codeOf(error.code), message: error.message, data: { code: error.code } }
  if (error instanceof SluiceError) {
    const code = error.status < 500 ? invalidParams : applicationErrors.failed.code
    return { code, message: error.message, data: { code: error.code } }
  }
  if (error instanceof JSONRPCErrorException) return { code: error.code, message: error.message }
  return { code: internalError, message: 'Internal error', data: { code: 'internal' } }
}

/** Whether the operator should hear of it: it is nobody's mistake but the server's. */
export const isUnexpected = (error: unknown): boolean =>
  !(error instanceof BeanError || error instanceof SluiceError || error instanceof JSONRPCErrorException)

const codes: ReadonlyMap<string, number> = new Map(
  Object.entries(applicationErrors).map(([name, { code }]) => [name, code]),
)

const codeOf = (code: BeanErrorCode): number => codes.get(code) ?? invalidParams
