import { isDeepStrictEqual } from 'node:util'
import type { PendingSegment, SegmentRequest } from './pending-segment.ts'
import type { SealRequest, SealResult } from './seal.ts'
import type { Sealing } from './sealing.ts'

export type SealBesideOptions = {
  readonly sealing: Sealing
  /** As it is now, for a segment. */
  readonly request: (segment: number) => SegmentRequest
}

/** Seals segments beside each other; the result of each is the same as in sequence. */
export type SealBeside = {
  /** Begins with the segments after the first one, as far as there are threads to seal them. */
  begin(queue: readonly PendingSegment[]): void
  /** How a segment is sealed once all before it are; one at a time, and not beside {@link SealBeside.forget}. */
  seal(next: PendingSegment): Promise<SealResult>
  /** See {@link Sealing.forget}. */
  forget(eventName: string): Promise<void>
}

/** A segment that is sealed before its turn, from the columns of one edition. */
type Attempt = { readonly edition: number; readonly result: Promise<SealResult | undefined> }

/**
 * Columns are learned in turn alone. What a segment has been made into ahead of its turn counts if the columns are still those
 * that it began with when its turn comes. Else, and whatever else went wrong, it is sealed again, as if nothing had been.
 */
export const createSealBeside = ({ sealing, request }: SealBesideOptions): SealBeside => {
  const attempts = new Map<PendingSegment, Attempt>()
  /** See {@link SealRequest.edition}. */
  let edition = 0
  /** Where one segment brings new columns the next one may well, too, and would be sealed twice. */
  let isLearning = false
  /** An attempt that failed may have remembered columns without telling. */
  let mayHaveLearned = false

  const toRequest = (next: PendingSegment): SealRequest => {
    const { number, end } = next.segment
    const output = request(number)
    if (next.output && !isDeepStrictEqual(next.output, output)) next.mayHaveLeftovers = true
    next.output = output
    // Whose keys are not known could not be read before: nor are its events.
    const facts = next.hasKnownKeys ? { events: next.events, withKeys: false } : { events: undefined, withKeys: true }
    return { ...output, segment: number, end, edition, ...facts }
  }
  const sealAhead = async (next: PendingSegment): Promise<SealResult | undefined> => {
    try {
      return await sealing.seal({ ...toRequest(next), isAhead: true })
    } catch {
      return undefined
    }
  }
  const sealInTurn = async (next: PendingSegment): Promise<SealResult> => {
    try {
      const result = await sealing.seal(toRequest(next))
      isLearning = result.hasLearned === true
      if (isLearning) edition++
      const hasLearned = isLearning || mayHaveLearned
      mayHaveLearned = false
      return { ...result, hasLearned }
    } catch (error) {
      mayHaveLearned = true
      edition++
      throw error
    }
  }
  return {
    begin: queue => {
      if (isLearning) return
      for (const next of queue.slice(1, sealing.atOnce))
        if (!attempts.has(next)) attempts.set(next, { edition, result: sealAhead(next) })
    },
    seal: async next => {
      const attempt = attempts.get(next)
      attempts.delete(next)
      const result = await attempt?.result
      const counts = result?.schemas === undefined || attempt?.edition === edition
      return result && counts ? result : await sealInTurn(next)
    },
    forget: async eventName => {
      try {
        await sealing.forget(eventName)
      } finally {
        edition++
      }
    },
  }
}
