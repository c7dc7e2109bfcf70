// node-only: messages between threads
import type { MessagePort } from 'node:worker_threads'
import type { CollectorCounters } from '../collector/counters.ts'
import type { Sent } from '../collector/live/feed.ts'
import type { TellSlowed } from '../collector/quota/quota.ts'
import type { TellRefusal } from '../collector/refused/refusal-log.ts'
import type { Submitted } from '../collector/submit/idempotency.ts'
import { type Keep, toRefusalKind, withDurability } from '../collector/submit/keep.ts'
import type { EventClaim, Keeper } from '../collector/submit/keeper.ts'
import type { Prepared } from '../collector/submit/prepare.ts'
import type { Report } from '../collector/submit/submission.ts'
import { OutcomeUnknown } from '../errors.ts'
import type { Waiter } from '../runtime/deferred.ts'
import type { Durability } from '../spool/replica/replica-status.ts'
import type { HandOverMessage, KeyedMessage, ReceiptsMessage, RemoteDoorStart } from './event-messages.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createRangeWriter, type RangeWriter } from './range-writer.ts'
import { createRangesAway, type RangesAway } from './ranges-away.ts'
import { createSlowedTeller, type SlowedRequests } from './slowed-teller.ts'

/** The refusals of one turn that are passed on with the request as sent. */
const maxSentInTurn = 16

/** What a thread has in place of the spool, of what hears of refusals, and of the names that the main thread counts. */
export type RemoteKeeper = {
  readonly keeper: Keeper
  readonly tellRefusal: TellRefusal
  readonly tellSlowed: TellSlowed
  readonly tellMisfits: (api: Prepared['api'], events: readonly { readonly name: string }[]) => void
}

export type RemoteKeeperOptions = Pick<RemoteDoorStart, 'mark' | 'wantsTraces'> & {
  readonly port: MessagePort
  readonly counters: CollectorCounters
  /** Wall clock, in ms. */
  readonly now: () => number
}

/** Hands over what a thread has taken to the desk of the main thread, at the end of each turn of its event loop. */
export const createRemoteKeeper = ({ port, counters, now, mark, wantsTraces }: RemoteKeeperOptions): RemoteKeeper => {
  let next = createHandOver()
  let isDue = false
  const ranges = createRangesAway()
  const keyed = createQuestions<Submitted>()
  const checks = createQuestions<true>()

  const handOver = (): void => {
    isDue = false
    const handed = next
    next = createHandOver()
    const messages = writer.take().map(range => {
      ranges.add(range)
      return range.message
    })
    port.postMessage({ ...handed, ranges: messages, dropped: writer.takeDropped() } satisfies HandOverMessage)
  }
  const due = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(handOver)
  }
  const writer = createRangeWriter(mark, due)
  /** Of the receipts being reported. */
  const heard: Heard = { durability: 'full' }
  listen(port, { writer, ranges, keyed, checks, heard })

  /** Hands a request over whole. */
  const ask: KeepWaysParts['ask'] = (prepared, request, waiter) => {
    next.keyed.push({
      id: keyed.ask(waiter),
      request,
      prepared: toMessage(prepared),
      traceparent: traceOf(prepared),
    })
    due()
  }
  /** Adds what it has to keep to the records of the turn. */
  const add: Keep = (prepared, waiter) => {
    const facts = { traceparent: traceOf(prepared), misfits: misfitsOf(prepared) }
    writer.add(prepared.batch, now(), facts, new Reporting(prepared.report, waiter, heard))
    due()
  }
  const traceOf = ({ context }: Prepared): string | undefined => (wantsTraces ? context?.traceparent : undefined)

  return {
    keeper: {
      ...createKeepWays({ counters, add, ask }),
      check: async () => {
        await new Promise<true>((done, failed) => {
          next.checks.push(checks.ask({ done, failed }))
          due()
        })
      },
    },
    tellRefusal: (refusal, sent) => {
      const told = { refusal, sent: next.refusals.length < maxSentInTurn ? copySent(sent) : undefined }
      due()
      if (refusal.request === undefined) {
        next.refusals.push(told)
        return undefined
      }
      return new Promise<void>(resolve => {
        const heard = (): void => resolve()
        next.refusals.push({ ...told, id: checks.ask({ done: heard, failed: heard }) })
      })
    },
    tellSlowed: createSlowedTeller(slowed => {
      next.slowed.push(...slowed)
      due()
    }),
    tellMisfits: (api, events) => {
      if (events.length === 0) return
      next.misfits.push({ api, names: events.map(({ name }) => name) })
      due()
    },
  }
}

/** The two ways to the desk: a request whose events have ids, or that has a key, goes whole. */
const createKeepWays = ({ counters, add, ask }: KeepWaysParts): Pick<Keeper, 'keep' | 'keepOnce'> => ({
  keep: (prepared, waiter) => {
    const { api, batch } = prepared
    counters[api].record('handedOver', batch.events.length)
    if (batch.eventIds === undefined) add(prepared, waiter)
    else ask(prepared, undefined, toSubmitted(waiter))
  },
  keepOnce: (request, claim, prepare, waiter) => {
    try {
      const prepared = prepare()
      const { api, batch } = prepared
      const events = batch?.events.length ?? 0
      claimEvents(claim, events, counters[api])
      counters[api].record('handedOver', events)
      ask(prepared, request, waiter)
    } catch (error) {
      waiter.failed(error)
    }
  },
})

type KeepWaysParts = Pick<RemoteKeeperOptions, 'counters'> & {
  readonly add: Keep
  readonly ask: (prepared: Prepared, request: KeyedMessage['request'], waiter: Waiter<Submitted>) => void
}

/** Passes the desk's messages, and its end, to those who wait for it. */
const listen = (port: MessagePort, { writer, ranges, keyed, checks, heard }: OfDesk): void => {
  port.on('message', (receipts: ReceiptsMessage) => {
    heard.durability = receipts.durability
    ranges.hear(receipts, range => writer.free(range))
    keyed.hear(receipts.keyed)
    checks.hear(receipts.checks)
  })
  port.on('close', () => {
    const error = new OutcomeUnknown('The main thread has gone, and with it what it would have answered')
    for (const range of writer.take()) ranges.add(range)
    ranges.fail(error)
    keyed.fail(error)
    checks.fail(error)
  })
}

type OfDesk = {
  readonly writer: RangeWriter
  readonly ranges: RangesAway
  readonly keyed: Questions<Submitted>
  readonly checks: Questions<true>
  readonly heard: Heard
}

type Heard = { durability: Durability }

/** What one turn hands over. */
const createHandOver = () => ({
  keyed: [] as KeyedMessage[],
  refusals: [] as HandOverMessage['refusals'][number][],
  misfits: [] as HandOverMessage['misfits'][number][],
  slowed: [] as SlowedRequests[number][],
  checks: [] as number[],
})

const misfitsOf = ({ mismatches }: Prepared): readonly string[] =>
  mismatches.length === 0 ? noNames : mismatches.map(({ name }) => name)

const noNames: readonly string[] = []

/** Hears of a request without a key. */
const toSubmitted = (waiter: Waiter<Report>): Waiter<Submitted> => ({
  done: ({ outcome }) => waiter.done(outcome),
  failed: error => waiter.failed(error),
})

/** @throws SluiceError `overloaded`, which is counted */
const claimEvents = (claim: EventClaim, events: number, count: CollectorCounters[Prepared['api']]): void => {
  try {
    claim.addEvents(events)
  } catch (error) {
    count.record(toRefusalKind(error), events)
    throw error
  }
}

/** A body is in shared memory, all of which would go with it. */
const toMessage = (prepared: Prepared): Prepared => {
  const { batch } = prepared
  return { ...prepared, context: undefined, batch: batch && { ...batch, body: batch.body.slice() } }
}

const copySent = (sent: Sent | undefined): Sent | undefined => sent && { ...sent, bytes: sent.bytes.slice() }

/** Reports the outcome to the client. A class, not closures: each request makes one. */
class Reporting implements Waiter<void> {
  readonly #report: Report
  readonly #waiter: Waiter<Report>
  readonly #heard: Readonly<Heard>

  constructor(report: Report, waiter: Waiter<Report>, heard: Readonly<Heard>) {
    this.#report = report
    this.#waiter = waiter
    this.#heard = heard
  }

  done(): void {
    this.#waiter.done(withDurability(this.#report, this.#heard.durability))
  }

  failed(error: unknown): void {
    this.#waiter.failed(error)
  }
}
