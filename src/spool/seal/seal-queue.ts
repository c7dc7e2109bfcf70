import type { Logger } from '../../log/log.ts'
import { isDue } from '../heartbeat/due.ts'
import { createInTurn } from '../heartbeat/in-turn.ts'
import type { Outage } from '../heartbeat/outage.ts'
import type { Invariant } from '../invariants/invariants.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Tally } from '../ledger/table/file-figures.ts'
import type { KeptSchemaView } from '../parquet/schema-view.ts'
import { type ClosedSegment, type SegmentLoad, segmentPath } from '../segment/segment-files.ts'
import { createQueueLoad } from './queue-load.ts'
import type { SealResult } from './seal.ts'
import { createSealSegment, type PendingSegment, type SealSegmentOptions } from './seal-segment.ts'

const retryMs = 1_000

/** A segment on its way to be sealed; `result` once it is, until the ledger knows. */
type Pending = SegmentLoad & PendingSegment & { result?: SealResult }

export type SealQueueOptions = SealSegmentOptions & {
  readonly ledger: Ledger
  readonly keys: KeyStore
  /** Hears of columns once the ledger has the files with them. */
  readonly schemas: Pick<KeptSchemaView, 'note' | 'forget'>
  readonly now: () => number
  /** Hears whether it goes on. */
  readonly outage: Pick<Outage, 'failed' | 'worked'>
  readonly log: Logger
  readonly invariant: Invariant
}

/** Closed segments, sealed one after another, oldest first. */
export type SealQueue = {
  /** @param hasKnownKeys whether the keys of its requests are known already */
  add(segment: ClosedSegment, load: SegmentLoad, hasKnownKeys: boolean): void
  /** Seals what waits, unless an attempt failed a moment ago. Concurrent calls share one pass. */
  run(): Promise<void>
  /** Forgets the columns of an event type, between two segments. @returns whether there were any */
  forget(eventName: string): Promise<boolean>
  /** Ends the pause after a failed attempt: somebody waits. */
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
  const { disk, ledger, keys, schemas, sealing, now, outage, log, invariant } = options
  const sealSegment = createSealSegment(options)
  const queue: Pending[] = []
  const load = createQueueLoad(queue, invariant)
  let running: Promise<void> | undefined
  /** What is known of columns is that of the segments before: nothing comes between a segment and its entry in the ledger. */
  const inTurn = createInTurn()
  let retryAt = 0
  let hasFailed = false

  const noteSealed = async (
    segment: number,
    { files, keys: found, damage, schemas: learned = [] }: SealResult,
  ): Promise<void> => {
    for (const key of found) if (!keys.has(key.key)) keys.add(key)
    // The segment goes: its keys have to be safe without it. Those of one that the ledger saw closed are.
    if (!ledger.state.closed.has(segment)) await keys.flush()
    await ledger.append({ type: 'sealed', segment, files, damage })
    const { lastSealed } = ledger.state
    // From here on its events stand in the files alone.
    invariant(lastSealed >= segment, 'a segment goes once the ledger has its files', () => ({ segment, lastSealed }))
    schemas.note(learned, now())
    for (const { file, reason, lost, ...size } of damage) {
      const what = lost ? 'a segment is lost with its events' : 'damage set aside in quarantine'
      log.error({ file, ...size, reason }, what)
    }
  }

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

  const pass = async (): Promise<void> => {
    for (let next = queue[0]; next && isDue(now(), retryAt, retryMs); next = queue[0]) {
      const pending = next
      if (!(await inTurn(() => sealNext(pending)))) return
    }
  }

  const forget = async (eventName: string): Promise<boolean> => {
    await sealing.forget(eventName)
    // One that is sealed, and that the ledger could not be told of yet.
    const [next] = queue
    if (next?.result?.schemas)
      next.result = { ...next.result, schemas: next.result.schemas.filter(one => one.eventName !== eventName) }
    return schemas.forget(eventName)
  }

  return {
    add: (segment, held, hasKnownKeys) => {
      queue.push({ ...held, segment, hasKnownKeys, attempts: 0 })
      load.count(held, 1)
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
