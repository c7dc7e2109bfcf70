import type { Random } from './random.ts'

/** Longest input that mutations make; long enough for tables of 1 024 entries to overflow. */
export const maxInputBytes = 65_536

const maxMutations = 6
const maxRepeats = 200
const interestingBytes = [
  0x00, 0x01, 0x0a, 0x20, 0x22, 0x7f, 0x80, 0xbf, 0xc0, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfe, 0xff,
]
const interestingLengths = [
  0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
]

/** The next input: one of the corpus with a few mutations. */
export const mutate = (corpus: readonly Uint8Array[], random: Random): Uint8Array => {
  let bytes = pick(corpus, random)
  for (let left = 1 + random.below(maxMutations); left > 0; left -= 1) {
    bytes = pick(mutations, random)(bytes, random, corpus)
  }
  return bytes.length > maxInputBytes ? bytes.slice(0, maxInputBytes) : bytes
}

type Mutation = (bytes: Uint8Array, random: Random, corpus: readonly Uint8Array[]) => Uint8Array

const mutations: readonly Mutation[] = [
  // A bit flips.
  (bytes, random) => replace(bytes, random.below(bytes.length + 1), at => at ^ (1 << random.below(8))),
  // A byte changes.
  (bytes, random) => replace(bytes, random.below(bytes.length + 1), () => random.below(256)),
  (bytes, random) => replace(bytes, random.below(bytes.length + 1), () => pick(interestingBytes, random)),
  (bytes, random) => replace(bytes, random.below(bytes.length + 1), at => at + random.below(17) - 8),
  // The end, the beginning or the middle is gone.
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => bytes.slice(random.below(bytes.length + 1)),
  (bytes, random) => {
    const [start, end] = range(bytes, random)
    return join(bytes.subarray(0, start), bytes.subarray(end))
  },
  // Bytes come in.
  (bytes, random) => {
    const at = random.below(bytes.length + 1)
    const inserted = Uint8Array.from({ length: 1 + random.below(8) }, () => random.below(256))
    return join(bytes.subarray(0, at), inserted, bytes.subarray(at))
  },
  (bytes, random) => {
    const at = random.below(bytes.length + 1)
    return join(bytes.subarray(0, at), Uint8Array.of(pick(interestingBytes, random)), bytes.subarray(at))
  },
  // A part comes again, once or often: depth, counts and tables grow.
  (bytes, random) => {
    const [start, end] = range(bytes, random)
    const repeats = random.below(4) === 0 ? random.below(maxRepeats) : 1
    const part = bytes.subarray(start, Math.min(end, start + maxInputBytes / maxRepeats))
    return join(bytes.subarray(0, end), ...Array.from({ length: repeats }, () => part), bytes.subarray(end))
  },
  // The beginning of one and the end of another.
  (bytes, random, corpus) => {
    const other = pick(corpus, random)
    return join(bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length + 1)))
  },
  // A length of 2 or 4 bytes, most or least significant first.
  (bytes, random) => {
    const width = random.below(2) === 0 ? 2 : 4
    if (bytes.length < width) return bytes
    const copy = bytes.slice()
    const view = new DataView(copy.buffer)
    const at = random.below(bytes.length - width + 1)
    const value = pick(interestingLengths, random)
    const isLittle = random.below(2) === 0
    if (width === 2) view.setUint16(at, value & 0xffff, isLittle)
    else view.setUint32(at, value, isLittle)
    return copy
  },
]

const pick = <T>(list: readonly T[], random: Random): T => {
  const item = list[random.below(list.length)]
  if (item === undefined) throw new RangeError('Cannot pick from an empty list')
  return item
}

const replace = (bytes: Uint8Array, at: number, change: (byte: number) => number): Uint8Array => {
  const copy = bytes.slice()
  const byte = copy[at]
  if (byte !== undefined) copy[at] = change(byte)
  return copy
}

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
