import { parseTableDirectory } from '../bucket.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { isSealed, type LedgerState } from '../ledger/ledger-state.ts'
import { type FirstSeal, toFirstSeal } from '../seal/first-seal.ts'
import type { SegmentRequest } from '../seal/pending-segment.ts'

/** How a segment was sealed. */
export type SealedAs = Pick<SegmentRequest, 'format' | 'codec' | 'layout' | 'envelope'>

/** How a segment was sealed, as far as its files show, and the result. */
export type SealedFirst = Partial<SealedAs> & { readonly first: FirstSeal }

/**
 * Segments that wait to be sealed although the ledger has files of them: it has lost that it knew, or another collector has
 * the log alone. Sealed again as they were, their files get the names that they had, and what was decided about each counts.
 */
export type SealedBefore = {
  has(segment: number): boolean
  /** As the ledger has it now; undefined where it was not sealed. */
  as(segment: number): SealedFirst | undefined
  /** Nothing can be done with the file before it is made again: where it is on this disk, it may be the half of one. */
  readonly isUnmade: (file: BucketFile) => boolean
}

/** @param segments that wait to be sealed */
export const findSealedBefore = (state: LedgerState, segments: readonly number[]): SealedBefore => {
  const waiting = new Set(segments)
  const known = new Map<number, SealedAs>()
  for (const { file } of state.files.ofSegments(segment => waiting.has(segment))) {
    const as = toSealedAs(file)
    // Refused events are in no table, and in the segments of events that are.
    if (as.layout === 'iceberg' || !known.has(file.segment)) known.set(file.segment, as)
  }
  return {
    has: segment => known.has(segment),
    as: segment => {
      if (!known.has(segment) && !state.reopened.has(segment)) return undefined
      return { ...known.get(segment), first: toFirstSeal(state, segment) }
    },
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
