/** Undoes `Content-Encoding` (RFC 9110 §8.4) with the size bounded while inflating, not afterwards. */
import { GrowingBytes } from '../bytes/growing-bytes.ts'
import { type Decoded, decodeFirst, decodeStreams, type ZlibKind, zlibKinds } from '../codecs/zlib-kinds.ts'
import { findWindowFault } from '../codecs/zstd-stream.ts'
import { FormatError, SluiceError } from '../errors.ts'

/** Codings applied one after another; more are made to cost. */
export const maxStackedEncodings = 2

/** Small bodies inflate at once: a thread's round trip takes longer than the work. */
const maxSyncInputBytes = 16 * 1024
const maxSyncOutputBytes = 256 * 1024
/** One step of a long body on a thread of the pool. */
const chunkBytes = 64 * 1024

/** One coding that a client may name. */
export type BodyEncoding = 'gzip' | 'deflate' | 'zstd'

/** Limits of inflating, and the callback that learns of every byte before it is kept. */
export type InflateLimits = {
  readonly maxBytes: number
  /** @throws SluiceError `overloaded` */
  readonly addBytes: (bytes: number) => void
}

/**
 * The codings of a header, in the order they were applied; `identity` is left out.
 * @throws SluiceError `unsupported-media-type`: an unknown coding, or more than two
 */
export const parseContentEncoding = (header: string | undefined): readonly BodyEncoding[] => {
  if (header === undefined || header === '') return none
  const encodings: BodyEncoding[] = []
  for (const part of header.split(',')) {
    const name = part.trim().toLowerCase()
    if (name === '' || name === 'identity') continue
    encodings.push(toEncoding(name))
    if (encodings.length > maxStackedEncodings) {
      throw unsupported(`Content-Encoding names more than ${maxStackedEncodings} codings`)
    }
  }
  return encodings
}

/**
 * The body as it was before its codings.
 * @throws SluiceError `too-large` beyond the limit, `bad-request` when it is damaged, `overloaded`
 */
export const decodeContent = async (
  body: Uint8Array,
  encodings: readonly BodyEncoding[],
  limits: InflateLimits,
): Promise<Uint8Array> => {
  let bytes = body
  for (const encoding of encodings.toReversed()) bytes = await inflate(bytes, encoding, limits)
  return bytes
}

const none: readonly BodyEncoding[] = []

const toEncoding = (name: string): BodyEncoding => {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
    case 'zstd':
      return name
    default:
      throw unsupported(
        `Content-Encoding ${JSON.stringify(name.slice(0, 64))} is not known; expected gzip, deflate, zstd`,
      )
  }
}

const unsupported = (message: string): SluiceError =>
  new SluiceError('unsupported-media-type', message, { headers: { 'accept-encoding': 'gzip, deflate, zstd' } })

const inflate = async (bytes: Uint8Array, encoding: BodyEncoding, limits: InflateLimits): Promise<Uint8Array> => {
  // Some clients send it without the header of zlib under the same name. Its first bytes show which.
  const kind = encoding === 'deflate' && !hasZlibHeader(bytes) ? zlibKinds.rawDeflate : zlibKinds[encoding]
  const first = inflateAtOnce(bytes, kind, limits)
  if (first?.taken !== bytes.length) return inflateStreams(bytes, kind, limits)
  limits.addBytes(first.raw.length)
  return first.raw
}

/** The first stream of a small body; undefined when it is not small. */
const inflateAtOnce = (bytes: Uint8Array, kind: ZlibKind, limits: InflateLimits): Decoded | undefined => {
  if (bytes.length > maxSyncInputBytes) return undefined
  try {
    return decodeFirst(kind, bytes, { maxOutputLength: Math.min(maxSyncOutputBytes, limits.maxBytes) })
  } catch (error) {
    if (isCode(error, 'ERR_BUFFER_TOO_LARGE')) return undefined
    throw damaged(kind, bytes, error)
  }
}

/** A long body, or one of several streams. */
const inflateStreams = async (bytes: Uint8Array, kind: ZlibKind, limits: InflateLimits): Promise<Uint8Array> => {
  const inflated = new GrowingBytes(limits.maxBytes)
  const add = (piece: Uint8Array): void => {
    if (inflated.length + piece.length > limits.maxBytes) {
      throw new SluiceError('too-large', `The ${kind.format} body inflates to more than ${limits.maxBytes} bytes`)
    }
    limits.addBytes(piece.length)
    inflated.append(piece)
  }
  try {
    await decodeStreams(kind, bytes, 0, add, rest => inflateInSteps(rest, kind, add))
  } catch (error) {
    throw error instanceof SluiceError ? error : damaged(kind, bytes, error)
  }
  return inflated.bytes()
}

/** The stream at the start, on threads of the pool; resolves to the bytes that it took. */
const inflateInSteps = async (bytes: Uint8Array, kind: ZlibKind, add: (piece: Uint8Array) => void): Promise<number> => {
  const inflater = kind.createStream({ chunkSize: chunkBytes })
  inflater.end(bytes)
  try {
    for await (const chunk of inflater as AsyncIterable<Uint8Array>) {
      add(chunk)
      release(chunk)
    }
  } catch (error) {
    throw error instanceof SluiceError ? error : damaged(kind, bytes, error)
  }
  return inflater.bytesWritten
}

/** Memory of a piece that fills it is not shared, and need not wait for garbage collection. */
const release = ({ buffer, length }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** RFC 1950: method 8, and a header that is a multiple of 31. */
const hasZlibHeader = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

const damaged = ({ format }: ZlibKind, bytes: Uint8Array, cause: unknown): SluiceError => {
  const window = format === 'zstd' ? findWindowFault(bytes) : undefined
  if (window !== undefined)
    return new SluiceError('bad-request', `The body cannot be decompressed: ${window}`, { cause })
  const message = `The body is not a complete ${format} stream`
  const text = cause instanceof FormatError ? `${message}: ${cause.message}` : message
  return new SluiceError('bad-request', text, { cause })
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
