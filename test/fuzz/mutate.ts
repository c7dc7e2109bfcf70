import { mutations } from './mutations.ts'
import type { Random } from './random.ts'

/** Longest input that mutations make; long enough for tables of 1 024 entries to overflow. */
export const maxInputBytes = 65_536
/** Longest for all but some inputs, beside twice what they are made of: short ones make more cases. */
const usualInputBytes = 1_024
const longEvery = 32

const maxMutations = 6

/** The next input: one of the corpus with a few mutations. */
export const mutate = (
  corpus: readonly Uint8Array[],
  dictionary: readonly Uint8Array[],
  random: Random,
): Uint8Array => {
  let bytes = random.pick(corpus)
  const isLong = random.below(longEvery) === 0
  const maxBytes = isLong ? maxInputBytes : Math.min(maxInputBytes, Math.max(usualInputBytes, 2 * bytes.length))
  for (let left = 1 + random.below(maxMutations); left > 0; left -= 1) {
    bytes = random.pick(mutations)(bytes, { random, corpus, dictionary, maxBytes })
    if (bytes.length > maxBytes) bytes = bytes.slice(0, maxBytes)
  }
  return bytes
}
