/** Random whole numbers that a seed repeats. */
export type Random = {
  /** 0 … limit-1. */
  below(limit: number): number
}

/** Marsaglia's xorshift with 32 bits: fast, and good enough to choose mutations. */
export const createRandom = (seed: number): Random => {
  // Zero would stay zero; neighbouring seeds should differ at once.
  let state = Math.imul(seed + 1, 0x9e37_79b9) | 1
  return {
    below(limit) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 0) % limit
    },
  }
}
