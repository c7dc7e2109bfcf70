/** What the spool says of its syncs: how many there were, and how long the newest took, in a ring. */
export type SyncFigures = { readonly fsyncs: number; readonly fsyncMs: readonly number[] }

/**
 * Adds up how long all syncs took, of which the spool keeps only the newest. To be called often: when more came than
 * the ring holds, those that are gone count as the mean of those that are there.
 * @returns the sum so far, in ms
 */
export const createSyncSum = (): ((figures: SyncFigures) => number) => {
  let seen = 0
  let totalMs = 0
  return ({ fsyncs, fsyncMs }) => {
    const more = fsyncs - seen
    const size = fsyncMs.length
    const held = Math.min(more, size)
    let sum = 0
    // The next one goes to `fsyncs % size` once the ring is full, and to its end before.
    for (let back = 1; back <= held; back++) sum += fsyncMs[(fsyncs - back) % size] ?? 0
    if (held > 0) totalMs += (sum * more) / held
    seen = fsyncs
    return totalMs
  }
}
