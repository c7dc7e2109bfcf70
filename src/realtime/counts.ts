/** The outcomes for the events of a type since the start; see `LaneFigures`. */
export type Counts = { enqueued: number; sent: number; dropped: number; errored: number }

/**
 * Counts by type, which outlive its forwarding: a counter never goes backwards. They are a few numbers for each name that
 * an operator ever forwarded.
 */
export type AllCounts = {
  /** Of a type; the same object each time. */
  of(type: string): Counts
  /** Of all types, those that are no longer forwarded included. */
  total(): Readonly<Counts>
}

/** All zero. */
export const createCounts = (): AllCounts => {
  const byType = new Map<string, Counts>()
  return {
    of(type) {
      const counts = byType.get(type) ?? { enqueued: 0, sent: 0, dropped: 0, errored: 0 }
      byType.set(type, counts)
      return counts
    },
    total() {
      const total = { enqueued: 0, sent: 0, dropped: 0, errored: 0 }
      for (const counts of byType.values()) {
        total.enqueued += counts.enqueued
        total.sent += counts.sent
        total.dropped += counts.dropped
        total.errored += counts.errored
      }
      return total
    },
  }
}
