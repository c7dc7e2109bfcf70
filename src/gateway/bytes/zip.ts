/**
 * A zip archive as of PKWARE's APPNOTE 6.3, written while its files are read: a file's checksum and sizes follow it.
 *
 *     archive   entry* central* [end64 locator] end
 *     entry     local header, name, extra | content, deflated | descriptor: sum, sizes
 *     central   central header, name, extra: the same with sum, sizes, and where the entry is
 *
 * Sizes and places from 4 GiB on, and more than 65 534 entries, are written as ZIP64 fields. Names are UTF-8; times are
 * in UTC, and repeated exactly in the extra field `UT`.
 */
import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { SluiceError } from '../../errors.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import type { ArchiveFormat } from './archive.ts'

const max16 = 0xffff
const max32 = 0xffff_ffff

/** From this length on the sizes after a file have eight bytes: deflated it may become a little longer. */
const bigFileBytes = 0xf000_0000

/** What must be remembered of all entries until the end, some 100 bytes and twice the name for each. */
const maxCentralBytes = 256 * 1024 * 1024

const version = { made: (3 << 8) | 45, needed: 20, needed64: 45 }
const flags = { utf8: 0x800, sizesBehind: 0x8 }
const method = { stored: 0, deflated: 8 }

type Entry = {
  readonly name: Uint8Array
  readonly status: FileStatus
  /** Where its local header is. */
  readonly offset: number
  readonly isBig: boolean
}

type Sizes = { readonly sum: number; readonly packed: number; readonly length: number }

/** @param maxBytes of what is remembered; beyond, a file throws SluiceError `too-large` */
export const createZip = (maxBytes = maxCentralBytes): ArchiveFormat => {
  const central: Uint8Array[] = []
  let centralBytes = 0
  let offset = 0
  const count = (bytes: Uint8Array): Uint8Array => {
    offset += bytes.length
    return bytes
  }
  const open = (name: string, status: FileStatus): Entry => ({
    name: Buffer.from(status.isDirectory ? `${name}/` : name),
    status,
    offset,
    isBig: status.length >= bigFileBytes,
  })
  const remember = (entry: Entry, sizes: Sizes): void => {
    const header = toCentralHeader(entry, sizes)
    centralBytes += header.length
    if (centralBytes > maxBytes) {
      throw new SluiceError(
        'too-large',
        `A zip archive can have no more than ${central.length} of these files; tar can`,
      )
    }
    central.push(header)
  }

  return {
    extension: 'zip',
    mediaType: 'application/zip',
    directory: (name, status) => {
      const entry = open(name, status)
      remember(entry, nothing)
      return count(toLocalHeader(entry))
    },
    async *file(name, status, bytes) {
      const entry = open(name, status)
      yield count(toLocalHeader(entry))
      let [sum, length] = [0, 0]
      const start = offset
      const counted = async function* () {
        for await (const chunk of bytes) {
          sum = crc32(chunk, sum)
          length += chunk.length
          yield chunk
        }
      }
      const packed: ReadableStream<Uint8Array> = ReadableStream.from(counted()).pipeThrough(
        new CompressionStream('deflate-raw'),
      )
      for await (const chunk of packed) yield count(chunk)
      const sizes = { sum, packed: offset - start, length }
      yield count(toDescriptor(entry, sizes))
      remember(entry, sizes)
    },
    *end() {
      yield* central
      yield toEnd(central.length, centralBytes, offset)
    },
  }
}

const nothing: Sizes = { sum: 0, packed: 0, length: 0 }

type Field = readonly [bytes: 2 | 4 | 8, value: number]

/** Numbers one after another, little-endian. */
const pack = (...fields: readonly Field[]): Buffer => {
  const packed = Buffer.alloc(fields.reduce((total, [bytes]) => total + bytes, 0))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 8) packed.writeBigUInt64LE(BigInt(value), at)
    else packed.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return packed
}

/** The common part of an entry's two headers. */
const toCommon = ({ status, isBig }: Entry): readonly Field[] => {
  const { day, time } = toDosTime(status.modificationTime)
  return [
    [2, isBig ? version.needed64 : version.needed],
    [2, flags.utf8 | (status.isDirectory ? 0 : flags.sizesBehind)],
    [2, status.isDirectory ? method.stored : method.deflated],
    [2, time],
    [2, day],
  ]
}

const toLocalHeader = (entry: Entry): Uint8Array => {
  const { name, isBig } = entry
  const size = isBig ? max32 : 0
  const big = isBig ? pack([2, 1], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0)
  const extra = Buffer.concat([big, toExactTime(entry)])
  const header = pack(
    [4, 0x04034b50],
    ...toCommon(entry),
    [4, 0],
    [4, size],
    [4, size],
    [2, name.length],
    [2, extra.length],
  )
  return Buffer.concat([header, name, extra])
}

const toDescriptor = ({ isBig }: Entry, { sum, packed, length }: Sizes): Uint8Array => {
  const bytes = isBig ? 8 : 4
  return pack([4, 0x08074b50], [4, sum], [bytes, packed], [bytes, length])
}

const toCentralHeader = (entry: Entry, { sum, packed, length }: Sizes): Uint8Array => {
  const { name, status, offset } = entry
  // Values that do not fit there go into the extra field, in this order.
  const big = [length, packed, offset].filter(value => value >= max32)
  const big64 = big.map((value): Field => [8, value])
  const extra = Buffer.concat([
    big.length === 0 ? Buffer.alloc(0) : pack([2, 1], [2, 8 * big.length], ...big64),
    toExactTime(entry),
  ])
  const mode = (status.isDirectory ? 0o40000 : 0o100000) | status.permission
  const header = pack(
    [4, 0x02014b50],
    [2, version.made],
    ...toCommon({ ...entry, isBig: entry.isBig || big.length > 0 }),
    [4, sum],
    [4, Math.min(packed, max32)],
    [4, Math.min(length, max32)],
    [2, name.length],
    [2, extra.length],
    [2, 0], // comment
    [2, 0], // disk
    [2, 0], // of what kind it is inside
    [2, status.isDirectory ? 0x10 : 0],
    [2, mode],
    [4, Math.min(offset, max32)],
  )
  return Buffer.concat([header, name, extra])
}

const toEnd = (entries: number, bytes: number, offset: number): Uint8Array => {
  const isBig = entries >= max16 || bytes >= max32 || offset >= max32
  const end64 = isBig
    ? pack(
        [4, 0x06064b50],
        [8, 44], // what follows
        [2, version.made],
        [2, version.needed64],
        [4, 0],
        [4, 0],
        [8, entries],
        [8, entries],
        [8, bytes],
        [8, offset],
        // Where it is.
        [4, 0x07064b50],
        [4, 0],
        [8, offset + bytes],
        [4, 1],
      )
    : Buffer.alloc(0)
  const shown = Math.min(entries, max16)
  const end = pack(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, shown],
    [2, shown],
    [4, Math.min(bytes, max32)],
    [4, Math.min(offset, max32)],
    [2, 0],
  )
  return Buffer.concat([end64, end])
}

/** Two seconds exact, from 1980 to 2107. */
const toDosTime = (ms: number): { readonly day: number; readonly time: number } => {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0)), Date.UTC(2107, 11, 31)))
  return {
    day: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  }
}

/** The extra field `UT`: seconds since the epoch. */
const toExactTime = ({ status }: Entry): Uint8Array => {
  const seconds = Math.min(Math.max(0, Math.floor(status.modificationTime / 1000)), 0x7fff_ffff)
  return Buffer.concat([pack([2, 0x5455], [2, 5]), Buffer.from([1]), pack([4, seconds])])
}
