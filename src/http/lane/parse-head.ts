import { createLlhttp, verbs, windowBytes } from '../../llhttp/llhttp.ts'
import { isName, isSame, RequestHead } from './request-head.ts'

/** A head with the position after it, or why there is no head: it is incomplete, or not for the lane. */
export type ParsedHead = { readonly head: RequestHead; readonly end: number } | 'incomplete' | 'other'

/** Reads the head that begins at `at`. Bytes that were read once stay as they are. */
export type ParseHead = (bytes: Buffer, at: number) => ParsedHead

/** A request with more headers than any client sends is not in a hurry. */
const maxSpans = 4 * 64

/** Larger lengths do not belong to events. */
const maxLengthDigits = 9

/**
 * Makes a reader of heads for one listener. Whatever two parsers might read in two ways, and whatever asks for more than
 * an answer, is `other`; so the lane reads nothing that it could misread.
 */
export const createParseHead = (maxHeaderBytes: number): ParseHead => {
  let spans: number[] = []
  let start = 0
  let targetAt = 0
  let targetLength = 0
  const llhttp = createLlhttp('request', {
    onUrl: (at, length) => {
      targetAt = at
      targetLength = length
    },
    onHeaderField: (at, length) => void spans.push(at - start, length),
    onHeaderValue: (at, length) => void spans.push(at - start, length),
  })
  /** Of which bytes a part lies before the parser, and from where on. */
  let source: Buffer | undefined
  let sourceAt = 0
  let length = 0
  /** Of the request before, as that of this one often is. */
  let target = ''
  let host = ''

  const show = (bytes: Buffer, at: number): void => {
    source = bytes
    sourceAt = at
    length = Math.min(bytes.length - at, windowBytes)
    llhttp.bytes.set(at === 0 && length === bytes.length ? bytes : bytes.subarray(at, at + length))
  }
  const read = (at: number): number => {
    spans = []
    start = at - sourceAt
    return llhttp.readHead(start, length)
  }
  /** Bytes of the body; undefined for a head that is nothing for the lane. */
  const toContentLength = (bytes: Buffer, start: number, method: string): number | undefined => {
    let hosts = 0
    let contentLength: number | undefined
    for (let i = 0; i < spans.length; i += 4) {
      const name = namesByLength[spans[i + 1] ?? 0]
      if (name === undefined || !isName(bytes, start + (spans[i] ?? 0), name)) continue
      const from = start + (spans[i + 2] ?? 0)
      const end = from + (spans[i + 3] ?? 0)
      if (name === 'host') {
        if (++hosts > 1 || !isPlainHost(bytes, from, end)) return undefined
      } else if (name === 'content-length') {
        if (contentLength !== undefined) return undefined
        contentLength = toNumber(bytes, from, end)
        if (contentLength === undefined) return undefined
      } else if (name !== 'connection' || !isKeepAlive(bytes, from, end)) return undefined
    }
    if (hosts === 0) return undefined
    // A body that is not expected, or one of unknown length.
    if (method === 'GET' ? contentLength !== undefined : contentLength === undefined) return undefined
    return contentLength ?? 0
  }
  const isPlainHost = (bytes: Buffer, from: number, end: number): boolean => {
    if (isSame(bytes, from, end, host)) return true
    const value = bytes.toString('latin1', from, end)
    if (!plainHost.test(value)) return false
    host = value
    return true
  }
  const toHead = (bytes: Buffer, at: number): RequestHead | undefined => {
    const method = verbs[llhttp.method]
    if (method === undefined || !llhttp.isHttp11 || spans.length > maxSpans) return undefined
    const contentLength = toContentLength(bytes, at, method)
    if (contentLength === undefined) return undefined
    const from = sourceAt + targetAt
    if (!isSame(bytes, from, from + targetLength, target)) target = bytes.toString('latin1', from, from + targetLength)
    return new RequestHead(method, target, contentLength, bytes, at, spans)
  }
  return (bytes, at) => {
    if (source !== bytes || at < sourceAt || at >= sourceAt + length) show(bytes, at)
    let end = read(at)
    if (end === 0 && sourceAt + length < bytes.length && at > sourceAt) {
      // It ends after the bytes that the parser has seen.
      show(bytes, at)
      end = read(at)
    }
    const headBytes = (end === 0 ? length : end) - start
    if (end < 0 || headBytes > maxHeaderBytes) return 'other'
    if (end === 0) return 'incomplete'
    const head = toHead(bytes, at)
    return head === undefined ? 'other' : { head, end: sourceAt + end }
  }
}

const keepAlive = 'keep-alive'
const isKeepAlive = (bytes: Buffer, from: number, end: number): boolean =>
  end - from === keepAlive.length && isName(bytes, from, keepAlive)

/** Digits only, and few of them. */
const toNumber = (bytes: Buffer, from: number, end: number): number | undefined => {
  if (end === from || end - from > maxLengthDigits) return undefined
  let number = 0
  for (let at = from; at < end; at++) {
    const digit = (bytes[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}

/** Headers that decide what becomes of a connection; all but the first two are nothing for the lane. */
const namesByLength: Readonly<Record<number, string>> = Object.fromEntries(
  ['host', 'content-length', 'connection', 'expect', 'upgrade', 'proxy-connection', 'transfer-encoding'].map(name => [
    name.length,
    name,
  ]),
)

/** A name or an address with or without a port (RFC 9110, section 7.2). */
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
