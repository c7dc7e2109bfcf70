import {
  createJSONRPCErrorResponse,
  JSONRPCErrorCode,
  JSONRPCErrorException,
  type JSONRPCErrorResponse,
  type JSONRPCID,
} from 'json-rpc-2.0'
import { BeanError, type BeanErrorCode } from '../../src/beans/bean-error.ts'
import { SluiceError } from '../../src/errors.ts'

const invalidParams = JSONRPCErrorCode.InvalidParams

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

/** Answers a call that failed with what a client may know of a thrown value; `data.code` is a stable name. */
export const toErrorResponse = (id: JSONRPCID, error: unknown): JSONRPCErrorResponse => {
  if (error instanceof JSONRPCErrorException) return createJSONRPCErrorResponse(id, error.code, error.message)
  if (error instanceof BeanError || error instanceof SluiceError)
    return createJSONRPCErrorResponse(id, codeOf(error), error.message, { code: error.code })
  return createJSONRPCErrorResponse(id, JSONRPCErrorCode.InternalError, 'Internal error', { code: 'internal' })
}

const codeOf = (error: BeanError | SluiceError): number => {
  if (error instanceof SluiceError) return error.status < 500 ? invalidParams : applicationErrors.failed.code
  const own: Partial<Record<BeanErrorCode, { readonly code: number }>> = applicationErrors
  return own[error.code]?.code ?? invalidParams
}

/** Whether the operator should hear of it: it is the server's own mistake. */
export const isUnexpectedRpc = (error: unknown): boolean =>
  !(error instanceof BeanError || error instanceof SluiceError || error instanceof JSONRPCErrorException)
