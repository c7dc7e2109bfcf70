import { SluiceError } from '../../errors.ts'
import type { Batch, EventHead } from '../batch.ts'
import { bucketKey, isSameBucket } from '../bucket.ts'

/** Most buckets of one segment: each becomes a file of its own. */
const maxBucketsPerSegment = 10_000

/** The content of one output file; `kind` distinguishes `.smile` from `.thrift`. */
export type OpenBucket = { readonly head: EventHead; readonly kind: 'smile' | 'thrift'; events: number }

/** The buckets of the open segment, with the events that wait in them. */
export type OpenBuckets = {
  /**
   * Counts the events of a batch, all or none. An existing bucket takes events of all callers; new ones count towards
   * the share of their caller. The first batch of a caller may have more, so that any batch has its place in some
   * segment.
   * @returns `full`: by others, and the next segment takes it; `used-up`: the same, by this caller, who has to wait for
   *   the next one; `beyond-share`: the remaining space is that of others
   * @throws SluiceError `too-large` when no segment can hold it
   */
  claim(batch: Batch): 'claimed' | 'full' | 'used-up' | 'beyond-share'
  values(): Iterable<OpenBucket>
}

/** Events of a batch that belong to one bucket. */
type Share = { readonly bucket: OpenBucket; readonly head: EventHead; events: number }

/** This many buckets of a batch are compared with an event before its key is made: batches usually hold few types. */
const maxCompared = 8

export const createOpenBuckets = (): OpenBuckets => {
  const buckets = new Map<string, OpenBucket>()
  /** Buckets that each caller has made: at most as many callers as buckets. */
  const made = new Map<string, number>()
  /** Of the newest request with one event. */
  let last: OpenBucket | undefined
  const isBeyondShare = (caller: string, fresh: number): boolean => {
    const own = made.get(caller) ?? 0
    return own > 0 && own + fresh > maxBucketsPerSegment / made.size
  }
  return {
    claim: batch => {
      const { caller = '' } = batch
      const kind = batch.format === 'thrift' ? 'thrift' : 'smile'
      const only = batch.events[0]
      if (only !== undefined && batch.events.length === 1) {
        // Most requests hold one event, of a bucket that is there already, and often of that of the request before.
        const isLast = last !== undefined && last.kind === kind && isSameBucket(last.head, only)
        if (!isLast) last = buckets.get(bucketKey(kind, only))
        if (last !== undefined) {
          last.events++
          return 'claimed'
        }
      }
      const fresh = new Map<string, OpenBucket>()
      const shares: Share[] = []
      for (const head of batch.events) {
        let share = findShare(shares, head)
        if (share === undefined) {
          const key = bucketKey(kind, head)
          let bucket = buckets.get(key) ?? fresh.get(key)
          if (bucket === undefined) {
            bucket = { head, kind, events: 0 }
            fresh.set(key, bucket)
          }
          share = { bucket, head, events: 0 }
          shares.push(share)
        }
        share.events++
      }
      if (fresh.size > maxBucketsPerSegment) {
        const limit = `at most ${maxBucketsPerSegment} are allowed`
        throw new SluiceError('too-large', `The request has events for ${fresh.size} buckets; ${limit}`)
      }
      if (fresh.size > 0) {
        const isFull = buckets.size + fresh.size > maxBucketsPerSegment
        if (isBeyondShare(caller, fresh.size)) return isFull ? 'used-up' : 'beyond-share'
        if (isFull) return 'full'
      }
      for (const [key, bucket] of fresh) buckets.set(key, bucket)
      for (const { bucket, events } of shares) bucket.events += events
      if (fresh.size > 0) made.set(caller, (made.get(caller) ?? 0) + fresh.size)
      return 'claimed'
    },
    values: () => buckets.values(),
  }
}

/** Among the newest ones. */
const findShare = (shares: readonly Share[], head: EventHead): Share | undefined => {
  const last = Math.max(0, shares.length - maxCompared)
  for (let i = shares.length - 1; i >= last; i--) {
    const share = shares[i]
    if (share !== undefined && isSameBucket(share.head, head)) return share
  }
  return undefined
}
