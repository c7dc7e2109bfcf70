import { dataHeaders, toJsonResponse } from '../answers.ts'
import { type CalledAddress, toDataAddress } from './address.ts'

/** JSON that is text already. */
export const toJsonTextResponse = (body: ReadableStream | string): Response =>
  new Response(body, { headers: { ...dataHeaders, 'content-type': 'application/json' } })

/** The answer of MKDIRS, RENAME, SETREPLICATION and DELETE. */
export const toBooleanResponse = (boolean: boolean): Response => toJsonResponse({ boolean })

/** The answer of operations that have nothing to say. */
export const toEmptyResponse = (): Response => new Response(null, { headers: { 'cache-control': 'private, no-cache' } })

/** Sends a client to where the bytes are taken, or given, which is here. */
export const toRedirect = (call: CalledAddress): Response =>
  new Response(null, { status: 307, headers: { location: toDataAddress(call), 'cache-control': 'no-store' } })
