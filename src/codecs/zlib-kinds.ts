import { Buffer } from 'node:buffer'
import type { Transform } from 'node:stream'
import zlib, { type Zlib, type ZlibReset } from 'node:zlib'
import { FormatError } from '../errors.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import { checkPadding } from './frames.ts'

/** One of Node's decompressors. Not all are declared to have `reset`. */
export type ZlibStream = Transform & Zlib & Partial<ZlibReset>

export type ZlibOptions = {
  readonly maxOutputLength: number
  readonly chunkSize?: number
  readonly finishFlush?: number
}

/** What Node decompresses. It stops after the first stream of a format, except gzip, and silently drops the rest. */
export type ZlibKind = {
  /** As errors call it. */
  readonly format: string
  readonly decodeSync: (bytes: Uint8Array, options: ZlibOptions & { readonly info: true }) => unknown
  readonly createStream: (options?: { readonly chunkSize?: number }) => ZlibStream
  /** The `flush` argument for the end of the input. */
  readonly finish: number
}

const { Z_FINISH, ZSTD_e_end, BROTLI_OPERATION_FINISH } = zlib.constants

export const zlibKinds = {
  gzip: { format: 'gzip', decodeSync: zlib.gunzipSync, createStream: zlib.createGunzip, finish: Z_FINISH },
  deflate: { format: 'deflate', decodeSync: zlib.inflateSync, createStream: zlib.createInflate, finish: Z_FINISH },
  rawDeflate: {
    format: 'raw deflate',
    decodeSync: zlib.inflateRawSync,
    createStream: zlib.createInflateRaw,
    finish: Z_FINISH,
  },
  zstd: {
    format: 'zstd',
    decodeSync: zlib.zstdDecompressSync,
    createStream: zlib.createZstdDecompress,
    finish: ZSTD_e_end,
  },
  brotli: {
    format: 'brotli',
    decodeSync: zlib.brotliDecompressSync,
    createStream: zlib.createBrotliDecompress,
    finish: BROTLI_OPERATION_FINISH,
  },
} satisfies Record<string, ZlibKind>

/** What one stream unfolds into, and how many bytes it took: at least one. */
export type Decoded = { readonly raw: Buffer; readonly taken: number }

/**
 * Decompresses the stream at the start of a buffer, here; of gzip, all members up to the end or to padding.
 * @throws Error at damage, at bytes that end too soon, and for more than `maxOutputLength`
 */
export const decodeFirst = (kind: ZlibKind, bytes: Uint8Array, options: ZlibOptions): Decoded => {
  const found = kind.decodeSync(bytes, { ...options, info: true })
  if (!hasEngine(found) || found.engine.bytesWritten === 0) throw new FormatError(kind.format, 0, 'expected a stream')
  return { raw: found.buffer, taken: found.engine.bytesWritten }
}

const hasEngine = (
  found: unknown,
): found is { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } =>
  typeof found === 'object' && found !== null && 'engine' in found && 'buffer' in found

/** Bytes that are decompressed at once, where a thread's round trip takes longer than the work, */
const maxSmallBytes = 16 * 1024
/** and what they may unfold into. */
const maxSmallOutputBytes = 256 * 1024

/** Decompresses the stream at the start of a buffer when it is small; undefined when it is not, or is damaged. */
export const decodeSmall = (kind: ZlibKind, bytes: Uint8Array, maxBytes = maxSmallOutputBytes): Decoded | undefined => {
  try {
    const maxOutputLength = Math.max(1, Math.min(maxBytes, maxSmallOutputBytes))
    return decodeFirst(kind, bytes.subarray(0, maxSmallBytes), { maxOutputLength })
  } catch {
    return undefined
  }
}

/**
 * Decompresses all streams of a buffer, here.
 * @throws Error at damage (bytes after the end that are neither padding nor a stream included), and for more than
 * `maxBytes`
 */
export const decodeWhole = (kind: ZlibKind, bytes: Uint8Array, options: ZlibOptions): Uint8Array => {
  const first = decodeFirst(kind, bytes, options)
  if (first.taken === bytes.length) return first.raw
  const parts = [first.raw]
  let total = first.raw.length
  let at = first.taken
  while (at < bytes.length && bytes[at] !== 0) {
    const maxOutputLength = Math.max(1, options.maxOutputLength - total)
    const { raw, taken } = decodeFirst(kind, bytes.subarray(at), { ...options, maxOutputLength })
    total += raw.length
    if (total > options.maxOutputLength) throw new RangeError(`more than ${options.maxOutputLength} bytes`)
    parts.push(raw)
    at += taken
  }
  checkPadding(bytes, at, kind.format)
  return Buffer.concat(parts, total)
}

/**
 * Decompresses all streams of a buffer; small ones after the first here, and in turns.
 * @param start where the first stream begins that was not decompressed yet
 * @param add takes what a small stream unfolds into
 * @param decodeLong decompresses the stream at the start of its buffer, and returns how many bytes it took
 * @throws Error as {@link decodeWhole}, and what `add` and `decodeLong` throw
 */
export const decodeStreams = async (
  kind: ZlibKind,
  bytes: Uint8Array,
  start: number,
  add: (raw: Buffer) => void,
  decodeLong: (bytes: Uint8Array) => Promise<number>,
): Promise<void> => {
  let at = start
  for (let streams = 1; at < bytes.length && !(at > 0 && bytes[at] === 0); streams++) {
    const rest = bytes.subarray(at)
    // The first one is long where it was not taken by the caller.
    const small = at > 0 ? decodeSmall(kind, rest) : undefined
    if (small) add(small.raw)
    const taken = small ? small.taken : await decodeLong(rest)
    if (taken === 0) throw new FormatError(kind.format, at, 'expected a stream')
    at += taken
    if (streams % streamsPerTurn === 0) await nextTurn()
  }
  checkPadding(bytes, at, kind.format)
}

/** Small streams that are decompressed in one turn of the event loop: less than a millisecond. */
const streamsPerTurn = 32
