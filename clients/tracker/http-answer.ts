import type { Outcome } from './sender.ts'

/** Longest answer that is read: a hundred refusals fit many times over. */
const maxAnswerBytes = 1 << 20
const maxRetryAfterMs = 3_600_000

/** Statuses that say the request itself is wrong; anything else may be another server, a proxy, or a passing state. */
const refusals = new Set([400, 414, 415, 422, 431])

/** An answer of the intake, read. */
export type HttpAnswer = {
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** The body where it is a JSON object, else empty. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Reads an answer to its end, so that its connection can be used again. */
export const readAnswer = async (response: Response, now: number): Promise<HttpAnswer> => ({
  status: response.status,
  retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), now),
  body: parseObject(await readText(response)),
})

/** The outcome of a whole request; only exactly 202 means that events were taken. */
export const toOutcome = ({ status, retryAfterMs, body }: HttpAnswer): Outcome => {
  if (status === 202) return toSettled(body)
  const code = typeof body['code'] === 'string' ? body['code'] : `http-${status}`
  // The key is this batch's alone: that the server remembers it means that the batch was taken.
  if (code === 'key-reused') return { kind: 'settled', rejected: [] }
  if (status === 413) return { kind: 'too-large' }
  const told = [body['detail'], body['title']].find(text => typeof text === 'string')
  const detail = told ?? `The server answered HTTP ${status}`
  if (refusals.has(status)) return { kind: 'refused', code, detail }
  return { kind: 'retry', error: new Error(`HTTP ${status}, ${code}: ${detail}`), afterMs: retryAfterMs }
}

const toSettled = (body: HttpAnswer['body']): Outcome => {
  const errors = Array.isArray(body['errors']) ? (body['errors'] as readonly unknown[]) : []
  const rejected = errors.flatMap(error => {
    const { index, code, detail } = (error ?? {}) as Record<string, unknown>
    return typeof index === 'number' ? [{ index, code: String(code), detail: String(detail) }] : []
  })
  return { kind: 'settled', rejected, unlisted: Math.max(0, Number(body['rejected'] ?? 0) - rejected.length) }
}

/** Seconds, or a date (RFC 9110 section 10.2.3). */
const parseRetryAfter = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs)
}

const readText = async ({ body }: Response): Promise<string> => {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += decoder.decode(read.value, { stream: true })
    if (text.length > maxAnswerBytes) {
      await reader.cancel()
      return ''
    }
  }
  return text
}

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
