/** Random whole numbers that a seed repeats. */
export type Random = {
  /** 0 … limit-1; 0 where the limit is 0. */
  below(limit: number): number
  /** One of a list. @throws RangeError when it is empty */
  pick<T>(list: readonly T[]): T
}

/** Marsaglia's xorshift with 32 bits: fast, and good enough to choose mutations. */
export const createRandom = (seed: number): Random => {
  // Zero would stay zero; neighbouring seeds should differ at once.
  let state = Math.imul(seed + 1, 0x9e37_79b9) | 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return limit === 0 ? 0 : (state >>> 0) % limit
  }
  return {
    below,
    pick: <T>(list: readonly T[]): T => {
      const item = list[below(list.length)]
      if (item === undefined) throw new RangeError('Cannot pick from an empty list')
      return item
    },
  }
}
