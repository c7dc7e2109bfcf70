/**
 * One block of a bzip2 stream, bit by bit, most significant first:
 *
 *     magic:48 crc:32 randomised:1 origin:24
 *     ranges:16 ( used:16 )*                  which byte values occur
 *     tables:3 selectors:15 selector*         a unary number each, move-to-front; one for every 50 symbols
 *     ( start:5 ( 1 delta:1 )* 0 … )*         code lengths of each table
 *     symbol*                                 Huffman codes up to the end-of-block symbol
 *
 * Symbols are runs of zeros and move-to-front positions; undone, they are the last column of a Burrows-Wheeler
 * transform, and that one's text has runs of four equal bytes followed by a count. For randomised ones see `bzip2-random.ts`.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { RandomBits } from './bzip2-random.ts'

/** Most bytes that a block can take: 900 000 symbols of 17 bits, and the tables before them. */
export const maxBlockBytes = 2_000_000

const maxCodeLength = 20
const symbolsPerSelector = 50
const minTables = 2
const maxTables = 6
const outputBytes = 256 * 1024

/** Reads bits of bytes from a given one on. Beyond the end there are zeros; `isBeyond` shows that. */
export class BitReader {
  readonly #bytes: Uint8Array
  /** In bits. */
  position: number

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes
    this.position = position
  }

  get isBeyond(): boolean {
    return this.position > 8 * this.#bytes.length
  }

  /** The next bits without taking them, at most 24. */
  peek(count: number): number {
    const at = this.position >>> 3
    const bytes = this.#bytes
    const word =
      ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
    return (word << (this.position & 7)) >>> (32 - count)
  }

  /** Takes at most 24 bits. */
  bits(count: number): number {
    const value = this.peek(count)
    this.position += count
    return value
  }

  /** The byte that holds the next bit. */
  get byte(): number {
    return this.position >>> 3
  }
}

/** What a block unfolds into, in pieces, and its checksum as stored. */
export type Bzip2Block = { readonly crc: number; readonly output: Generator<Buffer, number, undefined> }

/**
 * Reads a block after its magic number.
 * @param base offset of the reader's first byte, for errors
 * @throws FormatError `bzip2`: cut short or damaged
 */
export const readBlock = (reader: BitReader, blockSize: number, base: number): Bzip2Block => {
  const fault = (message: string): FormatError => new FormatError('bzip2', base + reader.byte, message)
  const crc = ((reader.bits(16) << 16) | reader.bits(16)) >>> 0
  const random = reader.bits(1) === 1 ? new RandomBits() : undefined
  const origin = reader.bits(24)
  const used = readUsed(reader)
  if (used.length === 0) throw fault('expected a block that has byte values')
  const tableCount = reader.bits(3)
  if (tableCount < minTables || tableCount > maxTables) throw fault(`expected 2 to 6 tables, found ${tableCount}`)
  const selectors = readSelectors(reader, tableCount, fault)
  const tables = Array.from({ length: tableCount }, () => readTable(reader, used.length + 2, fault))
  const links = readSymbols(reader, { used, selectors, tables, blockSize, fault })
  if (reader.isBeyond) throw fault('expected the rest of a block, found the end')
  if (origin >= links.length) throw fault(`expected an origin within ${links.length} bytes, found ${origin}`)
  link(links)
  return { crc, output: unfold(links, origin, random) }
}

const readUsed = (reader: BitReader): Uint8Array => {
  const ranges = reader.bits(16)
  const used: number[] = []
  for (let i = 0; i < 16; i++) {
    if ((ranges & (0x8000 >> i)) === 0) continue
    const values = reader.bits(16)
    for (let j = 0; j < 16; j++) if ((values & (0x8000 >> j)) !== 0) used.push(16 * i + j)
  }
  return Uint8Array.from(used)
}

const readSelectors = (reader: BitReader, tableCount: number, fault: (message: string) => FormatError): Uint8Array => {
  const count = reader.bits(15)
  if (count === 0) throw fault('expected a selector')
  const selectors = new Uint8Array(count)
  const order = Array.from({ length: tableCount }, (_, i) => i)
  for (let i = 0; i < count; i++) {
    let position = 0
    while (reader.bits(1) === 1) {
      position++
      if (position >= tableCount) throw fault(`expected a selector below ${tableCount}`)
    }
    const [table = 0] = order.splice(position, 1)
    order.unshift(table)
    selectors[i] = table
  }
  return selectors
}

/** Canonical Huffman codes: for each length the last code of that length, and where its symbols begin. */
type Table = {
  readonly limit: Int32Array
  readonly base: Int32Array
  readonly symbols: Uint16Array
  readonly min: number
}

const readTable = (reader: BitReader, size: number, fault: (message: string) => FormatError): Table => {
  const lengths = new Uint8Array(size)
  let length = reader.bits(5)
  for (let i = 0; i < size; i++) {
    for (;;) {
      if (length < 1 || length > maxCodeLength) throw fault(`expected a code of 1 to ${maxCodeLength} bits`)
      if (reader.bits(1) === 0) break
      length += reader.bits(1) === 0 ? 1 : -1
    }
    lengths[i] = length
  }
  const symbols = new Uint16Array(size)
  const limit = new Int32Array(maxCodeLength + 2).fill(-1)
  const base = new Int32Array(maxCodeLength + 2)
  let code = 0
  let at = 0
  let min = 0
  for (let bits = 1; bits <= maxCodeLength; bits++) {
    base[bits] = at - code
    for (let symbol = 0; symbol < size; symbol++) {
      if (lengths[symbol] !== bits) continue
      symbols[at++] = symbol
      code++
      min ||= bits
    }
    if (code > 1 << bits) throw fault('expected codes that fit their lengths')
    limit[bits] = code - 1
    code <<= 1
  }
  return { limit, base, symbols, min }
}

type SymbolContext = {
  readonly used: Uint8Array
  readonly selectors: Uint8Array
  readonly tables: readonly Table[]
  readonly blockSize: number
  readonly fault: (message: string) => FormatError
}

/** The last column of the transform, a byte in each word. */
const readSymbols = (reader: BitReader, context: SymbolContext): Uint32Array => {
  const { used, selectors, tables, blockSize, fault } = context
  const column = new Uint32Array(blockSize)
  const order = Uint8Array.from(used)
  const endOfBlock = used.length + 1
  let count = 0
  let run = 0
  let weight = 1
  for (let group = 0; group < selectors.length; group++) {
    const table = tables[selectors[group] ?? 0]
    if (table === undefined || reader.isBeyond) break
    for (let i = 0; i < symbolsPerSelector; i++) {
      const symbol = readSymbol(reader, table)
      if (symbol < 0) throw fault('expected a known code')
      if (symbol < 2) {
        run += weight << symbol
        weight <<= 1
        if (run > blockSize - count) throw fault(`expected at most ${blockSize} bytes in a block`)
        continue
      }
      if (run > 0) {
        column.fill(order[0] ?? 0, count, count + run)
        count += run
        run = 0
        weight = 1
      }
      if (symbol === endOfBlock) return column.subarray(0, count)
      if (count === blockSize) throw fault(`expected at most ${blockSize} bytes in a block`)
      const position = symbol - 1
      const byte = order[position] ?? 0
      order.copyWithin(1, 0, position)
      order[0] = byte
      column[count++] = byte
    }
  }
  throw fault('expected the end of the block')
}

const readSymbol = (reader: BitReader, { limit, base, symbols, min }: Table): number => {
  const word = reader.peek(maxCodeLength)
  for (let bits = min; bits <= maxCodeLength; bits++) {
    const code = word >>> (maxCodeLength - bits)
    if (code > (limit[bits] ?? -1)) continue
    reader.position += bits
    return symbols[code + (base[bits] ?? 0)] ?? -1
  }
  return -1
}

/** Puts the way back through the transform into the upper 24 bits of each word. */
const link = (links: Uint32Array): void => {
  const next = new Uint32Array(257)
  for (let i = 0; i < links.length; i++) {
    const after = ((links[i] ?? 0) & 0xff) + 1
    next[after] = (next[after] ?? 0) + 1
  }
  for (let byte = 1; byte <= 256; byte++) next[byte] = (next[byte] ?? 0) + (next[byte - 1] ?? 0)
  for (let i = 0; i < links.length; i++) {
    const byte = (links[i] ?? 0) & 0xff
    const at = next[byte] ?? 0
    next[byte] = at + 1
    links[at] = (links[at] ?? 0) | (i << 8)
  }
}

/** Yields the text; returns its checksum. */
function* unfold(
  links: Uint32Array,
  origin: number,
  random: RandomBits | undefined,
): Generator<Buffer, number, undefined> {
  let crc = 0xffff_ffff
  let out = Buffer.allocUnsafeSlow(outputBytes)
  let to = 0
  let at = (links[origin] ?? 0) >>> 8
  let run = 0
  let last = -1
  let turned = random ? random.next() : -1
  for (let i = 0; i < links.length; i++) {
    const word = links[at] ?? 0
    at = word >>> 8
    let byte = word & 0xff
    if (random && i === turned) {
      byte ^= 1
      turned = random.next()
    }
    let times = 1
    if (run === 4) {
      times = byte
      run = 0
    } else {
      run = byte === last ? run + 1 : 1
      last = byte
    }
    // The text may end, and a run of 255 may occur, anywhere: space for one is kept.
    if (to + 256 > outputBytes) {
      yield out.subarray(0, to)
      out = Buffer.allocUnsafeSlow(outputBytes)
      to = 0
    }
    for (let j = 0; j < times; j++) {
      out[to++] = last
      crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ last] ?? 0)
    }
    if (times === 0 || run === 0) last = -1
  }
  if (to > 0) yield out.subarray(0, to)
  return ~crc >>> 0
}

/** CRC-32 of bzip2: polynomial 04C11DB7, most significant bit first. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc >>> 0
})
