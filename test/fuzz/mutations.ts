import type { Random } from './random.ts'

/** What a mutation may take from. */
export type Source = {
  readonly random: Random
  readonly corpus: readonly Uint8Array[]
  /** May be empty. */
  readonly dictionary: readonly Uint8Array[]
  readonly maxBytes: number
}

/** Makes a changed copy; the bytes given stay as they are. */
export type Mutation = (bytes: Uint8Array, source: Source) => Uint8Array

const maxRepeats = 200
const interestingBytes = [
  0x00, 0x01, 0x0a, 0x20, 0x22, 0x7f, 0x80, 0xbf, 0xc0, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfe, 0xff,
]
const interestingLengths = [
  0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
]
/** As text: where a format writes its lengths in digits. */
const interestingNumbers = '0 -1 1 127 128 255 256 65536 2147483648 4294967296 9007199254740993 1e309 1e-999 -0 NaN'
  .split(' ')
  .map(text => Buffer.from(text))

/** The end, the beginning or the middle is gone. */
const cuts: readonly Mutation[] = [
  (bytes, { random }) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, { random }) => bytes.slice(random.below(bytes.length + 1)),
  (bytes, { random }) => {
    const [start, end] = range(bytes, random)
    return join(bytes.subarray(0, start), bytes.subarray(end))
  },
]

const singleBytes: readonly Mutation[] = [
  (bytes, { random }) => replace(bytes, random.below(bytes.length), at => at ^ (1 << random.below(8))),
  (bytes, { random }) => replace(bytes, random.below(bytes.length), () => random.below(256)),
  (bytes, { random }) => replace(bytes, random.below(bytes.length), () => random.pick(interestingBytes)),
  (bytes, { random }) => replace(bytes, random.below(bytes.length), at => at + random.below(17) - 8),
]

const insertions: readonly Mutation[] = [
  (bytes, { random }) =>
    insert(
      bytes,
      random.below(bytes.length + 1),
      Uint8Array.from({ length: 1 + random.below(8) }, () => random.below(256)),
    ),
  (bytes, { random }) => insert(bytes, random.below(bytes.length + 1), Uint8Array.of(random.pick(interestingBytes))),
]

/** A part is repeated, once or often: depth, counts and tables grow. */
const repeat: Mutation = (bytes, { random, maxBytes }) => {
  const [start, end] = range(bytes, random)
  const part = bytes.subarray(start, Math.min(end, start + Math.ceil(maxBytes / maxRepeats)))
  const repeats = random.below(4) === 0 ? random.below(maxRepeats) : 1
  return join(bytes.subarray(0, end), ...Array.from({ length: repeats }, () => part), bytes.subarray(end))
}

/** Two parts change places. */
const swap: Mutation = (bytes, { random }) => {
  const [start, middle] = range(bytes, random)
  const end = middle + random.below(bytes.length - middle + 1)
  return join(bytes.subarray(0, start), bytes.subarray(middle, end), bytes.subarray(start, middle), bytes.subarray(end))
}

const splices: readonly Mutation[] = [
  // The beginning of one and the end of another.
  (bytes, { random, corpus }) => {
    const other = random.pick(corpus)
    return join(bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length + 1)))
  },
  // A part of another within one.
  (bytes, { random, corpus }) => {
    const other = random.pick(corpus)
    return insert(bytes, random.below(bytes.length + 1), other.subarray(...range(other, random)))
  },
]

/** A length of 2, 4 or 8 bytes, most or least significant first: a limit of its type, one off, or what is left. */
const setLength: Mutation = (bytes, { random }) => {
  const width = random.pick([2, 4, 4, 8])
  if (bytes.length < width) return bytes
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  const at = random.below(bytes.length - width + 1)
  const isLittle = random.below(2) === 0
  const rest = bytes.length - at - width
  const value = random.pick([random.pick(interestingLengths), rest, rest + 1, random.below(rest + 1)])
  if (width === 2) view.setUint16(at, value & 0xffff, isLittle)
  else if (width === 4) view.setUint32(at, value, isLittle)
  else view.setBigUint64(at, BigInt.asUintN(64, BigInt(value) * (random.below(4) === 0 ? -1n : 1n)), isLittle)
  return copy
}

/** A number of 1 to 10 bytes with 7 bits each (LEB128), zigzag or plain: in place of bytes, or between them. */
const setVarint: Mutation = (bytes, { random }) => {
  const value = BigInt(random.pick([random.pick(interestingLengths), bytes.length, random.below(1 << 16)]))
  let left = BigInt.asUintN(64, random.below(3) === 0 ? -value : value << BigInt(random.below(34)))
  const varint: number[] = []
  for (; left > 0x7fn; left >>= 7n) varint.push(Number(left & 0x7fn) | 0x80)
  varint.push(Number(left))
  const at = random.below(bytes.length + 1)
  return join(bytes.subarray(0, at), Uint8Array.from(varint), bytes.subarray(at + random.below(varint.length + 1)))
}

const words: readonly Mutation[] = [
  // A word between bytes, or in place of as many.
  (bytes, { random, dictionary }) => {
    if (dictionary.length === 0) return bytes
    const word = random.pick(dictionary)
    const at = random.below(bytes.length + 1)
    return join(bytes.subarray(0, at), word, bytes.subarray(at + (random.below(2) === 0 ? word.length : 0)))
  },
  // A number in digits, in place of an existing one.
  (bytes, { random }) => {
    const isDigit = (at: number): boolean => (bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39
    let start = random.below(bytes.length)
    while (start < bytes.length && !isDigit(start)) start += 1
    let end = start
    while (isDigit(end)) end += 1
    return join(bytes.subarray(0, start), random.pick(interestingNumbers), bytes.subarray(end))
  },
]

/** All equally likely; a likelier one is listed twice. */
export const mutations: readonly Mutation[] = [
  ...cuts,
  ...singleBytes,
  ...insertions,
  repeat,
  swap,
  ...splices,
  setLength,
  setLength,
  setVarint,
  ...words,
  ...words,
]

const replace = (bytes: Uint8Array, at: number, change: (byte: number) => number): Uint8Array => {
  const copy = bytes.slice()
  const byte = copy[at]
  if (byte !== undefined) copy[at] = change(byte)
  return copy
}

const insert = (bytes: Uint8Array, at: number, part: Uint8Array): Uint8Array =>
  join(bytes.subarray(0, at), part, bytes.subarray(at))

const range = (bytes: Uint8Array, random: Random): [start: number, end: number] => {
  const start = random.below(bytes.length + 1)
  return [start, start + random.below(bytes.length - start + 1)]
}

const join = (...parts: readonly Uint8Array[]): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
