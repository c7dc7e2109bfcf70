/**
 * The CRC-32C of each of many chunks, as HDFS has them, in WebAssembly: twice as fast as {@link crc32c}, because two chunks
 * are gone through at once, and the look-ups of one do not wait for those of the other.
 *
 *     memory    0        the eight tables of `crc32c.ts`, 8 KiB
 *               8 KiB    chunks, one behind the other; where those that were gone through have been, their sums, four bytes
 *                        each, the first byte being the highest
 *
 *     module    type     (count of pairs, bytes of a chunk) → nothing
 *               memory   of three pages
 *               export   "m": the memory, "f": the function
 *               code     repeat for each pair:
 *                          repeat for each eight bytes: a step of the first chunk, a step of the second
 *                          store both sums
 */
import { crc32c, crc32cTables } from './crc32c.ts'

type Code = readonly number[]

const chunksAt = 8 * 1024
const pageBytes = 64 * 1024
const pages = 3
/** What is gone through at a time. */
const maxBytes = pages * pageBytes - chunksAt

/** A number as LEB128, with and without a sign. */
const signed = (value: number): Code =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)])

/** Instructions, by their names in WebAssembly; all numbers are of 32 bits. */
const getLocal = (local: number): Code => [0x20, local]
const setLocal = (local: number): Code => [0x21, local]
const constant = (value: number): Code => [0x41, ...signed(value | 0)]
const load = (offset: number): Code => [0x28, 0, ...unsigned(offset)]
const store = (offset: number): Code => [0x36, 0, ...unsigned(offset)]
const add: Code = [0x6a]
const subtract: Code = [0x6b]
const and: Code = [0x71]
const or: Code = [0x72]
const xor: Code = [0x73]
const shiftLeft: Code = [0x74]
const shiftRight: Code = [0x76]
const rotateLeft: Code = [0x77]
/** One after the other. */
const sequence = (...codes: readonly Code[]): Code => codes.flat()
/** Does it at least once, and again as long as the local is not 0 when so much has been taken from it. */
const repeat = (local: number, less: number, body: Code): Code =>
  sequence([0x03, 0x40], body, getLocal(local), constant(less), subtract, [0x22, local], [0x0d, 0, 0x0b])

/** The function's parameters, and its locals. */
const [pairs, chunkBytes, left, word, sumAt, firstAt, secondAt, firstCrc, secondCrc] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const localCount = 7

/** The entry for one byte of `word`, which is four bytes long, in the table of those with so many bytes behind them. */
const lookUp = (byte: number, behind: number): Code =>
  sequence(
    getLocal(word),
    byte === 0 ? sequence(constant(2), shiftLeft) : sequence(constant(8 * byte - 2), shiftRight),
    sequence(constant(0x3fc), and, load(behind * 1024)),
  )

/** The entries for four bytes. */
const lookUpWord = (behind: number): Code =>
  sequence(lookUp(0, behind), lookUp(1, behind - 1), xor, lookUp(2, behind - 2), xor, lookUp(3, behind - 3), xor)

/** Eight bytes of one chunk. */
const step = (at: number, crc: number): Code =>
  sequence(
    getLocal(at),
    load(0),
    getLocal(crc),
    xor,
    setLocal(word),
    lookUpWord(7),
    getLocal(at),
    load(4),
    setLocal(word),
    lookUpWord(3),
    xor,
    setLocal(crc),
    getLocal(at),
    constant(8),
    add,
    setLocal(at),
  )

/** Stores what the CRC is when all its bits are turned over, its highest byte first. */
const storeSum = (crc: number, offset: number): Code =>
  sequence(
    getLocal(crc),
    constant(-1),
    xor,
    setLocal(crc),
    getLocal(sumAt),
    getLocal(crc),
    constant(8),
    rotateLeft,
    constant(0x00ff00ff),
    and,
    getLocal(crc),
    constant(24),
    rotateLeft,
    constant(0xff00ff00),
    and,
    or,
    store(offset),
  )

const onePair: Code = sequence(
  constant(-1),
  setLocal(firstCrc),
  constant(-1),
  setLocal(secondCrc),
  getLocal(firstAt),
  getLocal(chunkBytes),
  add,
  setLocal(secondAt),
  getLocal(chunkBytes),
  setLocal(left),
  repeat(left, 8, sequence(step(firstAt, firstCrc), step(secondAt, secondCrc))),
  storeSum(firstCrc, 0),
  storeSum(secondCrc, 4),
  getLocal(sumAt),
  constant(8),
  add,
  setLocal(sumAt),
  getLocal(secondAt),
  setLocal(firstAt),
)

const body: Code = sequence(
  constant(chunksAt),
  setLocal(sumAt),
  constant(chunksAt),
  setLocal(firstAt),
  repeat(pairs, 1, onePair),
)

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content]

const i32 = 0x7f
const code: Code = [1, localCount, i32, ...body, 0x0b]
const moduleBytes = Uint8Array.from(
  sequence(
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 2, i32, i32, 0]),
    section(3, [1, 0]),
    section(5, [1, 0, pages]),
    section(7, [2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0]),
    section(10, [1, ...unsigned(code.length), ...code]),
  ),
)

/** As the module above exports them. */
type Exports = {
  readonly m: { readonly buffer: ArrayBuffer }
  readonly f: (pairs: number, chunkBytes: number) => void
}

/** Made when it is first needed. */
const open = (): { readonly memory: Buffer; readonly go: Exports['f'] } => {
  const { m, f } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes), { env: {} }).exports as Exports
  new Int32Array(m.buffer).set(crc32cTables)
  return { memory: Buffer.from(m.buffer), go: f }
}
let opened: ReturnType<typeof open> | undefined

/** Writes the sums of chunks of `chunkBytes` each into `sums` from `to`, in the order of the network; the last one may be shorter. */
export const crc32cOfChunks = (bytes: Uint8Array, chunkBytesEach: number, sums: Buffer, to = 0): void => {
  let at = 0
  let sumTo = to
  const most = Math.floor(maxBytes / (2 * chunkBytesEach))
  while (chunkBytesEach % 8 === 0 && most > 0) {
    const count = Math.min(Math.floor((bytes.length - at) / (2 * chunkBytesEach)), most)
    if (count === 0) break
    opened ??= open()
    const { memory, go } = opened
    const end = at + count * 2 * chunkBytesEach
    memory.set(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end), chunksAt)
    go(count, chunkBytesEach)
    sumTo += memory.copy(sums, sumTo, chunksAt, chunksAt + count * 8)
    at = end
  }
  for (; at < bytes.length; at += chunkBytesEach) {
    sumTo = sums.writeUInt32BE(crc32c(bytes, at, Math.min(at + chunkBytesEach, bytes.length)), sumTo)
  }
}
