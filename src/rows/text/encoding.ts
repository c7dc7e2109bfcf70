/** The encoding of a text: detected from its first bytes, or given; all later steps work on UTF-8. */
import { Buffer, isAscii, isUtf8 } from 'node:buffer'
import type { QueueSource } from '../../codecs/byte-queue.ts'

/** Names as the parameter `encoding` has them. Windows-1252 is Latin-1 with more characters. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** Bytes that have to be looked at. */
const utf16Bytes = 256

/**
 * The encoding of a text by its first bytes: a byte order mark, the zero bytes of UTF-16, or bytes that UTF-8 never has
 * where there is nothing that only UTF-8 has. UTF-8 otherwise.
 */
export const sniffEncoding = (head: Uint8Array): Encoding => {
  const [first = 0, second = 0, third = 0] = head
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  return sniffUtf16(head.subarray(0, utf16Bytes)) ?? (isLatin(head) ? 'windows-1252' : 'utf-8')
}

/** Of most languages' text nearly every other byte is zero, and no byte of the others. */
const sniffUtf16 = (bytes: Uint8Array): Encoding | undefined => {
  const zeros = [0, 0]
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const most = (bytes.length >> 1) * 0.7
  if (bytes.length < 4) return undefined
  if (odd >= most && even === 0) return 'utf-16le'
  return even >= most && odd === 0 ? 'utf-16be' : undefined
}

const isLatin = (head: Uint8Array): boolean => {
  const latin = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  // The last character of UTF-8 may be cut, and one byte too many in it does not make it another encoding.
  return !isUtf8(head) && isText(head) && !/[\xc2-\xf4][\x80-\xbf]/.test(latin) && /[\x80-\xff][^\x80-\xff]/.test(latin)
}

/** Whether the bytes lack those that occur only in UTF-16: control characters other than white space and ESC. */
export const isText = (head: Uint8Array): boolean =>
  head.every(byte => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b)

/** Bytes from the first one beyond ASCII on that decide. */
const sampleBytes = 4_096

/** Whether first bytes leave open which encoding a text has: those of one in UTF-8 and in Windows-1252 may be the same. */
export const isUndecided = (head: Uint8Array): boolean => isAscii(head)

/**
 * Text that begins as ASCII, as UTF-8: the first bytes beyond ASCII decide what they, and all that follow, are.
 * @param onFound is called before the first converted byte is returned
 */
export async function* decideLate(
  source: QueueSource,
  onFound: (encoding: 'windows-1252') => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const parts = source[Symbol.asyncIterator]()
  const rest = { [Symbol.asyncIterator]: () => parts }
  for await (const part of rest) {
    if (isAscii(part)) {
      yield part
      continue
    }
    const start = part.findIndex(byte => byte >= 0x80)
    const ahead = [part]
    let isEnd = false
    for (let length = part.length - start; length < sampleBytes && !isEnd; ) {
      const { done = false, value } = await parts.next()
      if (done) isEnd = true
      else {
        ahead.push(value)
        length += value.length
      }
    }
    const bytes = Buffer.concat(ahead)
    const sample = bytes.subarray(start, start + sampleBytes)
    // At the end of a text nothing follows a letter.
    const isOther = isLatin(isEnd ? Buffer.concat([sample, Buffer.of(0x0a)]) : sample)
    if (isOther) onFound('windows-1252')
    const all = chain(bytes, parts)
    yield* isOther ? decodeToUtf8(all, 'windows-1252') : all
    return
  }
}

async function* chain(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield first
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Text of another encoding as UTF-8, without its byte order mark; what it has no character for becomes U+FFFD. */
export async function* decodeToUtf8(
  source: QueueSource,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder(encoding)
  for await (const part of source) {
    const text = decoder.decode(part, { stream: true })
    if (text !== '') yield Buffer.from(text)
  }
  const rest = decoder.decode()
  if (rest !== '') yield Buffer.from(rest)
}

/** Bytes of a byte order mark of UTF-8 at the start of a text. */
export const bomBytes = ([first, second, third]: Uint8Array): number =>
  first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
