/** A closed segment, ready to be sealed. */
export type ClosedSegment = {
  readonly number: number
  /** After a failed write: the last acknowledged offset. Nothing beyond it may ever be read. */
  readonly end?: number
  /** The ledger was damaged, and may have lost that it was sealed: then its file is gone, and its events are in files. */
  readonly mayBeSealed?: boolean
}

/** What a segment holds that is closed and not sealed. */
export type SegmentLoad = {
  readonly events: number
  readonly bytes: number
  /** When its first event was kept, ms since the epoch. */
  readonly since: number
}

/** The path of a segment on disk; names sort by number. */
export const segmentPath = (number: number): string => `log/${segmentName(number)}`

export const segmentName = (number: number): string => `${String(number).padStart(10, '0')}.log`

/** The number of a segment's file name; undefined for any other name. */
export const parseSegmentName = (name: string): number | undefined =>
  /^\d{10}\.log$/.test(name) ? Number(name.slice(0, 10)) : undefined
