import type { ClosedSegment } from '../segment/segment-files.ts'
import type { SealRequest } from './seal.ts'

/** What a request says that does not come from its segment. */
export type SegmentRequest = Omit<SealRequest, 'segment' | 'end' | 'events' | 'withKeys' | 'edition' | 'isAhead'>

/** A segment on its way to be sealed. */
export type PendingSegment = {
  readonly segment: ClosedSegment
  readonly events: number
  readonly hasKnownKeys: boolean
  /** Attempts that failed of the segment itself. */
  attempts: number
  /** How its files were made that may be there already. */
  output?: SegmentRequest
}
