import { GatewayError } from '../../clients/gateway/error.ts'
import { BeanError } from '../beans/bean-error.ts'
import { SluiceError } from '../errors.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import { isRefusedName, refusedTypeOf, unknownType } from '../spool/refused.ts'
import { findRefused } from './find-by-ids.ts'
import { charsOf, listRefused, type RefusedPage, type RefusedPageQuery } from './list-refused.ts'
import { findMark } from './mark.ts'
import type {
  PageRest,
  RefusedDetail,
  RefusedDetails,
  RefusedLine,
  RefusedLines,
  ReplayedPage,
  ReplayOutcome,
} from './refused-answers.ts'
import type { RefusedFiles } from './refused-files.ts'
import type { RefusedPlace, UnreadableFile } from './refused-place.ts'
import { type RefusedRecord, whyNotReplayable } from './refused-record.ts'
import { replayInTurn, timeOver } from './replay-in-turn.ts'
import { startTimeLimit, type TimeLimitOptions, withinTime } from './time-limit.ts'

/** Most that one call sends in again. */
export const maxReplays = 200

/** Most rows of a page: fewer where they are long. */
const maxPageRows = 5_000

/** Files of which an answer says that they cannot be read. */
const maxUnreadable = 20

/** Longest time that one call looks through files, in ms. */
const maxLookMs = 15_000

/** The same of sending in again what was found; clients wait 30 s for the answer to both. */
const maxReplayMs = 10_000

/** What one call sends in again, in characters, unless a single one is longer: what was set aside is stored whole. */
const maxReplayChars = 16 * 1024 * 1024

/** Calls that may look through files at once. */
const maxLooks = 4

/** Which are wanted. */
export type RefusedQuery = Omit<RefusedPageQuery, 'isWhole'>

/** Finds refused events, and sends them in again. */
export type RefusedDesk = {
  list(query: RefusedQuery): Promise<RefusedLines>
  /** What `list` gives, with what was sent. */
  export(query: RefusedQuery): Promise<RefusedDetails>
  /** @throws BeanError `bad-value` for an id that there is not */
  show(id: string): Promise<RefusedDetail>
  /** One after the other, the oldest first; each once, however often it is called. */
  replay(ids: readonly string[]): Promise<readonly ReplayOutcome[]>
  /** The same of a page. */
  replayFound(query: RefusedQuery): Promise<ReplayedPage>
}

/** The dependencies of the desk. */
export type RefusedDeskOptions = TimeLimitOptions & {
  readonly files: RefusedFiles
  readonly root: string
  readonly replay: (record: RefusedRecord) => Promise<ReplayOutcome>
  /** Whether its events are in. */
  readonly isIn: (record: RefusedRecord) => boolean
  /** Events that are not in files yet, by the name that the spool has for their type. */
  readonly waitingByType: () => ReadonlyMap<string, number>
}

/** Everything here is bounded: rows of an answer, time of a call, calls at once. */
export const createRefusedDesk = (options: RefusedDeskOptions): RefusedDesk => {
  const { files, root, replay, isIn, waitingByType } = options
  let looks = 0
  const look = async <T>(work: (place: LookedPlace) => Promise<T>): Promise<T> => {
    if (looks >= maxLooks) throw new BeanError('failed', 'Another search of refused events is running; retry later')
    const limit = startTimeLimit(maxLookMs, options)
    const unreadable: UnreadableFile[] = []
    const onUnreadable = (file: UnreadableFile): void =>
      void (unreadable.length < maxUnreadable && unreadable.push(file))
    looks++
    try {
      return await work({ files: withinTime(files, limit), root, isOver: limit.isOver, onUnreadable, unreadable })
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
  const toPage = async (place: LookedPlace, query: RefusedQuery, isWhole: boolean): Promise<Page> => {
    const limit = Math.min(maxPageRows, Math.max(1, query.limit))
    const { found, ...rest } = (await listRefused(place, { ...query, isWhole, limit })) ?? tooMany()
    return { found, rest: toRest(rest, place.unreadable) }
  }
  const page = (query: RefusedQuery, isWhole: boolean): Promise<Page> => look(place => toPage(place, query, isWhole))
  const replayNow = (found: readonly RefusedRecord[]): Promise<ReadonlyMap<string, ReplayOutcome>> =>
    replayInTurn(found, { replay, ...startTimeLimit(maxReplayMs, options) })
  return {
    list: async query => {
      const { found, rest } = await page(query, false)
      return { rows: found.map(toLine), waiting: countWaiting(waitingByType(), query.types), ...rest }
    },
    export: async query => {
      const { found, rest } = await page(query, true)
      return { rows: found.map(toDetail), ...rest }
    },
    show: id =>
      look(async place => {
        for await (const record of findRefused(place, [id])) return toDetail(record)
        if (place.isOver())
          throw new BeanError('failed', 'The search took too long; retry, or narrow it by type or time')
        throw new BeanError('bad-value', `No refused event has the id ${id.slice(0, 60)}; ${whyMissing(place)}`)
      }),
    replayFound: query =>
      look(async place => {
        const limit = Math.min(maxReplays, query.limit)
        const { found, rest } = await toPage(place, { ...query, limit }, true)
        const outcomes = await replayNow(found)
        return { outcomes: found.flatMap(({ id }) => outcomes.get(id) ?? []), ...rest }
      }),
    replay: ids =>
      look(async place => {
        if (ids.length > maxReplays) throw new BeanError('bad-value', `At most ${maxReplays} ids are accepted per call`)
        const { found, isCut } = await takeFound(place, ids)
        const unfound = isCut || place.isOver() ? timeOver : toMissing(place)
        const outcomes = await replayNow(found)
        return [...new Set(ids)].map(id => outcomes.get(id) ?? { ...unfound, id })
      }),
  }
}

/** Where a call looks, and what it could not read there so far. */
type LookedPlace = RefusedPlace & { readonly unreadable: readonly UnreadableFile[] }

type Page = { readonly found: readonly RefusedRecord[]; readonly rest: PageRest }

/** Those that fit into one call, the oldest hours first. */
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

const toShownRecord = (record: RefusedRecord): Omit<RefusedLine, 'notReplayable' | 'isReplayed'> => {
  const { sent: _, sentBase64: __, headers: ___, isReplayable: ____, ...rest } = record
  const { fingerprint: _____, dates: ______, sender: _______, damaged: ________, ...shown } = rest
  return shown
}

const toRest = ({ next, stopped }: Omit<RefusedPage, 'found'>, unreadable: readonly UnreadableFile[]): PageRest => ({
  ...(next !== undefined && { next }),
  ...(stopped && { stopped: toStoppedText(stopped) }),
  ...(unreadable.length > 0 && { unreadable }),
})

const toStoppedText = ({ hours, until }: NonNullable<RefusedPage['stopped']>): string =>
  `The search took too long and stopped after ${hours} ${hours === 1 ? 'hour' : 'hours'} with refused events, back to ${new Date(until).toISOString()}`

/** It may be in a file that cannot be read. */
const whyMissing = ({ unreadable: [first] }: LookedPlace): string =>
  first === undefined ? 'the newest may not be in a file yet' : `${first.path} cannot be read: ${first.reason}`

const toMissing = (place: LookedPlace): ReplayOutcome => ({
  id: '',
  accepted: 0,
  outcome: 'not-found',
  detail: `No refused event has this id; ${whyMissing(place)}`,
})

const tooMany = (): never => {
  throw new BeanError('failed', 'The search of one hour took too long; narrow it by type or time')
}

const countWaiting = (byType: ReadonlyMap<string, number>, types: readonly string[]): number => {
  let sum = 0
  for (const [name, events] of byType) {
    if (isRefusedName(name) && (types.length === 0 || types.includes(refusedTypeOf(name) || unknownType))) sum += events
  }
  return sum
}
