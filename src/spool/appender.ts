import { SluiceError } from '../errors.ts'
import { toPromise, type Waiter } from '../runtime/deferred.ts'
import type { Batch } from './batch.ts'
import { eventIdBytes } from './event-ids.ts'
import type { Gate } from './gate.ts'
import type { Outage } from './heartbeat/outage.ts'
import type { SpaceWatch } from './heartbeat/space-watch.ts'
import { createInFlight, type Flight } from './keys/in-flight.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { Undecided } from './keys/undecided.ts'
import type { Log } from './log/log.ts'
import type { Replica } from './replica/replica.ts'
import { type FramedFacts, readFramedBatches } from './segment/framed-batches.ts'
import type { RangeWaiter, Spool, SpoolStats } from './spool.ts'

/** What the way into the spool rests on. */
export type AppenderParts = {
  readonly log: Log
  readonly keys: KeyStore
  readonly undecided: Pick<Undecided, 'find' | 'ahead'>
  readonly now: () => number
  /** Whether a batch is answered only when the log has it. */
  readonly waitsForDisk: boolean
  readonly gate: Gate
  /** Only for a spool that is replicated to HDFS. */
  readonly replica: Pick<Replica, 'refusal'> | undefined
  readonly isDrained: () => boolean
  readonly space: Pick<SpaceWatch, 'refusal'>
  /** Of the log. */
  readonly outage: Pick<Outage, 'now'>
}

/** The way into the spool: what is taken, and what is known of idempotency keys and ids of events, also while their batch is on its way. */
export type Appender = Pick<Spool, 'keep' | 'keepFramed' | 'append' | 'takeBack' | 'recall' | 'recallIds'> & {
  /** Why nothing is taken now, and the events turned away: the disk is full; the spool closes, or is drained. */
  readonly figures: () => Pick<SpoolStats, 'refusal' | 'droppedEvents' | 'ignoredEvents'>
}

/** Other collectors are ready: the client is asked for a new connection, which leads to one of them. */
const drainedHeaders = { 'retry-after': '1', connection: 'close' }

/** So long a cluster takes at least to be there again. */
const awayHeaders = { 'retry-after': '2' }

/** The error text while the spool is drained. */
export const drainedText = 'drained, until `sluice drain --undo`'

export const createAppender = ({ log, keys, undecided, now, waitsForDisk, ...rest }: AppenderParts): Appender => {
  const inFlight = createInFlight()
  const { refuse, figures } = createRefusing({ log, ...rest })

  const keepIdentified = (batch: Batch, waiter: Waiter<void>): void => {
    let flight: Flight | undefined
    log.append(batch, {
      done: () => {
        // A client that does not wait for the disk is answered before the log has the batch.
        if (!waitsForDisk) keys.note(batch, now())
        flight?.kept()
        waiter.done()
      },
      failed: error => {
        flight?.failed(error)
        waiter.failed(error)
      },
    })
    flight = inFlight.begin(batch)
  }

  const take = (batch: Batch, waiter: Waiter<void>): void => {
    if (batch.idempotency ?? batch.eventIds) keepIdentified(batch, waiter)
    else log.append(batch, waiter)
  }

  const keep = (batch: Batch, waiter: Waiter<void>): void => {
    refuse(batch.events.length)
    take(batch, waiter)
  }

  const keepFramed = (bytes: Uint8Array, facts: FramedFacts, waiter: RangeWaiter): void => {
    const framed = readFramedBatches(bytes, facts)
    const batches = framed.map(({ batch }) => batch)
    try {
      refuse(batches.reduce((sum, { events }) => sum + events.length, 0))
    } catch (error) {
      waiter.failed(0, batches, error)
      waiter.free()
      return
    }
    log.appendFramed(bytes, framed, waiter)
  }

  return {
    keep,
    keepFramed,
    append: batch => toPromise(waiter => keep(batch, waiter)),
    takeBack: batch =>
      toPromise(waiter => {
        refuse(batch.events.length, false)
        take(batch, waiter)
      }),
    recall: key => {
      const pending = inFlight.find(key)
      if (pending) return pending
      const known = keys.find(key)
      if (known) return { ...known, isKept: true, outcome: Promise.resolve(known.outcome) }
      return undecided.find(key)
    },
    recallIds: ids => {
      const kept: number[] = []
      for (let i = 0; i < ids.length / eventIdBytes; i++) if (keys.hasId(ids, i)) kept.push(i)
      return { kept, ahead: inFlight.ahead(ids) ?? undecided.ahead(ids) }
    },
    figures,
  }
}

/** Makes what turns events away while nothing is taken, and counts them. */
const createRefusing = ({
  log,
  gate,
  replica,
  isDrained,
  space,
  outage,
}: Pick<AppenderParts, 'log' | 'gate' | 'replica' | 'isDrained' | 'space' | 'outage'>) => {
  const counts = { dropped: 0, ignored: 0 }

  /**
   * @param isNew whether it is not acknowledged yet: a drain turns nothing else away
   * @throws SluiceError while nothing is taken
   */
  const refuse = (events: number, isNew = true): void => {
    if (gate.refusal !== '') counts.ignored += events
    gate.check()
    if (isNew && isDrained()) {
      counts.ignored += events
      throw new SluiceError('draining', 'This collector is drained and accepts no events', {
        about: 'drained',
        headers: drainedHeaders,
      })
    }
    if (space.refusal !== '') {
      counts.dropped += events
      const headers = { 'retry-after': '10' }
      throw new SluiceError('overloaded', 'The disk of the spool is full', { about: 'spool-full', headers })
    }
    if (replica !== undefined && replica.refusal !== '') {
      counts.dropped += events
      const message = `The log cannot be replicated: ${replica.refusal}`
      throw new SluiceError('unavailable', message, { about: 'log-away', headers: awayHeaders })
    }
  }

  const refusal = (): string => {
    if (gate.refusal !== '') return gate.refusal
    if (isDrained()) return drainedText
    if (space.refusal !== '') return space.refusal
    if (replica !== undefined && replica.refusal !== '') return `the log cannot be replicated: ${replica.refusal}`
    if (log.failed === undefined) return ''
    return `the spool cannot be written: ${outage.now?.reason ?? (log.failed as Error).message}`
  }

  return {
    refuse,
    figures: () => ({ refusal: refusal(), droppedEvents: counts.dropped, ignoredEvents: counts.ignored }),
  }
}
