import { SluiceError } from '../../errors.ts'
import type { Waiter } from '../../runtime/deferred.ts'
import type { Batch } from '../batch.ts'
import { createGroups, type Groups } from './groups.ts'
import type { HandedRange } from './handed-range.ts'
import { createOpenBuckets, type OpenBucket } from './open-buckets.ts'
import type { SegmentVersions } from './segment-versions.ts'

/**
 * Where batches come into the log: each is counted towards the buckets of the segment that takes it, and encoded into the
 * group that gathers meanwhile.
 */
export type LogDoor = Pick<Groups, 'take' | 'takeAll' | 'recycle' | 'isEmpty' | 'waiting'> & {
  /**
   * Adds a batch; its waiter hears of it with its group.
   * @param keptAt ms since the epoch
   * @returns bytes of the group that it takes
   * @throws SluiceError `overloaded`, `too-large`: nothing of it was added
   */
  add(batch: Batch, keptAt: number, waiter: Waiter<void>): number
  /** The same with a batch of a range of another thread, at this position. */
  addFramed(range: HandedRange, position: number): number
  /** Everything added from now on goes into the next segment. */
  cut(): void
  /** The segment of what was taken has ended; what was added since the last cut is in the buckets of the next one. */
  onSegmentEnd(): void
  /** The buckets of what is added now, with the events that wait in them. */
  readonly buckets: Iterable<OpenBucket>
}

/**
 * @param mark of the segments that take the records
 * @param versions of these segments
 * @param onCut called for a cut that a batch made: the buckets could not hold it, or the segment is of another version
 */
export const createLogDoor = (
  mark: Uint8Array,
  versions: Pick<SegmentVersions, 'expectIds'>,
  onCut: () => void,
): LogDoor => {
  const groups = createGroups(mark)
  let buckets = createOpenBuckets()

  const cut = (): void => {
    groups.cut()
    buckets = createOpenBuckets()
  }

  /** Counts a batch towards the buckets of the open segment, or of the next one. */
  const claim = (batch: Batch): void => {
    if (batch.eventIds !== undefined && versions.expectIds()) {
      cut()
      onCut()
    }
    const claimed = buckets.claim(batch)
    if (claimed === 'claimed') return
    if (claimed !== 'beyond-share') {
      cut()
      onCut()
    }
    if (claimed === 'full' && buckets.claim(batch) === 'claimed') return
    throw new SluiceError('overloaded', 'Too many different event types and dates at once; retry later')
  }

  return {
    add: (batch, keptAt, waiter) => {
      claim(batch)
      return groups.add(batch, keptAt, waiter)
    },
    addFramed: (range, position) => {
      const framed = range.batches[position]
      if (framed !== undefined) claim(framed.batch)
      return groups.addFramed(range, position)
    },
    cut,
    onSegmentEnd: () => {
      buckets = createOpenBuckets()
      for (const { batches } of groups.newest) for (const batch of batches) void buckets.claim(batch)
    },
    take: () => groups.take(),
    takeAll: () => groups.takeAll(),
    recycle: group => groups.recycle(group),
    waiting: groups.waiting,
    get isEmpty() {
      return groups.isEmpty
    },
    get buckets() {
      return buckets.values()
    },
  }
}
