import type { AppendFile, Disk } from '../../disk/disk.ts'
import { type Invariant, invariantAlone } from '../invariants/invariants.ts'
import { type ClosedSegment, type SegmentLoad, segmentPath } from '../segment/segment-files.ts'
import { encodeSegmentHeader } from '../segment/segment-format.ts'
import { type Ack, isSynced } from '../spool-settings.ts'
import type { Group } from './groups.ts'
import type { SegmentVersions } from './segment-versions.ts'

export type SegmentWriterOptions = {
  readonly disk: Disk
  readonly collectorId: string
  /** Number of the first segment; larger than any that was ever used. */
  readonly firstSegment: number
  readonly ack: Ack
  /** In front of each record: see `segment-format.ts`. */
  readonly mark: Uint8Array
  readonly versions: Pick<SegmentVersions, 'next'>
  readonly now: () => number
  /** Groups are as safe as `ack` says: all of their batches. */
  readonly onSafe: (groups: readonly Group[]) => void
  /** Takes a segment that has ended. Its promise holds the log back; it rejects when the end of a broken one could not be made safe. */
  readonly onClosed: (segment: ClosedSegment, load: SegmentLoad) => Promise<void>
  /** A segment that ends cannot be synced: it is handed on as a broken one. */
  readonly onUnsynced: (error: unknown, segment: number) => void
  /** A segment's name is safe: from now on it must not be gone. */
  readonly onOpened?: ((segment: number) => void) | undefined
  readonly onSync?: ((ms: number) => void) | undefined
  readonly invariant?: Invariant | undefined
}

/** Writes groups to the open segment; there is no segment before the first group, and after the end of one. */
export type SegmentWriter = {
  /** Opens the next segment where none is open. Rejects with what the disk says, and leaves nothing behind. */
  open(): Promise<void>
  /**
   * Resolves when all groups are as safe as `ack` says. Where it rejects, what the disk holds of them is unknown: then the
   * segment has to end as a broken one, for a failed write or sync is never repeated.
   */
  write(groups: readonly Group[]): Promise<void>
  /** Hands the open segment on. A broken one ends at its last acknowledged byte. */
  end(isBroken: boolean): Promise<void>
  /** Of the open segment, or of the last one that was tried. */
  readonly number: number
  /** Of the open segment: 0 without one. */
  readonly events: number
  readonly bytes: number
  /** What is not handed on yet, together. */
  readonly held: { readonly events: number; readonly bytes: number; readonly since: number }
}

type Segment = {
  readonly number: number
  readonly file: AppendFile
  /** When its first event was kept, ms since the epoch; 0 while it is empty. */
  since: number
  /** Bytes of acknowledged requests, with what precedes them. */
  length: number
  events: number
  synced: boolean
}

export const createSegmentWriter = (options: SegmentWriterOptions): SegmentWriter => {
  const { disk, collectorId, ack, mark, versions, now, invariant = invariantAlone } = options
  let segment: Segment | undefined
  /** On its way to the sealer: its events count as the log's until then. */
  let leaving: Segment | undefined
  let nextNumber = options.firstSegment

  const create = async (): Promise<Segment> => {
    const number = nextNumber++
    const file = await disk.create(segmentPath(number))
    try {
      const length = await file.append(encodeSegmentHeader(collectorId, number, mark, versions.next))
      // The entry must be as safe as what is written after it.
      if (isSynced(ack)) {
        await disk.fsyncDir('log')
        options.onOpened?.(number)
      }
      return { number, file, since: 0, length, events: 0, synced: false }
    } catch (error) {
      // Retried for as long as the disk is full: neither the file nor its descriptor may stay.
      await file.close().catch(() => {})
      await disk.unlink(segmentPath(number)).catch(() => {})
      throw error
    }
  }

  return {
    async open() {
      segment ??= await create()
    },
    async write(groups) {
      segment ??= await create()
      const current = segment
      for (const { fill } of groups) await fill?.()
      current.synced = false
      const started = performance.now()
      const appends = groups.map(group => current.file.append(group.bytes.subarray(0, group.length)))
      // Sent after the appends without waiting for them: the file runs its calls in order, and fails after a failure.
      const receipt = isSynced(ack) ? current.file.fdatasync() : appends[appends.length - 1]
      const [safe, ...ends] = await Promise.all([receipt, ...appends])
      if (isSynced(ack)) options.onSync?.(performance.now() - started)
      current.synced = isSynced(ack)
      const written = checkReceipts(current, groups, ends, safe, invariant)
      // All or none: a request that was answered must not be counted again as failed.
      if (safe === undefined || safe < written) throw new Error(`Segment ${current.number}: ${written} is not safe yet`)
      if (current.since === 0) current.since = now()
      for (const { events } of groups) current.events += events
      current.length = written
      options.onSafe(groups)
    },
    async end(isBroken) {
      const old = segment
      segment = undefined
      leaving = old
      if (!old) return
      let isWhole = !isBroken
      if (isWhole && !old.synced) {
        await old.file.fdatasync().catch(error => {
          isWhole = false
          options.onUnsynced(error, old.number)
        })
      }
      await old.file.close().catch(() => {})
      const { number, events, length: bytes, since } = old
      leaving = undefined
      await options.onClosed({ number, ...(isWhole ? {} : { end: bytes }) }, { events, bytes, since })
    },
    get number() {
      return segment?.number ?? nextNumber - 1
    },
    get events() {
      return segment?.events ?? 0
    },
    get bytes() {
      return segment?.length ?? 0
    },
    get held() {
      const bytes = [segment, leaving].reduce((sum, one) => sum + (one && one.events > 0 ? one.length : 0), 0)
      const events = (segment?.events ?? 0) + (leaving?.events ?? 0)
      return { events, bytes, since: leaving?.since || segment?.since || 0 }
    },
  }
}

/** Whether each group follows the one before, as long as it is. @returns where the last one ends */
const checkReceipts = (
  { number, length }: Segment,
  groups: readonly Group[],
  ends: readonly (number | undefined)[],
  safe: number | undefined,
  invariant: Invariant,
): number => {
  let written = length
  let isInOrder = true
  for (let i = 0; i < groups.length; i++) {
    written += groups[i]?.length ?? 0
    isInOrder &&= ends[i] === written
  }
  const last = ends.at(-1) ?? 0
  invariant(isInOrder, 'receipts of a segment come in order', () => ({ segment: number, end: last, due: written }))
  invariant(written > length, 'a segment only grows', () => ({ segment: number, written, length }))
  const end = safe ?? 0
  invariant(end <= written, 'nothing is safe that was not written', () => ({ segment: number, safe: end, written }))
  return written
}
