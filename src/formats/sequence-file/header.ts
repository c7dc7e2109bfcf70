import { FormatError } from '../../errors.ts'
import { defaultCodecClass, magic, version as newestVersion, syncBytes } from './layout.ts'
import { readVint } from './vint.ts'

/** Longest class name and metadata text, in bytes. */
const maxTextBytes = 65_536

/** Most bytes of a header: a class name has a hundred, and metadata some hundreds. */
export const maxHeaderBytes = 1024 * 1024

/** What a sequence file says of itself. */
export type SequenceFileHeader = {
  readonly version: number
  readonly keyClass: string
  readonly valueClass: string
  readonly compression: 'none' | 'record' | 'block'
  /** Absent without compression. */
  readonly codecClass?: string
  readonly metadata: ReadonlyMap<string, string>
  /** Absent in version 1. */
  readonly sync?: Uint8Array
  /** Offset of the first record or block. */
  readonly end: number
}

/** Whether a file begins as a sequence file of a known version does. */
export const isSequenceFile = (head: Uint8Array): boolean => {
  const [, , , version = 0] = head
  return magic.every((byte, i) => head[i] === byte) && version >= 1 && version <= newestVersion
}

/**
 * Reads the header of a file as `layout.ts` has it; the newest layout of each version is what Hadoop's own reader takes.
 * @throws FormatError `sequence file`: cut short, another magic or version, or a text longer than 65 536 bytes
 */
export const readSequenceFileHeader = (bytes: Uint8Array): SequenceFileHeader => {
  if (magic.some((byte, i) => bytes[i] !== byte)) throw fault(0, 'expected "SEQ"')
  const version = bytes[3] ?? 0
  if (version < 1 || version > newestVersion) {
    throw fault(3, `expected version 1 to ${newestVersion}, found ${bytes[3] ?? 'the end'}`)
  }
  const readName = version < 4 ? readShortText : readText
  const key = readName(bytes, 4)
  const value = readName(bytes, key.end)
  let end = value.end
  const flag = (from: number, what: string): boolean => version >= from && takeFlag(bytes, end++, what)
  const isCompressed = flag(3, 'the flag of compression')
  const isInBlocks = flag(4, 'the flag of blocks')
  let codecClass = defaultCodecClass
  if (isCompressed && version >= 5) {
    const codec = readText(bytes, end)
    codecClass = codec.text
    end = codec.end
  }
  const metadata = new Map<string, string>()
  if (version >= 6) end = readMetadata(bytes, end, metadata)
  // A copy: the header is needed for longer than the bytes it was read from.
  const sync = version >= 2 ? new Uint8Array(take(bytes, end, syncBytes, 'the sync mark')) : undefined
  return {
    version,
    keyClass: key.text,
    valueClass: value.text,
    compression: isCompressed ? (isInBlocks ? 'block' : 'record') : 'none',
    ...(isCompressed ? { codecClass } : {}),
    metadata,
    ...(sync ? { sync } : {}),
    end: end + (sync?.length ?? 0),
  }
}

type Text = { readonly text: string; readonly end: number }

const readText = (bytes: Uint8Array, at: number): Text => {
  const { value: length, end } = readVint(bytes, at)
  if (length < 0 || length > maxTextBytes) {
    throw fault(at, `expected a text of at most ${maxTextBytes} bytes, found ${length}`)
  }
  return { text: decoder.decode(take(bytes, end, length, 'a text')), end: end + length }
}

const readShortText = (bytes: Uint8Array, at: number): Text => {
  const [high = 0, low = 0] = take(bytes, at, 2, 'the length of a text')
  const length = (high << 8) | low
  return { text: decoder.decode(take(bytes, at + 2, length, 'a text')), end: at + 2 + length }
}

const readMetadata = (bytes: Uint8Array, at: number, metadata: Map<string, string>): number => {
  const count = take(bytes, at, 4, 'the count of metadata')
  let end = at + 4
  // Each pair takes two bytes or more, so the end of the bytes bounds this loop.
  for (let left = new DataView(count.buffer, count.byteOffset).getInt32(0); left > 0; left--) {
    const key = readText(bytes, end)
    const value = readText(bytes, key.end)
    metadata.set(key.text, value.text)
    end = value.end
  }
  return end
}

const takeFlag = (bytes: Uint8Array, at: number, what: string): boolean => take(bytes, at, 1, what)[0] !== 0

const take = (bytes: Uint8Array, at: number, size: number, what: string): Uint8Array => {
  if (size > bytes.length - at) throw fault(at, `expected ${what} of ${size} bytes, found ${bytes.length - at}`)
  return bytes.subarray(at, at + size)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const fault = (at: number, message: string): FormatError => new FormatError('sequence file', at, message)
