/** Values that a seed decides: the same seed draws the same ones. */
export type Draw = {
  /** From 0 up to, and not including, 1. */
  readonly share: () => number
  /** A whole number, both ends included. */
  readonly integer: (from: number, to: number) => number
  /** A number with at most this many digits after the point. */
  readonly fraction: (from: number, to: number, digits: number) => number
  /** Whether something of this probability happens. */
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(values: readonly T[]) => T
  /** At most this many different values, in the order of the list. */
  readonly some: <T>(values: readonly T[], most: number) => readonly T[]
  /** One of a number of ids of a kind, all of them beyond 2^53, where doubles have gaps. */
  readonly id: (kind: number, count: number) => bigint
}

/** The ids of a kind are 2^40 apart from those of the next. */
const firstId = 2n ** 60n
const idsOfKind = 2n ** 40n
/** Neighbours differ by an odd number, so that one that was rounded to a double is seen. */
const idStep = 7_919n

/** Marsaglia's xorshift generator of 32 bits (Xorshift RNGs, 2003). */
export const createDraw = (seed: number): Draw => {
  // Zero would stay zero, and small seeds begin with small numbers.
  let state = Math.imul(seed + 1, 0x9e37_79b1) || 1
  const share = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const integer = (from: number, to: number): number => from + Math.floor(share() * (to - from + 1))
  const fraction = (from: number, to: number, digits: number): number =>
    Number((from + share() * (to - from)).toFixed(digits))
  const pick = <T>(values: readonly T[]): T => {
    const value = values[integer(0, values.length - 1)]
    if (value === undefined) throw new RangeError('Cannot pick from an empty list')
    return value
  }
  return {
    share,
    integer,
    fraction,
    chance: probability => share() < probability,
    pick,
    some: (values, most) => {
      const wanted = integer(0, most)
      return values.filter(() => share() < wanted / values.length).slice(0, most)
    },
    id: (kind, count) => firstId + BigInt(kind) * idsOfKind + BigInt(integer(1, count)) * idStep,
  }
}
