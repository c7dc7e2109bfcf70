import { idsVersion, plainVersion, type SegmentVersion } from '../segment/segment-format.ts'

/** The version of the segments of a log: it grows once, and a segment that is open then has to end. */
export type SegmentVersions = {
  /** Of the segment that is opened next. */
  readonly next: SegmentVersion
  /** Records have ids of events from now on. @returns whether that was not known before */
  expectIds(): boolean
}

/** @param hasIds whether there were such records before: then they are expected from the first segment on */
export const createSegmentVersions = (hasIds: boolean): SegmentVersions => {
  let next: SegmentVersion = hasIds ? idsVersion : plainVersion
  return {
    get next() {
      return next
    },
    expectIds: () => {
      const isNews = next !== idsVersion
      next = idsVersion
      return isNews
    },
  }
}
