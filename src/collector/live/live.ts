/**
 * Events as they come, for people who look (`admin/live/`). While nobody looks, an accepted request costs one
 * comparison; the newest refused ones are kept always. Whoever looks gets a sample of what is too much: nothing here
 * makes intake wait.
 */
import type { LiveFeed, LiveRejected, Sent } from '../../beans/live.ts'
import { SluiceError } from '../../errors.ts'
import { stringifyJson } from '../../formats/json.ts'
import type { Batch, EventHead } from '../../spool/batch.ts'
import { type DecodedEvent, decodeEvents, type Payload } from '../../spool/decode-events.ts'
import { toThriftPayload } from '../../spool/thrift-payload.ts'
import { cutValue } from './cut-value.ts'
import { Looker, type MatchesFields } from './looker.ts'
import { createRecent } from './recent.ts'

/** Who may look at a time. */
export const maxLookers = 16

/** Events that are decoded in a second for all who look: who filters by text makes work of each event. */
const maxDecodedPerSecond = 1_000

/** Requests that wait to be shown, and bytes of their bodies; what is beyond is left out. */
const maxWaiting = 256
const maxWaitingBytes = 8 << 20

/** Of a request that is left out, events that are looked at for somebody who looks for their type. */
const maxLookedAt = 100

/** Longest detail of a refusal, in characters. */
const maxDetailChars = 1_000

/** Longest piece of work between two turns of the event loop, in ms; the first event of a request is part of any. */
const pieceMs = 1

/** A request of which events were refused. */
export type Refused = Pick<LiveRejected, 'api' | 'peer' | 'code' | 'detail' | 'events'>

/** The events of a collector as they come. */
export type Live = LiveFeed & {
  /** Whether anybody looks; {@link accept} is not to be called while nobody does. */
  readonly isWatched: boolean
  /** Takes the events of a kept request. Never waits or throws. */
  accept(batch: Batch, peer: string): void
  /** @param sent undefined where nobody has read it */
  reject(refused: Refused, sent: Sent | undefined): void
  /** The newest refused requests, oldest first. */
  recent(): readonly LiveRejected[]
  /** Ends all looking. */
  close(): void
}

export type LiveOptions = {
  /** ms since the epoch. */
  readonly now: () => number
  /** Monotonic, in ms. */
  readonly nowMs: () => number
  /** Names of a Thrift type's fields by their ids; undefined when the type is unknown. */
  readonly fieldNames?: ((eventName: string) => ReadonlyMap<number, string> | undefined) | undefined
  /** Reads the `where` of who looks. @throws SluiceError `bad-parameter` @default none can be given */
  readonly parseWhere?: ((text: string) => MatchesFields) | undefined
  /** Calls a function once a second until what it returns is called. @default a timer that keeps nothing alive */
  readonly everySecond?: (tell: () => void) => () => void
}

/** A request that is to be shown, of its events only those that somebody looks for by their type. */
type Waiting = {
  readonly batch: Batch
  readonly peer: string
  /** How far it was shown: what takes longer than a piece goes on in the next turn. */
  progress?: { readonly wanted: readonly EventHead[]; readonly events: Generator<DecodedEvent>; done: number }
}

/** Nothing is kept and nothing runs until somebody looks, but the newest refused requests. */
export const createLive = ({
  now,
  nowMs,
  fieldNames = () => undefined,
  parseWhere = refuseWhere,
  everySecond = everySecondOf,
}: LiveOptions): Live => {
  const lookers = new Set<Looker>()
  const recent = createRecent()
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let isScheduled = false
  let isClosed = false
  let stopTelling = (): void => {}
  let lastId = 0
  let accepted = 0
  let rejected = 0
  let decoded = 0

  const tell = (): void => {
    for (const looker of lookers) looker.tell(now(), accepted, rejected)
    accepted = 0
    rejected = 0
    decoded = 0
  }
  /** The next events say it as well, if these do not. */
  const leaveOut = (events: readonly EventHead[], from = 0): void => {
    for (const looker of lookers) {
      if (looker.isSampled) continue
      const some = events.slice(from, from + maxLookedAt)
      if (some.some(({ name }) => looker.wantsAccepted(name))) looker.leaveOut()
    }
  }
  const hasRoom = (): boolean => {
    const at = nowMs()
    return decoded < maxDecodedPerSecond && lookers.values().some(looker => looker.hasRoom(at))
  }
  /** Without what stands in the event's head already. */
  const toFields = (event: DecodedEvent): Payload => {
    const { head } = event
    const fields = event.kind === 'smile' ? event.payload : toThriftPayload(event, fieldNames(head.name))
    if (fields['eventDate'] === head.date) delete fields['eventDate']
    if (fields['eventGranularity'] === head.granularity) delete fields['eventGranularity']
    return fields
  }

  const toWanted = (heads: readonly EventHead[]): readonly EventHead[] => {
    const wanted = new Map<string, boolean>()
    const isWanted = (type: string): boolean => {
      const known = wanted.get(type) ?? lookers.values().some(looker => looker.wantsAccepted(type))
      wanted.set(type, known)
      return known
    }
    return heads.filter(({ name }) => isWanted(name))
  }
  const showOne = (event: DecodedEvent, { batch, peer }: Waiting): void => {
    const { name: type, date: eventDate } = event.head
    const wanting = Array.from(lookers).filter(looker => looker.wantsAccepted(type))
    const ready = wanting.filter(looker => looker.hasRoom(nowMs()))
    for (const looker of wanting) if (!ready.includes(looker)) looker.leaveOut()
    if (ready.length === 0) return
    decoded++
    const whole = toFields(event)
    const { value, isCut } = cutValue(whole)
    const fields = stringifyJson(value)
    const { api, format, receivedAt: at = now() } = batch
    const one = { kind: 'accepted', id: ++lastId, at, api, peer, type, eventDate, format, fields, isCut } as const
    for (const looker of ready) looker.showAccepted(one, whole)
  }
  /** Shows a piece of a request. @returns whether nothing is left of it */
  const show = (waiting: Waiting): boolean => {
    const end = nowMs() + pieceMs
    if (waiting.progress === undefined) {
      const wanted = toWanted(waiting.batch.events)
      waiting.progress = { wanted, events: decodeEvents({ ...waiting.batch, events: wanted }), done: 0 }
    }
    const { progress } = waiting
    while (progress.done < progress.wanted.length) {
      if (!hasRoom()) {
        leaveOut(progress.wanted, progress.done)
        return true
      }
      const next = progress.events.next()
      if (next.done) return true
      progress.done++
      showOne(next.value, waiting)
      if (nowMs() > end) return progress.done === progress.wanted.length
    }
    return true
  }
  const showWaiting = (): void => {
    isScheduled = false
    const [next] = waiting
    if (next === undefined) return
    let isDone = true
    try {
      isDone = show(next)
    } catch {
      // What cannot be decoded is for the seal to tell.
      leaveOut(next.batch.events)
    }
    if (isDone && waiting[0] === next) {
      waiting.shift()
      waitingBytes -= next.batch.body.length
    }
    schedule()
  }
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(showWaiting)
  }
  return {
    get isWatched() {
      return lookers.size > 0
    },
    accept(batch, peer) {
      accepted += batch.events.length
      const isFull = waiting.length >= maxWaiting || waitingBytes + batch.body.length > maxWaitingBytes
      if (isFull || !hasRoom()) return leaveOut(batch.events)
      waiting.push({ batch, peer })
      waitingBytes += batch.body.length
      schedule()
    },
    reject(refused, sent) {
      rejected += refused.events
      const detail = refused.detail.slice(0, maxDetailChars)
      const one = { ...refused, kind: 'rejected', id: ++lastId, at: now(), detail, sent } as const
      recent.add(one)
      for (const looker of lookers) looker.showRejected(one, nowMs())
    },
    recent: () => recent.list(),
    watch(filter, listener) {
      if (isClosed) throw new SluiceError('draining', 'The server is ending')
      if (lookers.size >= maxLookers) throw new SluiceError('overloaded', `${maxLookers} look at live events already`)
      const matches = filter.where === undefined ? undefined : parseWhere(filter.where)
      const looker = new Looker(filter, listener, nowMs(), matches)
      if (lookers.size === 0) {
        accepted = 0
        rejected = 0
        stopTelling = everySecond(tell)
      }
      lookers.add(looker)
      for (const one of recent.list()) if (looker.wantsRejected(one)) listener.onEvent(one)
      return () => {
        if (!lookers.delete(looker) || lookers.size > 0) return
        stopTelling()
        waiting.length = 0
        waitingBytes = 0
      }
    },
    close() {
      isClosed = true
      stopTelling()
      for (const looker of lookers) looker.end()
      lookers.clear()
      waiting.length = 0
      waitingBytes = 0
    },
  }
}

const refuseWhere = (): never => {
  throw new SluiceError('bad-parameter', 'where: nothing here can read it')
}

const everySecondOf = (tell: () => void): (() => void) => {
  const timer = setInterval(tell, 1_000)
  timer.unref()
  return () => clearInterval(timer)
}
