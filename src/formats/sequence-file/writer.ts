import { Buffer } from 'node:buffer'
import { magic, syncBytes, version } from './layout.ts'
import { defaultPacking, type Packing } from './packing.ts'
import { encodeVint } from './vint.ts'

/** Hadoop's `io.seqfile.compress.blocksize`: keys and values of a block before it is cut. */
export const defaultBlockBytes = 1_000_000

/** Most raw bytes of a block: what lengths of 32 bits can say. */
const maxBlockBytes = 0x7fff_ffff

export type SequenceFileOptions = {
  readonly keyClass: string
  readonly valueClass: string
  /** 16 bytes that are unlikely to occur in data: random ones. RangeError for another length. */
  readonly sync: Uint8Array
  /** A block is cut as soon as it holds this many bytes. @default 1_000_000 */
  readonly blockBytes?: number | undefined
  /** How the buffers of a block are compressed. @default DefaultCodec */
  readonly packing?: Packing | undefined
}

/** Builds one sequence file in memory. */
export type SequenceFileWriter = {
  /** Adds a record; the bytes are kept until the block ends and must not change before. */
  append(key: Uint8Array, value: Uint8Array): void
  /** Ends the block, so that the next record begins a new one. An empty block is never written. */
  endBlock(): void
  /** The whole file; without records it is a header only. Nothing can be added afterwards. */
  finish(): Uint8Array
}

/** Starts a sequence file; the layout is in `layout.ts`. */
export const createSequenceFileWriter = (options: SequenceFileOptions): SequenceFileWriter => {
  const { keyClass, valueClass, sync, blockBytes = defaultBlockBytes, packing = defaultPacking } = options
  if (sync.length !== syncBytes)
    throw new RangeError(`Cannot use a sync mark of ${sync.length} bytes: expected ${syncBytes}`)
  const parts = [magic, Uint8Array.of(version), ...text(keyClass), ...text(valueClass), Uint8Array.of(1, 1)]
  parts.push(...text(packing.codecClass), new Uint8Array(4), sync)
  let keys: Uint8Array[] = []
  let values: Uint8Array[] = []
  let held = 0
  let isFinished = false

  const endBlock = (): void => {
    if (keys.length === 0) return
    parts.push(blockMark, sync, encodeVint(keys.length))
    for (const buffer of [keys.map(toLength), keys, values.map(toLength), values]) {
      const compressed = packing.compress(Buffer.concat(buffer))
      parts.push(encodeVint(compressed.length), compressed)
    }
    keys = []
    values = []
    held = 0
  }

  return {
    append(key, value) {
      if (isFinished) throw new TypeError('Cannot append to a sequence file: it is finished')
      const size = key.length + value.length
      if (size > maxBlockBytes)
        throw new RangeError(`Cannot append a record of ${size} bytes: ${maxBlockBytes} at most`)
      if (held + size > maxBlockBytes) endBlock()
      keys.push(key)
      values.push(value)
      held += size
      if (held >= blockBytes) endBlock()
    },
    endBlock,
    finish() {
      endBlock()
      isFinished = true
      return Buffer.concat(parts)
    },
  }
}

/** Before the sync mark of every block; where a record of other files would have its length. */
const blockMark = Uint8Array.of(0xff, 0xff, 0xff, 0xff)

const text = (value: string): Uint8Array[] => {
  const bytes = new TextEncoder().encode(value)
  return [encodeVint(bytes.length), bytes]
}

const toLength = (bytes: Uint8Array): Uint8Array => encodeVint(bytes.length)
