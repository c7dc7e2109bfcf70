import { GatewayError } from '../../clients/gateway/error.ts'
import { BeanError } from '../beans/bean-error.ts'
import { SluiceError } from '../errors.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import { isRefusedName, refusedTypeOf, unknownType } from '../spool/refused.ts'
import { findRefused, listRefused, type RefusedPage, type RefusedPageQuery, type RefusedPlace } from './find-refused.ts'
import type { TextSpan } from './locate-json.ts'
import { findMark } from './mark.ts'
import type { RefusedFiles } from './refused-files.ts'
import { type RefusedRecord, whyNotReplayable } from './refused-record.ts'
import { replayInTurn, timeOver } from './replay-in-turn.ts'
import type { ReplayOutcome } from './replayer.ts'

/** Most rows of a page, and most that one call sends in again. */
export const maxRefusedRows = 200

/** Longest time that one call looks through files, in ms. */
const maxLookMs = 15_000

/** The same of a call that sends in again what it finds, and then of that; clients wait 30 s for an answer. */
const maxReplayMs = 10_000

/** Calls that may look through files at once. */
const maxLooks = 4

/** What a list shows of a refused event: all but what was sent. */
export type RefusedLine = Omit<RefusedRecord, Unshown> & {
  /** Why it cannot be sent in again; absent where it can be. */
  readonly notReplayable?: string
  /** Whether what it stands for is in, by a replay or because its sender sent it again. */
  readonly isReplayed: boolean
}

type Unshown = 'sent' | 'sentBase64' | 'headers' | 'isReplayable' | 'fingerprint' | 'dates' | 'sender'

/** Which are wanted. */
export type RefusedQuery = Omit<RefusedPageQuery, 'isWhole'>

/** A page of them. */
export type RefusedLines = {
  readonly rows: readonly RefusedLine[]
  /** `before` of the next page; absent on the last one. */
  readonly next?: string
  /** How far it looked, in words, where the time was over first. */
  readonly stopped?: string
  /** Refused events of these types that are not in files yet. */
  readonly waiting: number
}

/** One of them, with what was sent. */
export type RefusedDetail = RefusedLine & {
  readonly headers: Readonly<Record<string, string>>
  readonly sent?: string
  readonly sentBase64?: string
  /** The place in `sent` that the reason is about, where it can be told. */
  readonly mark?: TextSpan
}

/** Finds refused events, and sends them in again. */
export type RefusedDesk = {
  list(query: RefusedQuery): Promise<RefusedLines>
  /** What `list` gives, with what was sent. */
  export(
    query: RefusedQuery,
  ): Promise<Omit<RefusedLines, 'rows' | 'waiting'> & { readonly rows: readonly RefusedDetail[] }>
  /** @throws BeanError `bad-value` for an id that there is not */
  show(id: string): Promise<RefusedDetail>
  /** One after the other, the oldest first; each once, however often it is called. */
  replay(ids: readonly string[]): Promise<readonly ReplayOutcome[]>
  /** The same of a page. */
  replayFound(query: RefusedQuery): Promise<{ readonly outcomes: readonly ReplayOutcome[]; readonly next?: string }>
}

/** What the desk works with. */
export type RefusedDeskOptions = {
  readonly files: RefusedFiles
  readonly root: string
  readonly replay: (record: RefusedRecord) => Promise<ReplayOutcome>
  /** Whether what it stands for is in. */
  readonly isIn: (record: RefusedRecord) => boolean
  /** Events that are not in files yet, by the name that the spool has for their type. */
  readonly waitingByType: () => ReadonlyMap<string, number>
  /** Monotonic. */
  readonly nowMs: () => number
}

/** Everything here is bounded: rows of an answer, time of a call, calls at once. */
export const createRefusedDesk = (options: RefusedDeskOptions): RefusedDesk => {
  const { files, root, replay, isIn, waitingByType, nowMs } = options
  let looks = 0
  const look = async <T>(work: (place: RefusedPlace) => Promise<T>, maxMs = maxLookMs): Promise<T> => {
    if (looks >= maxLooks) throw new BeanError('failed', 'Others look through refused events just now; try again')
    const endsAt = nowMs() + maxMs
    const isOver = (): boolean => nowMs() > endsAt
    looks++
    try {
      return await work({ files, root, isOver })
    } catch (error) {
      if (error instanceof SluiceError || error instanceof FileSystemError || error instanceof GatewayError)
        throw new BeanError('failed', `Refused events cannot be read: ${error.message}`, { cause: error })
      throw error
    } finally {
      looks--
    }
  }
  const toLine = (record: RefusedRecord): RefusedLine => {
    const notReplayable = whyNotReplayable(record)
    return { ...toShownRecord(record), isReplayed: isIn(record), ...(notReplayable && { notReplayable }) }
  }
  const toDetail = (record: RefusedRecord): RefusedDetail => {
    const { sent, sentBase64, headers } = record
    const mark = findMark(record)
    const text = sent !== undefined && { sent }
    const base64 = sentBase64 !== undefined && { sentBase64 }
    return { ...toLine(record), headers, ...text, ...base64, ...(mark && { mark }) }
  }
  const page = async (query: RefusedQuery, isWhole: boolean): Promise<RefusedPage> => {
    const bounded = { ...query, isWhole, limit: Math.min(maxRefusedRows, Math.max(1, query.limit)) }
    return (await look(place => listRefused(place, bounded))) ?? tooMany()
  }
  const replayAll = (ids: readonly string[]): Promise<readonly ReplayOutcome[]> =>
    look(async place => {
      if (ids.length > maxRefusedRows)
        throw new BeanError('bad-value', `At most ${maxRefusedRows} ids are taken at once`)
      // They are of bounded length, and so are all of them together.
      const found: RefusedRecord[] = []
      for await (const record of findRefused(place, ids)) found.push(record)
      const unfound = place.isOver() ? timeOver : missing
      const endsAt = nowMs() + maxReplayMs
      const outcomes = await replayInTurn(found, { replay, isOver: () => nowMs() > endsAt })
      return [...new Set(ids)].map(id => outcomes.get(id) ?? { ...unfound, id })
    }, maxReplayMs)
  return {
    list: async query => {
      const { found, ...rest } = await page(query, false)
      return { rows: found.map(toLine), waiting: countWaiting(waitingByType(), query.types), ...toRest(rest) }
    },
    export: async query => {
      const { found, ...rest } = await page(query, true)
      return { rows: found.map(toDetail), ...toRest(rest) }
    },
    show: id =>
      look(async place => {
        for await (const record of findRefused(place, [id])) return toDetail(record)
        if (place.isOver())
          throw new BeanError('failed', 'The time was over before all files were looked through; try again')
        throw new BeanError(
          'bad-value',
          `No refused event has the id ${id.slice(0, 60)}; the newest may not be in a file yet`,
        )
      }),
    replayFound: async query => {
      const { found, next } = await page(query, false)
      return { outcomes: await replayAll(found.map(({ id }) => id)), ...(next && { next }) }
    },
    replay: replayAll,
  }
}

const toShownRecord = (record: RefusedRecord): Omit<RefusedRecord, Unshown> => {
  const { sent: _, sentBase64: __, headers: ___, isReplayable: ____, ...rest } = record
  const { fingerprint: _____, dates: ______, sender: _______, ...shown } = rest
  return shown
}

const toRest = ({ next, stopped }: Omit<RefusedPage, 'found'>): Pick<RefusedLines, 'next' | 'stopped'> => {
  if (next === undefined) return {}
  if (stopped === undefined) return { next }
  const { hours, until } = stopped
  const looked = `Looked through ${hours} ${hours === 1 ? 'hour' : 'hours'} with refused events, back to ${new Date(until).toISOString()}`
  return { next, stopped: `${looked}, until the time was over; go on with before=${next}` }
}

const missing: ReplayOutcome = {
  id: '',
  accepted: 0,
  outcome: 'not-found',
  detail: 'No refused event has this id; the newest may not be in a file yet',
}

const tooMany = (): never => {
  throw new BeanError('failed', 'The time was over before one hour was looked through; narrow it down by type or time')
}

const countWaiting = (byType: ReadonlyMap<string, number>, types: readonly string[]): number => {
  let sum = 0
  for (const [name, events] of byType) {
    if (isRefusedName(name) && (types.length === 0 || types.includes(refusedTypeOf(name) || unknownType))) sum += events
  }
  return sum
}
