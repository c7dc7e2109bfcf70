/**
 * The CRC-32C of each of many chunks, as HDFS has them, in WebAssembly. A chunk is first folded to its end: where P is
 * the polynomial, a multiple of P with few terms
 *
 *     x^D + x^(D - s1) + … + x^(D - sn)
 *
 * says that a bit can be taken away when the bits s1, …, sn after it are flipped, and so does its eighth power, with
 * the same terms of x^8, of a byte. Sixteen bytes are taken at once: each is the byte there, with the bytes s1, …, sn
 * before it. What is left of the chunk are its last bytes, whose CRC is found by tables; those of two chunks at once,
 * because the look-ups of one do not wait for those of the other.
 *
 *     memory    0        the eight tables of `crc32c.ts`, 8 KiB
 *               8 KiB    chunks, one behind the other; where those that were gone through have been, their sums, four bytes
 *                        each, the first byte being the highest
 *               at the end: what is left of two chunks
 *
 *     module    type     (count of pairs, bytes of a chunk) → nothing
 *               memory   of three pages
 *               export   "m": the memory, "f": the function
 *               code     repeat for each pair:
 *                          fold the first chunk, fold the second
 *                          repeat for each eight bytes that are left: a step of the first, a step of the second
 *                          store both sums
 */
import { crc32c, crc32cTables } from './crc32c.ts'
import { sumsOfChunks } from './sums-of-chunks.ts'

type Code = readonly number[]

/** s1, …, sn: the multiple with ten terms of the lowest degree in which none is below 16. The largest one is the degree. */
const distances = [19, 40, 43, 45, 46, 48, 52, 54, 62] as const
const vectorBytes = 16
/** Vectors before the one that is folded that are needed for it; as many are left at the end of a chunk. */
const vectorsBefore = Math.ceil(Math.max(...distances) / vectorBytes)
const leftBytes = vectorsBefore * vectorBytes

const chunksAt = 8 * 1024
const pages = 3
const leftAt = pages * 64 * 1024 - 2 * leftBytes
/** What is gone through at a time. */
const maxBytes = leftAt - chunksAt

/** A number as LEB128, with and without a sign. */
const signed = (value: number): Code =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)])

/** Instructions, by their names in WebAssembly; numbers are of 32 bits, vectors of 16 bytes. */
const getLocal = (local: number): Code => [0x20, local]
const setLocal = (local: number): Code => [0x21, local]
const constant = (value: number): Code => [0x41, ...signed(value | 0)]
const load = (offset: number): Code => [0x28, 0, ...unsigned(offset)]
const store = (offset: number): Code => [0x36, 0, ...unsigned(offset)]
const loadVector = (offset: number): Code => [0xfd, 0x00, 0, ...unsigned(offset)]
const storeVector = (offset: number): Code => [0xfd, 0x0b, 0, ...unsigned(offset)]
/** The sixteen bytes that begin so far in the first of two vectors. */
const shuffle = (from: number): Code => [0xfd, 0x0d, ...Array.from({ length: vectorBytes }, (_, lane) => from + lane)]
const xorVector: Code = [0xfd, 0x51]
const [add, subtract, and, or, xor] = [[0x6a], [0x6b], [0x71], [0x72], [0x73]] as const
const [shiftLeft, shiftRight, rotateLeft] = [[0x74], [0x76], [0x77]] as const
/** One after the other. */
const sequence = (...codes: readonly Code[]): Code => codes.flat()
/** Does it at least once, and again as long as the local is not 0 when so much has been taken from it. */
const repeat = (local: number, less: number, body: Code): Code =>
  sequence([0x03, 0x40], body, getLocal(local), constant(less), subtract, [0x22, local], [0x0d, 0, 0x0b])
const addTo = (local: number, more: Code): Code => sequence(getLocal(local), more, add, setLocal(local))

/** The function's parameters, and its locals: numbers, then vectors, the first of which is never set. */
const [pairs, chunkBytes, left, word, sumAt, firstAt, at, firstCrc, secondCrc, zero] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
const numberLocals = zero - left
/** The vector `count` before the one that is folded. */
const before = (count: number): number => zero + count

/** The vector that begins `distance` bytes before the folded one; the `gone` vectors before it count as zeros. */
const bytesBefore = (distance: number, gone: number): Code => {
  const count = Math.ceil(distance / vectorBytes)
  const vector = (one: number): Code => getLocal(one <= gone ? zero : before(one - gone))
  const from = count * vectorBytes - distance
  return from === 0 ? vector(count) : sequence(vector(count), vector(count - 1), shuffle(from))
}

/** The vector at an address, folded. */
const fold = (address: Code, offset: number, gone: number): Code =>
  sequence(
    address,
    loadVector(offset),
    // The last one to be known is the last one that is waited for.
    ...distances
      .toReversed()
      .filter(distance => Math.ceil(distance / vectorBytes) > gone)
      .map(distance => sequence(bytesBefore(distance, gone), xorVector)),
  )

const countsBefore = Array.from({ length: vectorsBefore }, (_, at) => at + 1)

/** Folds the chunk at `at` to what is left of it, which goes to an address; `at` is after the chunk then. */
const foldChunk = (to: number): Code =>
  sequence(
    // A CRC begins with ones.
    getLocal(at),
    sequence(getLocal(at), load(0), constant(-1), xor),
    store(0),
    ...countsBefore.map(count => sequence(getLocal(zero), setLocal(before(count)))),
    sequence(getLocal(chunkBytes), constant(leftBytes), subtract, setLocal(left)),
    repeat(
      left,
      vectorBytes,
      sequence(
        fold(getLocal(at), 0, 0),
        ...countsBefore
          .slice(1)
          .toReversed()
          .map(count => sequence(getLocal(before(count - 1)), setLocal(before(count)))),
        setLocal(before(1)),
        addTo(at, constant(vectorBytes)),
      ),
    ),
    ...countsBefore.map(count =>
      sequence(
        constant(to + (count - 1) * vectorBytes),
        fold(getLocal(at), (count - 1) * vectorBytes, count - 1),
        storeVector(0),
      ),
    ),
    addTo(at, constant(leftBytes)),
  )

/** The entry for one byte of `word`, which is four bytes long, in the table of those with `behind` bytes after them. */
const lookUp = (byte: number, behind: number): Code =>
  sequence(
    getLocal(word),
    byte === 0 ? sequence(constant(2), shiftLeft) : sequence(constant(8 * byte - 2), shiftRight),
    sequence(constant(0x3fc), and, load(behind * 1024)),
  )

/** The entries for four bytes. */
const lookUpWord = (behind: number): Code =>
  sequence(lookUp(0, behind), lookUp(1, behind - 1), xor, lookUp(2, behind - 2), xor, lookUp(3, behind - 3), xor)

/** Eight bytes of what is left of one chunk, which begins at an address. */
const step = (address: number, crc: number): Code =>
  sequence(
    sequence(getLocal(at), load(address), getLocal(crc), xor, setLocal(word), lookUpWord(7)),
    sequence(getLocal(at), load(address + 4), setLocal(word), lookUpWord(3)),
    sequence(xor, setLocal(crc)),
  )

/** Stores what the CRC is when all its bits are turned over, its highest byte first. */
const storeSum = (crc: number, offset: number): Code =>
  sequence(
    sequence(getLocal(crc), constant(-1), xor, setLocal(crc)),
    getLocal(sumAt),
    sequence(getLocal(crc), constant(8), rotateLeft, constant(0x00ff00ff), and),
    sequence(getLocal(crc), constant(24), rotateLeft, constant(0xff00ff00), and),
    sequence(or, store(offset)),
  )

const onePair: Code = sequence(
  sequence(getLocal(firstAt), setLocal(at)),
  foldChunk(leftAt),
  foldChunk(leftAt + leftBytes),
  sequence(getLocal(at), setLocal(firstAt)),
  sequence(constant(0), setLocal(firstCrc), constant(0), setLocal(secondCrc), constant(0), setLocal(at)),
  sequence(constant(leftBytes), setLocal(left)),
  repeat(left, 8, sequence(step(leftAt, firstCrc), step(leftAt + leftBytes, secondCrc), addTo(at, constant(8)))),
  storeSum(firstCrc, 0),
  storeSum(secondCrc, 4),
  addTo(sumAt, constant(8)),
)

const body: Code = sequence(
  sequence(constant(chunksAt), setLocal(sumAt), constant(chunksAt), setLocal(firstAt)),
  repeat(pairs, 1, onePair),
)

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content]

const i32 = 0x7f
const v128 = 0x7b
const code: Code = [2, numberLocals, i32, vectorsBefore + 1, v128, ...body, 0x0b]
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

/** Whole pairs of chunks that are gone through at a time; none of chunks that are not whole vectors, or too short or long. */
const pairsAtOnce = (bytes: number): number =>
  bytes % vectorBytes === 0 && bytes > leftBytes ? Math.floor(maxBytes / (2 * bytes)) : 0

/**
 * Writes the sums of chunks of `chunkBytes` each of what the pieces are together into `sums` from `to`, in the order of the
 * network; the last one may be shorter.
 */
export const crc32cOfChunks = (
  pieces: readonly Uint8Array[],
  chunkBytesEach: number,
  sums: Buffer,
  to: number,
): void => {
  const full = chunksAt + pairsAtOnce(chunkBytesEach) * 2 * chunkBytesEach
  if (full === chunksAt) {
    sumsOfChunks(crc32c, pieces, chunkBytesEach, sums, to)
    return
  }
  opened ??= open()
  const { memory, go } = opened
  let end = chunksAt
  let sumTo = to
  const take = (): void => {
    const count = Math.floor((end - chunksAt) / chunkBytesEach)
    const rest = chunksAt + count * chunkBytesEach
    // Before the others: of an odd count the last one has it for its pair.
    const restSum = crc32c(memory, rest, end)
    if (count > 0) go(Math.ceil(count / 2), chunkBytesEach)
    sumTo += memory.copy(sums, sumTo, chunksAt, chunksAt + count * 4)
    if (rest < end) sums.writeUInt32BE(restSum, sumTo)
    end = chunksAt
  }
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const length = Math.min(full - end, piece.length - at)
      // As `set`, which goes byte by byte where the memory is shared with another thread and is not aligned.
      memory.fill(length === piece.length ? piece : piece.subarray(at, at + length), end, end + length)
      end += length
      at += length
      if (end === full) take()
    }
  }
  take()
}
