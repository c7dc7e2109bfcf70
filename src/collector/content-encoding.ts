/** Undoes `Content-Encoding` (RFC 9110 §8.4) with the size bounded while inflating, not afterwards. */
import {
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib'
import { GrowingBytes } from '../bytes/growing-bytes.ts'
import { SluiceError } from '../errors.ts'

/** Codings applied one after another; more are made to cost. */
export const maxStackedEncodings = 2

/** Small bodies inflate at once: a thread's round trip takes longer than the work. */
const maxSyncInputBytes = 16 * 1024
const maxSyncOutputBytes = 256 * 1024
/** One step of a long body on a thread of the pool. */
const chunkBytes = 64 * 1024

/** One coding that a client may name. */
export type Encoding = keyof typeof inflaters

const inflaters = {
  gzip: { sync: gunzipSync, stream: createGunzip },
  deflate: { sync: inflateSync, stream: createInflate },
  // What some clients send under the name of deflate: no zlib header. Told apart by its first bytes.
  'raw deflate': { sync: inflateRawSync, stream: createInflateRaw },
  zstd: { sync: zstdDecompressSync, stream: createZstdDecompress },
}

/** What inflating may take, and who is told of every byte before it is kept. */
export type InflateLimits = {
  readonly maxBytes: number
  /** @throws SluiceError `overloaded` */
  readonly addBytes: (bytes: number) => void
}

/**
 * The codings of a header, in the order they were applied; `identity` is left out.
 * @throws SluiceError `unsupported-media-type`: an unknown coding, or more than two
 */
export const parseContentEncoding = (header: string | undefined): readonly Encoding[] => {
  if (header === undefined || header === '') return none
  const encodings: Encoding[] = []
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
  encodings: readonly Encoding[],
  limits: InflateLimits,
): Promise<Uint8Array> => {
  let bytes = body
  for (const encoding of encodings.toReversed()) bytes = await inflate(bytes, encoding, limits)
  return bytes
}

const none: readonly Encoding[] = []

const toEncoding = (name: string): Encoding => {
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

const inflate = async (bytes: Uint8Array, named: Encoding, limits: InflateLimits): Promise<Uint8Array> => {
  const encoding = named === 'deflate' && !hasZlibHeader(bytes) ? 'raw deflate' : named
  const inflated = inflateAtOnce(bytes, encoding, limits)
  if (inflated === undefined) return inflateInSteps(bytes, encoding, limits)
  limits.addBytes(inflated.length)
  return inflated
}

/** Undefined when the body is not small. */
const inflateAtOnce = (bytes: Uint8Array, encoding: Encoding, limits: InflateLimits): Uint8Array | undefined => {
  if (bytes.length > maxSyncInputBytes) return undefined
  try {
    return inflaters[encoding].sync(bytes, { maxOutputLength: Math.min(maxSyncOutputBytes, limits.maxBytes) })
  } catch (error) {
    if (isCode(error, 'ERR_BUFFER_TOO_LARGE')) return undefined
    throw damaged(encoding, error)
  }
}

const inflateInSteps = async (bytes: Uint8Array, encoding: Encoding, limits: InflateLimits): Promise<Uint8Array> => {
  const inflater = inflaters[encoding].stream({ chunkSize: chunkBytes })
  inflater.end(bytes)
  const inflated = new GrowingBytes(limits.maxBytes)
  try {
    for await (const chunk of inflater as AsyncIterable<Uint8Array>) {
      if (inflated.length + chunk.length > limits.maxBytes) {
        throw new SluiceError('too-large', `The ${encoding} body inflates to more than ${limits.maxBytes} bytes`)
      }
      limits.addBytes(chunk.length)
      inflated.append(chunk)
      release(chunk)
    }
  } catch (error) {
    throw error instanceof SluiceError ? error : damaged(encoding, error)
  }
  return inflated.bytes()
}

/** Memory of a piece that fills it is nobody else's any more, and need not wait for the collector of garbage. */
const release = ({ buffer, length }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** RFC 1950: method 8, and a header that is a multiple of 31. */
const hasZlibHeader = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

const damaged = (encoding: Encoding, cause: unknown): SluiceError =>
  new SluiceError('bad-request', `The body is not a complete ${encoding} stream`, { cause })

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
