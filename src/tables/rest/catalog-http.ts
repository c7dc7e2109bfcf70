/** Requests to a REST catalog and to what gives tokens for it: bounded, and never led elsewhere. */
import { Buffer } from 'node:buffer'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { parseJson } from '../../formats/json.ts'
import { isObject } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'

/** How long an answer may take, and how large it may be. */
export type AnswerLimits = { readonly timeoutMs: number; readonly maxBytes: number }

/** Metadata of some hundred thousand snapshots. */
const usualLimits: AnswerLimits = { timeoutMs: 30_000, maxBytes: 256 * 1024 * 1024 }

export type CatalogRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** @default 30 seconds and 256 MiB */
  readonly limits?: AnswerLimits | undefined
  /** That are sent: hidden in what is said of an answer. */
  readonly secrets: readonly string[]
}

export type CatalogAnswer = Pick<CatalogRequest, 'secrets'> & {
  readonly status: number
  /** Undefined where it is not JSON. */
  readonly json: Value | undefined
}

/** Nothing came back, or not all of it: what was asked for may be done. */
export class Unanswered extends FileSystemError {}

/** Rejects with {@link Unanswered}, and with what the signal has. */
export const askCatalog = async (request: CatalogRequest): Promise<CatalogAnswer> => {
  const { method, url, headers, body, signal, secrets, limits = usualLimits } = request
  const limit = AbortSignal.timeout(limits.timeoutMs)
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      // The question, with the token, would go to any address that is named there.
      redirect: 'manual',
    })
    return { status: response.status, json: toJson(await readLimited(response, limits.maxBytes)), secrets }
  } catch (cause) {
    signal?.throwIfAborted()
    const said = reasonOf(cause, limits.timeoutMs)
    const reason = hide(said, secrets)
    // A cause with a secret in its message must not be shown.
    const options = reason === said ? { cause } : {}
    throw new Unanswered('unavailable', '/', `${withoutQuery(url)} gave no answer: ${reason}`, options)
  }
}

const readLimited = async (response: Response, maxBytes: number): Promise<string> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const toJson = (text: string): Value | undefined => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** `fetch` hides why behind "fetch failed". */
const reasonOf = (error: unknown, timeoutMs: number): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `none came within ${timeoutMs / 1_000} s`
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message
}

/** Without what could be a secret. */
export const withoutQuery = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** What an answer says of itself, as Iceberg (`{"error": {"type", "message"}}`) and OAuth2 (RFC 6749 §5.2) have it; the type is empty where there is no such thing. */
export const describeAnswer = ({
  status,
  json,
  secrets,
}: CatalogAnswer): { readonly type: string; readonly text: string } => {
  const error = isObject(json) ? json['error'] : undefined
  const inner = isObject(error) ? error : undefined
  const type = inner?.['type'] ?? error
  const message = textOf(inner?.['message'] ?? (isObject(json) ? json['error_description'] : undefined), secrets)
  const hint = status >= 300 && status < 400 ? 'it leads to another address, and redirects are not followed' : ''
  return {
    type: textOf(type, []),
    text: [`status ${status}`, textOf(type, secrets), hint, message].filter(part => part !== '').join(', '),
  }
}

const textOf = (value: Value | undefined, secrets: readonly string[]): string =>
  typeof value === 'string'
    ? hide(value, secrets)
        .replace(/\p{Cc}+/gu, ' ')
        .slice(0, 500)
    : ''

/** Proxies and catalogs repeat what they were asked. */
const hide = (text: string, secrets: readonly string[]): string =>
  secrets.flatMap(formsOf).reduce((left, form) => left.replaceAll(form, '(hidden)'), text)

/** A secret as it is, in JSON, in a URL, in a form (where a space is `+`, and `!` is escaped), and in base64. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Buffer.from(secret).toString('base64'),
]
