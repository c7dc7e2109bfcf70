import { GatewayError } from '../../clients/gateway/error.ts'
import { BeanError } from '../beans/bean-error.ts'
import { SluiceError } from '../errors.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import { isRefusedName, refusedTypeOf, unknownType } from '../spool/refused.ts'
import {
  charsOf,
  findRefused,
  listRefused,
  type RefusedPage,
  type RefusedPageQuery,
  type RefusedPlace,
} from './find-refused.ts'
import type { TextSpan } from './locate-json.ts'
import { findMark } from './mark.ts'
import type { RefusedFiles } from './refused-files.ts'
import { type RefusedRecord, whyNotReplayable } from './refused-record.ts'
import { replayInTurn, timeOver } from './replay-in-turn.ts'
import type { ReplayOutcome } from './replayer.ts'
import { startTimeLimit, type TimeLimitOptions, withinTime } from './time-limit.ts'

/** Most rows of a page, and most that one call sends in again. */
export const maxRefusedRows = 200

/** Longest time that one call looks through files, in ms. */
const maxLookMs = 15_000

/** The same of sending in again what was found; clients wait 30 s for the answer to both. */
const maxReplayMs = 10_000

/** What one call sends in again, in characters, unless a single one is longer: what was set aside is stored whole. */
const maxReplayChars = 16 * 1024 * 1024

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
export type RefusedDeskOptions = TimeLimitOptions & {
  readonly files: RefusedFiles
  readonly root: string
  readonly replay: (record: RefusedRecord) => Promise<ReplayOutcome>
  /** Whether what it stands for is in. */
  readonly isIn: (record: RefusedRecord) => boolean
  /** Events that are not in files yet, by the name that the spool has for their type. */
  readonly waitingByType: () => ReadonlyMap<string, number>
}

/** Everything here is bounded: rows of an answer, time of a call, calls at once. */
export const createRefusedDesk = (options: RefusedDeskOptions): RefusedDesk => {
  const { files, root, replay, isIn, waitingByType } = options
  let looks = 0
  const look = async <T>(work: (place: RefusedPlace) => Promise<T>): Promise<T> => {
    if (looks >= maxLooks) throw new BeanError('failed', 'Others look through refused events just now; try again')
    const limit = startTimeLimit(maxLookMs, options)
    looks++
    try {
      return await work({ files: withinTime(files, limit), root, isOver: limit.isOver })
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
  const toPage = async (place: RefusedPlace, query: RefusedQuery, isWhole: boolean): Promise<RefusedPage> => {
    const bounded = { ...query, isWhole, limit: Math.min(maxRefusedRows, Math.max(1, query.limit)) }
    return (await listRefused(place, bounded)) ?? tooMany()
  }
  const page = (query: RefusedQuery, isWhole: boolean): Promise<RefusedPage> =>
    look(place => toPage(place, query, isWhole))
  const replayNow = (found: readonly RefusedRecord[]): Promise<ReadonlyMap<string, ReplayOutcome>> =>
    replayInTurn(found, { replay, ...startTimeLimit(maxReplayMs, options) })
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
    replayFound: query =>
      look(async place => {
        const { found, next } = await toPage(place, query, true)
        const outcomes = await replayNow(found)
        return { outcomes: found.flatMap(({ id }) => outcomes.get(id) ?? []), ...(next && { next }) }
      }),
    replay: ids =>
      look(async place => {
        if (ids.length > maxRefusedRows)
          throw new BeanError('bad-value', `At most ${maxRefusedRows} ids are taken at once`)
        const { found, isCut } = await takeFound(place, ids)
        const unfound = isCut || place.isOver() ? timeOver : missing
        const outcomes = await replayNow(found)
        return [...new Set(ids)].map(id => outcomes.get(id) ?? { ...unfound, id })
      }),
  }
}

/** Those that one call has room for, the oldest hours first. */
const takeFound = async (place: RefusedPlace, ids: readonly string[]) => {
  const found: RefusedRecord[] = []
  let chars = 0
  for await (const record of findRefused(place, ids.toSorted())) {
    chars += charsOf(record)
    if (found.length > 0 && chars > maxReplayChars) return { found, isCut: true }
    found.push(record)
  }
  return { found, isCut: false }
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
