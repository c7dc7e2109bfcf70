import type { ClosedSegment } from '../segment/segment-files.ts'
import type { SealRequest } from './seal.ts'

/** The parts of a request that are not from its segment. */
export type SegmentRequest = Omit<SealRequest, 'segment' | 'end' | 'events' | 'withKeys' | 'edition' | 'isAhead'>

/** A segment on its way to be sealed. */
export type PendingSegment = {
  readonly segment: ClosedSegment
  readonly events: number
  readonly hasKnownKeys: boolean
  /** Attempts that failed of the segment itself. */
  attempts: number
  /** Its file is gone: events that its copy in HDFS lacks. */
  lostEvents?: number
  /** What the last attempt was asked for, */
  output?: SegmentRequest
  /** and whether an earlier one was asked for something else: files of other names may be left. */
  mayHaveLeftovers?: boolean
}
