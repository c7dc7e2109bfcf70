import type { SluiceError } from '../../errors.ts'
import type { Call } from '../../http/call/call.ts'
import { cookiesOf, headersOf } from '../formats/doors.ts'
import { queryFormats } from '../formats/query.ts'
import { digestOfCall } from '../submit/request-fingerprint.ts'
import { maskTarget, maskUrl } from './mask-keys.ts'
import type { RefusedPiece, RefusedRequest } from './refused-request.ts'

/** Statuses of refusals that are for what was sent: it would be refused the next time as well. */
const contentStatuses: ReadonlySet<number> = new Set([400, 415, 422])

/** Whether a refusal is stored, and not counted alone. A path that cannot be read is that of no event, as one that is not there. */
export const isOfContent = ({ status, code }: Pick<SluiceError, 'status' | 'code'>): boolean =>
  contentStatuses.has(status) && code !== 'bad-path'

/** What else is known of a call. */
type Known = {
  /** Whether the `Content-Encoding` of what is kept is undone. */
  readonly isDecoded: boolean
  readonly isKeyFree: boolean
  readonly sender: string | undefined
}

/** What is kept of a call over HTTP. */
export const toRefusedRequest = (
  call: Call<unknown>,
  receivedAt: number,
  pieces: readonly RefusedPiece[],
  { isDecoded, isKeyFree, sender }: Known,
): RefusedRequest => ({
  receivedAt,
  method: call.method,
  target: maskTarget(call.operationId, call),
  contentType: call.header('content-type'),
  contentEncoding: isDecoded ? undefined : call.header('content-encoding'),
  headers: toKeptHeaders(call),
  key: isKeyFree ? keyOfCall(call) : undefined,
  fingerprint: isKeyFree ? digestOfCall(call) : undefined,
  retry: retryOf(call),
  sender,
  pieces,
})

/** What counts an event in the query takes no key. */
const keyOfCall = (call: Call<unknown>): string | undefined =>
  Object.hasOwn(queryFormats, call.operationId) ? undefined : call.header('idempotency-key')

/** The same for each try of a request. */
const retryOf = (call: Call<unknown>): string | undefined => {
  const key = keyOfCall(call)
  const fingerprint = digestOfCall(call)
  return key === undefined || fingerprint === undefined ? undefined : JSON.stringify([key, fingerprint])
}

/**
 * Headers besides those of the content that decide how requests are read, or what their events contain, on every API.
 */
export const commonHeaders: ReadonlySet<string> = new Set(['user-agent', 'referer', 'prefer'])

/** These, those of CloudEvents, and those that the door of the request says it needs: nothing else, for it may be a secret. */
const toKeptHeaders = ({ operationId, headers }: Call<unknown>): Readonly<Record<string, string>> => {
  const needed = headersOf(operationId)
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const isKept = commonHeaders.has(name) || name.startsWith('ce-') || needed.includes(name)
    if (isKept) kept[name] = maskUrl(operationId, value)
  }
  const cookies = toKeptCookies(headers['cookie'] ?? '', cookiesOf(operationId))
  return cookies === '' ? kept : { ...kept, cookie: cookies }
}

const toKeptCookies = (header: string, names: readonly string[]): string =>
  header
    .split(';')
    .map(cookie => cookie.trim())
    .filter(cookie => names.includes(cookie.slice(0, Math.max(0, cookie.indexOf('=')))))
    .join('; ')
