/**
 * When snapshots were made. Dates of a table never go back, since other programs refuse a table whose dates do: after one commit by a
 * clock that was ahead, all later ones have its date, until that has come. So the summary of a snapshot of ours says when it was made.
 */

/** What of a snapshot is looked at. */
type Dated = {
  readonly id: bigint
  readonly parentId: bigint | undefined
  readonly sequenceNumber: number
  readonly timestampMs: number
  readonly summary: ReadonlyMap<string, string>
}

/** Line of a summary: when a snapshot was made by the clock of its writer, ISO 8601, where the table has a later date. */
const committedAt = 'sluice.committed-at'

/** @param date that a snapshot gets, and @param now when it is made; ms since the epoch */
export const toDateLines = (date: number, now: number): Readonly<Record<string, string>> =>
  date > now ? { [committedAt]: new Date(now).toISOString() } : {}

/** Clocks may differ by so much. */
const maxAheadMs = 600_000

/** Whether the date of a table is further ahead than clocks differ. */
export const isFarAhead = (lastUpdatedMs: number, now: number): boolean => lastUpdatedMs - now > maxAheadMs

/**
 * When each snapshot was made, as far as known. Dates in the future are not believed: the date in the summary
 * counts instead, or that of the snapshot that follows.
 * @returns by id, in ms since the epoch
 */
export const toDates = (snapshots: readonly Dated[], now: number): ReadonlyMap<bigint, number> => {
  const dates = new Map<bigint, number>()
  const followedAt = new Map<bigint, number>()
  for (const { id, parentId, timestampMs, summary } of snapshots.toSorted(byNewest)) {
    const said = Date.parse(summary.get(committedAt) ?? '')
    const own = timestampMs > now && !Number.isNaN(said) ? said : timestampMs
    const date = own > now ? Math.min(own, followedAt.get(id) ?? own) : own
    dates.set(id, date)
    if (parentId !== undefined) followedAt.set(parentId, Math.min(date, followedAt.get(parentId) ?? date))
  }
  return dates
}

const byNewest = (a: Dated, b: Dated): number => b.sequenceNumber - a.sequenceNumber
