/** Slots of 10 µs up to 2 s; what is longer goes to the last one, whose upper end is the longest of all. */
const slotMs = 0.01
const slots = 200_000

/** Times in ms, counted in slots: recording allocates nothing. */
export type Histogram = {
  readonly count: number
  /** Exact; 0 when nothing was recorded. */
  readonly max: number
  record(ms: number): void
  /** The upper end of the slot where the share (0 to 1) is reached; 0 when nothing was recorded. */
  percentile(share: number): number
}

export const createHistogram = (): Histogram => {
  const counts = new Uint32Array(slots)
  let count = 0
  let max = 0
  return {
    get count() {
      return count
    },
    get max() {
      return max
    },
    record(ms) {
      const slot = Math.min(slots - 1, Math.floor(ms / slotMs))
      counts[slot] = (counts[slot] ?? 0) + 1
      count++
      if (ms > max) max = ms
    },
    percentile(share) {
      let rest = Math.max(1, Math.ceil(share * count))
      const slot = counts.findIndex(inSlot => {
        rest -= inSlot
        return rest <= 0
      })
      if (slot === -1) return 0
      return slot === slots - 1 ? max : Math.min(max, (slot + 1) * slotMs)
    },
  }
}
