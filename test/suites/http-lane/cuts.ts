import { createRandom } from '../../fuzz/random.ts'
import type { Connection } from './differential.ts'

/** One byte at a time costs a turn of the event loop for each. */
const maxSingles = 400

/** How the bytes of an input come, and what comes after them: by chance, and the same each time. */
export const toConnection = (bytes: Uint8Array): Connection => {
  const random = createRandom(hash(bytes))
  const cuts = chooseCuts(bytes.length, random.below(16), limit => random.below(limit))
  return {
    bytes,
    cuts,
    end: random.below(4) === 0 ? 'reset' : 'half-close',
    answerTurns: random.below(3) === 0 ? random.below(4) : 0,
    isSlow: random.below(8) === 0,
  }
}

const chooseCuts = (length: number, way: number, below: (limit: number) => number): number[] => {
  if (way === 0 && length <= maxSingles) return everyByte(length)
  const count = way < 5 ? 0 : way < 9 ? 1 : 1 + below(6)
  return Array.from({ length: count }, () => below(length + 1)).sort((a, b) => a - b)
}

/** Cuts between all bytes. */
export const everyByte = (length: number): number[] =>
  Array.from({ length: Math.max(0, length - 1) }, (_, at) => at + 1)

/** FNV-1a. */
const hash = (bytes: Uint8Array): number => {
  let value = 0x811c_9dc5
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x0100_0193)
  return value >>> 0
}
