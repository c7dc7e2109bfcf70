/** The places of names and values in a head: four numbers for each header, name first, each as position and length. */
type Spans = readonly number[]

/** The head of a request as it was sent; its parts become text on demand. */
export class RequestHead {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** Bytes of the body, which follows. */
  readonly contentLength: number
  readonly #bytes: Buffer
  readonly #start: number
  readonly #spans: Spans

  constructor(method: string, target: string, contentLength: number, bytes: Buffer, start: number, spans: Spans) {
    this.method = method
    this.target = target
    this.contentLength = contentLength
    this.#bytes = bytes
    this.#start = start
    this.#spans = spans
  }

  /** A header by its lower-case name, as `node:http` has it: several of one name are joined, or the first one counts. */
  header(name: string): string | undefined {
    const spans = this.#spans
    let value: string | undefined
    for (let i = 0; i < spans.length; i += 4) {
      if (spans[i + 1] !== name.length || !isName(this.#bytes, this.#start + (spans[i] ?? 0), name)) continue
      if (value !== undefined && firstCounts.has(name)) return value
      const next = this.#value(i + 2, name)
      value = value === undefined ? next : `${value}${name === 'cookie' ? '; ' : ', '}${next}`
    }
    return value
  }

  /** All of them by their lower-case names. */
  headers(): Readonly<Record<string, string>> {
    const all = new Map<string, string>()
    for (let i = 0; i < this.#spans.length; i += 4) {
      const name = this.#text(i).toLowerCase()
      if (!all.has(name)) all.set(name, this.header(name) ?? '')
    }
    return Object.fromEntries(all)
  }

  #text(at: number): string {
    const from = this.#start + (this.#spans[at] ?? 0)
    return this.#bytes.toString('latin1', from, from + (this.#spans[at + 1] ?? 0))
  }

  #value(at: number, name: string): string {
    const from = this.#start + (this.#spans[at] ?? 0)
    let end = from + (this.#spans[at + 1] ?? 0)
    // What llhttp leaves at the end of a value.
    while (end > from && isSpace(this.#bytes[end - 1])) end--
    const last = lastValues.get(name)
    if (last !== undefined && isSame(this.#bytes, from, end, last)) return last
    const value = this.#bytes.toString('latin1', from, end)
    if (value.length <= maxKeptLength && (last !== undefined || lastValues.size < maxKept)) lastValues.set(name, value)
    return value
  }
}

/** Requests of one client are alike: to compare bytes with the value of the request before is cheaper than a new text. */
const lastValues = new Map<string, string>()
const maxKept = 64
const maxKeptLength = 64

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09

/** Whether these bytes are this text. */
export const isSame = (bytes: Uint8Array, from: number, end: number, text: string): boolean => {
  if (text.length !== end - from) return false
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false
  return true
}

/** Whether a name of the same length is there, in any case (RFC 9110, section 5.1). */
export const isName = (bytes: Uint8Array, at: number, name: string): boolean => {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[at + i] ?? 0
    if ((isUpper(byte) ? byte | 0x20 : byte) !== name.charCodeAt(i)) return false
  }
  return true
}

const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a

/** Of these `node:http` keeps the first where there are several (https://nodejs.org/api/http.html#messageheaders). */
const firstCounts: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])
