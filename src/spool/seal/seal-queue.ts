import type { Disk } from '../../disk/disk.ts'
import { isDue } from '../heartbeat/due.ts'
import { createInTurn } from '../heartbeat/in-turn.ts'
import type { Outage } from '../heartbeat/outage.ts'
import type { Tally } from '../ledger/table/file-figures.ts'
import { syncSchemas } from '../parquet/schema-file.ts'
import type { KeptSchemaView } from '../parquet/schema-view.ts'
import { type ClosedSegment, type SegmentLoad, segmentPath } from '../segment/segment-files.ts'
import { createNoteSealed, type NoteSealedOptions } from './note-sealed.ts'
import type { PendingSegment } from './pending-segment.ts'
import { createQueueLoad } from './queue-load.ts'
import type { SealResult } from './seal.ts'
import { createSealBeside, type SealBesideOptions } from './seal-beside.ts'
import { createSealSegment, type SealSegmentOptions } from './seal-segment.ts'

const retryMs = 1_000

/** A segment on its way to be sealed; `result` once it is, until the ledger knows. */
type Pending = SegmentLoad & PendingSegment & { result?: SealResult }

export type SealQueueOptions = SealBesideOptions &
  NoteSealedOptions &
  Pick<SealSegmentOptions, 'replica'> & {
    readonly disk: Disk
    readonly schemas: Pick<KeptSchemaView, 'note' | 'forget'>
    /** Notified of each success and failure. */
    readonly outage: Pick<Outage, 'failed' | 'worked'>
  }

/** Closed segments, sealed beside each other, and noted one after another, oldest first. */
export type SealQueue = {
  /** @param hasKnownKeys whether the keys of its requests are known already */
  add(segment: ClosedSegment, load: SegmentLoad, hasKnownKeys: boolean): void
  /** Seals what waits, unless an attempt failed a moment ago. Concurrent calls share one pass. */
  run(): Promise<void>
  /** Forgets the columns of an event type, between two segments. @returns whether there were any */
  forget(eventName: string): Promise<boolean>
  /** Ends the pause after a failed attempt: a caller waits. */
  hurry(): void
  /** Segments that wait because the last attempt failed. */
  readonly stuck: number
  readonly length: number
  /** What the segments hold that wait. */
  readonly waiting: Readonly<Tally>
  /** When the oldest event in them was kept, ms since the epoch; undefined where they hold none. */
  readonly oldest: number | undefined
}

export const createSealQueue = (options: SealQueueOptions): SealQueue => {
  const { disk, ledger, schemas, now, outage, log, invariant } = options
  const beside = createSealBeside(options)
  const sealSegment = createSealSegment({ disk, beside, state: ledger.state, replica: options.replica })
  const noteSealed = createNoteSealed(options)
  const queue: Pending[] = []
  const load = createQueueLoad(queue, invariant)
  let running: Promise<void> | undefined
  /** What is known of columns is that of the segments before: nothing comes between a segment and its entry in the ledger. */
  const inTurn = createInTurn()
  let retryAt = 0
  let hasFailed = false

  /** @returns whether the next one may follow at once */
  const sealNext = async (next: Pending): Promise<boolean> => {
    const segment = next.segment.number
    try {
      next.result ??= await sealSegment(next)
      await noteSealed(segment, next.result)
      queue.shift()
      load.count(next, -1)
    } catch (error) {
      retryAt = now() + retryMs
      hasFailed = true
      outage.failed(error instanceof Error ? error.message : String(error), { segment, err: error })
      return false
    }
    outage.worked()
    hasFailed = false
    // Should this fail, the next start knows from the ledger that the segment is sealed.
    await disk
      .unlink(segmentPath(segment))
      .catch((error: unknown) => log.warn({ segment, err: error }, 'a sealed segment could not be removed'))
    return true
  }

  /** While the first one waits after a failure, so do those after it. */
  const begin = (): void => {
    if (!hasFailed) beside.begin(queue)
  }

  const pass = async (): Promise<void> => {
    for (let next = queue[0]; next && isDue(now(), retryAt, retryMs); next = queue[0]) {
      const pending = next
      begin()
      if (!(await inTurn(() => sealNext(pending)))) return
    }
  }

  const forget = async (eventName: string): Promise<boolean> => {
    await beside.forget(eventName).then(() => syncSchemas(disk))
    // One that is sealed, and that the ledger does not have yet.
    const [next] = queue
    if (next?.result?.schemas)
      next.result = { ...next.result, schemas: next.result.schemas.filter(one => one.eventName !== eventName) }
    return schemas.forget(eventName)
  }

  return {
    add: (segment, held, hasKnownKeys) => {
      queue.push({ ...held, segment, hasKnownKeys, attempts: 0 })
      load.count(held, 1)
      if (running) begin()
    },
    run: () => {
      running ??= pass().finally(() => {
        running = undefined
      })
      return running
    },
    forget: eventName => inTurn(() => forget(eventName)),
    hurry: () => {
      retryAt = 0
    },
    get stuck() {
      return hasFailed ? queue.length : 0
    },
    get length() {
      return queue.length
    },
    waiting: load.waiting,
    // Oldest first; the few in front that hold nothing are sealed at once.
    get oldest() {
      return queue.find(({ events }) => events > 0)?.since
    },
  }
}
