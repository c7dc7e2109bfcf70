import type { Current } from '../../current.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import type { Invariant } from '../invariants/invariants.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import { createBreakOff } from './break-off.ts'
import type { Group } from './groups.ts'
import type { LogDoor } from './log-door.ts'
import type { LogFailure } from './log-failure.ts'
import type { LogTally } from './log-tally.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** How long, in ms, a group waits while more and more requests arrive. */
const gatherMs = 2

export type LogWritingParts = {
  readonly door: LogDoor
  readonly segment: SegmentWriter
  readonly tally: LogTally
  readonly failure: LogFailure
  readonly settings: Current<Pick<SpoolSettings, 'maxSegmentBytes' | 'maxUncommittedEvents'>>
  readonly invariant: Invariant
}

/** Writes what has gathered, one segment after the other. */
export type LogWriting = {
  /** Resolves when nothing waits any more. Concurrent calls share one run. */
  start(): Promise<void>
  /** Ends the segment of what has gathered so far; resolves when it is handed on. */
  roll(): Promise<void>
}

export const createLogWriting = ({
  door,
  segment,
  tally,
  failure,
  settings,
  invariant,
}: LogWritingParts): LogWriting => {
  let running: Promise<void> | undefined

  const endSegment = (isBroken: boolean): Promise<void> => {
    const ended = segment.end(isBroken)
    door.onSegmentEnd()
    return ended
  }

  const breakOff = createBreakOff({ door, tally, failure, segment, endBroken: () => endSegment(true) })

  /**
   * Until the turn of the event loop is over, so that requests which have arrived together share a group; and for some
   * more turns while each brings some: a sync costs as much as several requests.
   */
  const gather = async (): Promise<void> => {
    const until = performance.now() + gatherMs
    let events: number
    do {
      events = tally.counts.queuedEvents
      await nextTurn()
    } while (tally.counts.queuedEvents > events && performance.now() < until)
  }

  const isFull = (): boolean => {
    const { maxSegmentBytes, maxUncommittedEvents } = settings()
    return segment.bytes >= maxSegmentBytes || segment.events >= maxUncommittedEvents
  }

  /** What is counted as queued is what was taken, and what waits after that. */
  const checkQueue = (taken: readonly Group[]): void => {
    const { queuedEvents, queuedBytes } = tally.counts
    let { events, bytes } = door.waiting
    for (const group of taken) {
      events += group.events
      bytes += group.length
    }
    const isSame = queuedEvents === events && queuedBytes === bytes
    invariant(isSame, 'what is queued is what the groups hold', () => ({ queuedEvents, queuedBytes, events, bytes }))
  }

  const run = async (): Promise<void> => {
    do {
      await gather()
      const { groups, endsSegment } = door.take()
      try {
        checkQueue(groups)
        if (groups.length > 0) await segment.write(groups)
      } catch (error) {
        await breakOff(groups, error)
        continue
      }
      if (!endsSegment && !isFull()) continue
      // The requests are answered: a segment that cannot be handed on yet is not a failure of theirs.
      await endSegment(false).catch(cause => failure.begin(cause, segment.number))
    } while (!door.isEmpty)
    running = undefined
  }

  const start = (): Promise<void> => {
    running ??= run()
    return running
  }

  return {
    start,
    roll: () => {
      door.cut()
      return start()
    },
  }
}
