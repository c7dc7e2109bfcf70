import { isUtf8 } from 'node:buffer'
import { GrowingBytes } from '../../bytes/growing-bytes.ts'
import { SluiceError } from '../../errors.ts'
import type { WorkTurns } from '../work-turns.ts'

/** A JSON body as UTF-8, and as the text to parse. */
export type JsonText = {
  /** Without a byte order mark. */
  readonly bytes: Buffer
  readonly text: string
  /**
   * False when the bytes are not valid UTF-8: `text` then has one character per byte, which preserves the structure of
   * JSON, so that undamaged events can still be found.
   */
  readonly isUtf8: boolean
}

/**
 * Finds the encoding by byte order mark, else by the zeros of the first character (RFC 4627 §3).
 * @throws SluiceError `bad-event`: malformed UTF-16 or UTF-32
 */
export const decodeJsonText = (body: Uint8Array): JsonText => {
  const encoding = detectEncoding(body)
  if (encoding !== 'utf-8')
    return fromText(encoding.startsWith('utf-32') ? utf32(body, encoding) : utf16(body, encoding))
  const bytes = asBuffer(hasUtf8Mark(body) ? body.subarray(3) : body)
  const valid = isUtf8(bytes)
  return { bytes, text: bytes.toString(valid ? 'utf8' : 'latin1'), isUtf8: valid }
}

/**
 * A long body as UTF-8 without a byte order mark, in turns; the same memory if it is UTF-8, or of no other encoding.
 * @param addBytes accounts for all memory that this takes
 * @throws SluiceError `bad-event`: malformed UTF-16 or UTF-32
 */
export const toUtf8Json = async (
  body: Uint8Array,
  turns: WorkTurns,
  addBytes: (bytes: number) => void,
): Promise<Buffer> => {
  const encoding = detectEncoding(body)
  if (encoding === 'utf-8') return asBuffer(hasUtf8Mark(body) ? body.subarray(3) : body)
  const most = 2 * body.length
  const made = new GrowingBytes(most)
  const decode = createDecoder(encoding)
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = Buffer.from(decode(body.subarray(at, at + pieceBytes), at + pieceBytes >= body.length))
    addBytes(piece.length)
    made.append(piece)
    if (turns.isOver()) await turns.next()
  }
  return made.bytes()
}

/** A multiple of 4. */
const pieceBytes = 512 * 1024

const createDecoder = (encoding: Exclude<Encoding, 'utf-8'>): ((piece: Uint8Array, isLast: boolean) => string) => {
  let done = 0
  if (encoding.startsWith('utf-32')) {
    return piece => {
      done += piece.length
      return utf32(piece, encoding, done - piece.length)
    }
  }
  const decoder = new TextDecoder(encoding, { fatal: true })
  return (piece, isLast) => {
    try {
      return decoder.decode(piece, { stream: !isLast })
    } catch (cause) {
      throw malformed(encoding, cause)
    }
  }
}

/** The same memory as a `Buffer`, whose decoders are the fast ones. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'

const detectEncoding = (bytes: Uint8Array): Encoding => {
  // By index: an iterator over typed arrays costs more than all that follows.
  const { 0: a = 1, 1: b = 1, 2: c = 1, 3: d = 1 } = bytes
  if (a === 0 && b === 0) return 'utf-32be'
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0) return 'utf-16be'
  if (b === 0) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le'
  return 'utf-8'
}

const hasUtf8Mark = ({ 0: a, 1: b, 2: c }: Uint8Array): boolean => a === 0xef && b === 0xbb && c === 0xbf

const fromText = (text: string): JsonText => ({ bytes: Buffer.from(text, 'utf8'), text, isUtf8: true })

const utf16 = (body: Uint8Array, encoding: Encoding): string => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body)
  } catch (cause) {
    throw malformed(encoding, cause)
  }
}

const malformed = (encoding: Encoding, cause: unknown): SluiceError =>
  new SluiceError('bad-event', `The body is not well-formed ${encoding} text`, { cause })

/** @param offset of the bytes in the body */
const utf32 = (body: Uint8Array, encoding: Encoding, offset = 0): string => {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  const pieces: string[] = []
  for (let at = 0; at < body.length; at += 4) {
    const point = at + 4 <= body.length ? view.getUint32(at, encoding === 'utf-32le') : undefined
    if (point === undefined || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      throw new SluiceError(
        'bad-event',
        `The body is not well-formed ${encoding} text: no character at byte ${offset + at}`,
      )
    }
    if (offset + at > 0 || point !== byteOrderMark) pieces.push(String.fromCodePoint(point))
  }
  return pieces.join('')
}

const byteOrderMark = 0xfeff

/** Whether it is one JSON value, however large its numbers. */
export const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
