import type { Call } from '../../http/call/call.ts'
import { digestOfCall } from '../submit/request-fingerprint.ts'
import { maskTarget } from './mask-keys.ts'
import type { RefusedPiece, RefusedRequest } from './refused-request.ts'

/** Statuses of refusals that are for what was sent: it would be refused the next time as well. */
const contentStatuses: ReadonlySet<number> = new Set([400, 415, 422])

/** Whether a refusal is stored, and not counted alone. */
export const isOfContent = (status: number): boolean => contentStatuses.has(status)

/** Headers beside those of the content that say how it is read, or what stands in its events. */
const isTelling = (name: string): boolean =>
  name === 'user-agent' || name === 'referer' || name === 'prefer' || name.startsWith('ce-')

/** What is kept of a call over HTTP. @param isDecoded whether the `Content-Encoding` of what is kept is undone */
export const toRefusedRequest = (
  call: Call<unknown>,
  receivedAt: number,
  pieces: readonly RefusedPiece[],
  { isDecoded, isKeyFree }: { readonly isDecoded: boolean; readonly isKeyFree: boolean },
): RefusedRequest => ({
  receivedAt,
  method: call.method,
  target: maskTarget(call.operationId, call.target),
  contentType: call.header('content-type'),
  contentEncoding: isDecoded ? undefined : call.header('content-encoding'),
  headers: Object.fromEntries(
    Object.entries(call.headers).flatMap(([name, value]) =>
      isTelling(name) ? [[name, maskTarget(call.operationId, value)]] : [],
    ),
  ),
  key: isKeyFree ? call.header('idempotency-key') : undefined,
  fingerprint: isKeyFree ? digestOfCall(call) : undefined,
  pieces,
})
