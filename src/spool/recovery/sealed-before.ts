import { parseTableDirectory } from '../bucket.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { isSealed, type LedgerState } from '../ledger/ledger-state.ts'
import type { SegmentRequest } from '../seal/pending-segment.ts'

/** How a segment was sealed. */
export type SealedAs = Pick<SegmentRequest, 'format' | 'codec' | 'layout' | 'envelope'>

/**
 * Segments that wait to be sealed although the ledger has files of them: it has lost that it knew, or another collector has
 * the log alone. Sealed again as they were, their files get the names that they had, and what was decided about each counts.
 */
export type SealedBefore = {
  has(segment: number): boolean
  /** How it was sealed; undefined where it was not. */
  as(segment: number): SealedAs | undefined
  /** Nothing can be done with the file before it is made again: where it is on this disk, it may be the half of one. */
  readonly isUnmade: (file: BucketFile) => boolean
}

/** @param segments that wait to be sealed */
export const findSealedBefore = (state: LedgerState, segments: readonly number[]): SealedBefore => {
  const waiting = new Set(segments)
  const known = new Map<number, SealedAs>()
  for (const { file } of state.files.ofSegments(segment => waiting.has(segment))) {
    const as = toSealedAs(file)
    // Refused events stand in no table, and in the segments of those that do.
    if (as.layout === 'iceberg' || !known.has(file.segment)) known.set(file.segment, as)
  }
  return {
    has: segment => known.has(segment),
    as: segment => known.get(segment),
    isUnmade: ({ segment }) => known.has(segment) && !isSealed(state, segment),
  }
}

const toSealedAs = ({ format, codec, directory, eventName }: BucketFile): SealedAs => ({
  format,
  codec,
  layout: toLayout(directory),
  envelope: eventName === undefined,
})

const toLayout = (directory: string): SealedAs['layout'] => {
  if (parseTableDirectory(directory)) return 'iceberg'
  return /\/dt=\d{4}-\d\d-\d\d\/hour=\d\d$/.test(directory) ? 'hive' : 'dated'
}
