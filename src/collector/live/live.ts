/**
 * Live views of events (`admin/live/`). Without viewers, an accepted request costs one comparison; the newest refused
 * ones are always kept. At a high rate a viewer gets a sample: nothing here makes intake wait.
 */
import { SluiceError } from '../../errors.ts'
import { startInterval } from '../../runtime/timers.ts'
import type { Batch } from '../../spool/batch.ts'
import { createAudience } from './audience.ts'
import type { LiveFeed, LiveFigures, LiveRejected, Sent } from './feed.ts'
import { type LiveWhere, Looker } from './looker.ts'
import { createRecentRefusals, toShown } from './recent.ts'
import { createShowRequest } from './show-request.ts'
import { createWaitingRequests } from './waiting-requests.ts'

/** Who may look at a time. */
export const maxLookers = 16

/** Longest detail of a refusal, in characters. */
const maxDetailChars = 1_000

/** A request of which events were refused. */
export type Refused = Pick<LiveRejected, 'api' | 'peer' | 'code' | 'detail' | 'events'>

/** The events of a collector as they arrive. */
export type Live = LiveFeed & {
  /** Whether there are viewers; {@link accept} must not be called without. */
  readonly isWatched: boolean
  /** Takes the events of a kept request. Never waits or throws. */
  accept(batch: Batch, peer: string): void
  /** @param sent undefined if the body was not read */
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
  readonly parseWhere?: ((text: string) => LiveWhere) | undefined
  /** Senders over the quota now. @default there is no quota */
  readonly slowed?: (() => LiveFigures['slowed']) | undefined
  /** Calls a function once a second until what it returns is called. @default a timer that keeps nothing alive */
  readonly everySecond?: (tell: () => void) => () => void
}

/** Nothing is kept and nothing runs without viewers, except the newest refused requests. */
export const createLive = ({
  now,
  nowMs,
  fieldNames = () => undefined,
  parseWhere = refuseWhere,
  slowed = () => [],
  everySecond = everySecondOf,
}: LiveOptions): Live => {
  const audience = createAudience(nowMs)
  const { lookers } = audience
  const recent = createRecentRefusals()
  let isClosed = false
  let stopTelling = (): void => {}
  let lastId = 0
  let accepted = 0
  let rejected = 0

  const nextId = (): number => ++lastId
  const show = createShowRequest({ audience, now, nowMs, fieldNames, nextId })
  const waiting = createWaitingRequests(request => {
    const startedAt = nowMs()
    try {
      return show(request)
    } catch {
      // Events that cannot be decoded are reported by the seal.
      audience.leaveOut(request.batch.events)
      return true
    } finally {
      audience.onWorked(nowMs() - startedAt)
    }
  })
  const tell = (): void => {
    for (const looker of lookers) looker.tell({ at: now(), accepted, rejected, slowed: slowed() })
    accepted = 0
    rejected = 0
    audience.startSecond()
  }
  return {
    get isWatched() {
      return lookers.size > 0
    },
    accept(batch, peer) {
      accepted += batch.events.length
      if (!audience.hasRoom() || !waiting.add(batch, peer)) audience.leaveOut(batch.events)
    },
    reject(refused, sent) {
      rejected += refused.events
      const detail = refused.detail.slice(0, maxDetailChars)
      const one = { ...refused, kind: 'rejected', id: nextId(), at: now(), detail, sent: toShown(sent) } as const
      recent.add(one)
      for (const looker of lookers) looker.showRejected(one, nowMs())
    },
    recent: () => recent.list(),
    watch(filter, listener) {
      if (isClosed) throw new SluiceError('draining', 'The server is shutting down', { about: 'shutting-down' })
      if (lookers.size >= maxLookers) throw new SluiceError('overloaded', `At most ${maxLookers} clients can watch`)
      const where = filter.where === undefined ? undefined : parseWhere(filter.where)
      const looker = new Looker(filter, listener, nowMs(), where)
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
        waiting.clear()
      }
    },
    close() {
      isClosed = true
      stopTelling()
      for (const looker of lookers) looker.end()
      lookers.clear()
      waiting.clear()
    },
  }
}

const refuseWhere = (): never => {
  throw new SluiceError('bad-parameter', 'where: not supported by this server')
}

const everySecondOf = (tell: () => void): (() => void) => {
  const timer = startInterval(tell, 1_000)
  timer.unref()
  return () => clearInterval(timer)
}
