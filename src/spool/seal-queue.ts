import type { Damage } from './damage-list.ts'
import type { Disk } from './disk/disk.ts'
import { isDue } from './due.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { Ledger } from './ledger.ts'
import type { KeptSchemaView } from './parquet/schema-view.ts'
import { type SealRequest, type SealResult, segmentGone } from './seal.ts'
import { readSealedList, sealedListPath } from './sealed-list.ts'
import { type ClosedSegment, segmentName, segmentPath } from './segment-files.ts'
import type { SpoolLogger, SpoolOptions } from './spool-options.ts'
import { unsealedName } from './spool-paths.ts'

/** A segment that cannot be read after so many attempts is set aside, so that the ones behind it can go on. */
const maxAttempts = 5
const retryMs = 1_000

/** A segment on its way to be sealed; `result` once it is, until the ledger knows. */
type Pending = {
  readonly segment: ClosedSegment
  readonly events: number
  readonly hasKnownKeys: boolean
  attempts: number
  result?: SealResult
}

/** What a request says besides its segment. */
export type SealQueueRequest = Omit<SealRequest, 'segment' | 'end' | 'withKeys'>

export type SealQueueOptions = {
  readonly disk: Disk
  readonly ledger: Ledger
  readonly keys: KeyStore
  /** Hears of columns once the ledger has the files with them. */
  readonly schemas: Pick<KeptSchemaView, 'note' | 'forget'>
  readonly sealing: SpoolOptions['sealing']
  /** What a request says besides its segment, as it is now. */
  readonly request: () => SealQueueRequest
  readonly now: () => number
  readonly log: SpoolLogger
}

/** Closed segments, sealed one after another, oldest first. */
export type SealQueue = {
  /** @param hasKnownKeys whether the keys of its requests are known already */
  add(segment: ClosedSegment, events: number, hasKnownKeys: boolean): void
  /** Seals what waits, unless an attempt failed a moment ago. Concurrent calls share one pass. */
  run(): Promise<void>
  /** Forgets the columns of an event type, between two segments. @returns whether there were any */
  forget(eventName: string): Promise<boolean>
  readonly length: number
  /** Events in the segments that wait. */
  readonly events: number
}

const toDamage = (piece: Damage): SealResult => ({ files: [], keys: [], damage: [piece] })

export const createSealQueue = ({
  disk,
  ledger,
  keys,
  schemas,
  sealing,
  request,
  now,
  log,
}: SealQueueOptions): SealQueue => {
  const queue: Pending[] = []
  let events = 0
  let running: Promise<void> | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** What is known of columns is that of the segments before: nothing comes between a segment and its entry in the ledger. */
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const next = last.then(task)
    last = next.catch(() => {})
    return next
  }
  let retryAt = 0

  const sealOne = async (next: Pending): Promise<SealResult> => {
    const { number, end } = next.segment
    try {
      return await sealing.seal({ ...request(), segment: number, end, withKeys: !next.hasKnownKeys })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === segmentGone) return await toLost(next)
      if (isPassing(error) || ++next.attempts < maxAttempts) throw error
      const file = unsealedName(number)
      // An attempt of which we did not hear may have left one: its files must not be sent beside a replay.
      await disk.unlink(sealedListPath(number))
      await disk.fsyncDir('lists')
      await disk.rename(segmentPath(number), `_quarantine/${file}`)
      await disk.fsyncDir('_quarantine')
      const reason = `The segment could not be sealed: ${(error as Error).message}`
      return { files: [], keys: [], damage: [{ file, bytes: 0, events: next.events, reason }] }
    }
  }

  /** Nothing comes back by waiting, but for a disk that is unavailable as a whole: then its directory cannot be listed either. */
  const toLost = async ({ segment, events: lostEvents }: Pending): Promise<SealResult> => {
    const file = segmentName(segment.number)
    if ((await disk.list('log')).some(({ name }) => name === file)) throw new Error(`${file} is there again`)
    if (!segment.mayBeSealed)
      return toDamage({ file, bytes: 0, events: lostEvents, reason: 'The file is gone', lost: true })
    if ((await readSealedList(disk, segment.number)).length > 0) return { files: [], keys: [], damage: [] }
    const reason = 'The file is gone; the damaged end of the ledger may have known that it was sealed'
    return toDamage({ file, bytes: 0, events: lostEvents, reason })
  }

  /** @returns whether the next one may follow at once */
  const sealNext = async (next: Pending): Promise<boolean> => {
    const segment = next.segment.number
    try {
      next.result ??= withoutDoubt(await sealOne(next), next.events)
      const { files, damage } = next.result
      for (const key of next.result.keys) if (!keys.has(key.key)) keys.add(key)
      // The segment goes: its keys have to be safe without it. Those of one that the ledger saw closed are.
      if (!ledger.state.closed.has(segment)) await keys.flush()
      await ledger.append({ type: 'sealed', segment, files, damage })
      schemas.note(next.result.schemas ?? [], now())
      for (const { file, reason, lost, ...size } of damage) {
        const what = lost ? 'a segment is lost with its events' : 'damage set aside in quarantine'
        log.error({ file, ...size, reason }, what)
      }
    } catch (error) {
      retryAt = now() + retryMs
      log.warn({ segment, err: error }, 'sealing failed, will be repeated')
      return false
    }
    queue.shift()
    events -= next.events
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
    add: (segment, count, hasKnownKeys) => {
      queue.push({ segment, events: count, hasKnownKeys, attempts: 0 })
      events += count
    },
    run: () => {
      running ??= pass().finally(() => {
        running = undefined
      })
      return running
    },
    forget: eventName => inTurn(() => forget(eventName)),
    get length() {
      return queue.length
    },
    get events() {
      return events
    },
  }
}

/** A record that was cut short was nobody's only where all events that the segment is known to hold are there. */
const withoutDoubt = (result: SealResult, known: number): SealResult => {
  const there = [...result.files, ...result.damage].reduce((sum, { events }) => sum + events, 0)
  return there >= known ? result : { ...result, damage: result.damage.map(piece => ({ ...piece, torn: false })) }
}

/** An error of the disk that is written to says nothing of the segment: that waits, however long it lasts. */
const isPassing = (error: unknown): boolean => /^E[A-Z0-9]+$/.test((error as NodeJS.ErrnoException).code ?? '')
