import { firstRefusedId, timeOfRefusedId } from '../spool/refused-id.ts'
import type { RefusedFiles } from './refused-files.ts'
import { newestHours, type WantedHours } from './refused-hours.ts'
import type { RefusedRecord } from './refused-record.ts'

/** Where refused events are, and until when they are looked for. */
export type RefusedPlace = {
  readonly files: RefusedFiles
  /** The directory of all event types. */
  readonly root: string
  /** Whether it has taken long enough. */
  readonly isOver: () => boolean
}

/** Which refused events are wanted. */
export type RefusedPageQuery = WantedHours & {
  /** Undefined for all. */
  readonly code: string | undefined
  /** Only those whose ids are before this one; undefined for the newest. */
  readonly before: string | undefined
  readonly limit: number
  /** Whether what was sent is wanted, too. */
  readonly isWhole: boolean
}

/** Some of them, the newest first. */
export type RefusedPage = {
  readonly found: readonly RefusedRecord[]
  /** What `before` is for the next page; undefined where nothing is left to look at. */
  readonly next: string | undefined
}

/** What was sent of the events of a page, in characters. */
const maxPageChars = 4 * 1024 * 1024

const hourMs = 3_600_000

/**
 * One page. Hours are looked through as a whole, so that the order is right; of each no more than two pages are held, by
 * their number and by their bytes. When the time is over, the page ends behind the last whole hour. Undefined where not even one was looked through.
 */
export const listRefused = async (place: RefusedPlace, query: RefusedPageQuery): Promise<RefusedPage | undefined> => {
  const { files, root, isOver } = place
  const { types, from, code, before = firstRefusedId(query.to + 1), limit, isWhole } = query
  const to = Math.min(query.to, lastTimeBefore(before) ?? query.to)
  const isWanted = ({ id, when, code: its }: RefusedRecord): boolean =>
    id < before && when >= from && (code === undefined || its === code)
  const mayBe = (text: string): boolean => code === undefined || text.includes(JSON.stringify(code))
  const found: RefusedRecord[] = []
  let isFirst = true
  for await (const { at, directories } of newestHours(files, root, { types, from, to })) {
    const newest = createNewest(limit - found.length)
    for (const directory of directories) {
      for await (const row of files.rows(directory, mayBe)) {
        if (isWanted(row)) newest.add(isWhole ? row : { ...row, sent: undefined, sentBase64: undefined })
        if (isOver()) return isFirst ? undefined : { found, next: firstRefusedId(at + hourMs) }
      }
    }
    isFirst = false
    found.push(...newest.rows())
    if (found.length === limit || newest.isCut) return { found, next: found.at(-1)?.id }
    if (isOver()) return { found, next: firstRefusedId(at) }
  }
  return { found, next: undefined }
}

/** When an id before this one may be from, at most. */
const lastTimeBefore = (id: string): number | undefined => {
  const time = timeOfRefusedId(id)
  return time !== undefined && id === firstRefusedId(time) ? time - 1 : time
}

/** Those of some ids, as they are found; ends early when the time is over. */
export async function* findRefused(
  { files, root, isOver }: RefusedPlace,
  ids: readonly string[],
): AsyncGenerator<RefusedRecord, void, undefined> {
  const left = new Set(ids.filter(id => timeOfRefusedId(id) !== undefined))
  for (const [hour, wanted] of Map.groupBy([...left], id => Math.floor((timeOfRefusedId(id) ?? 0) / hourMs))) {
    const mayBe = (text: string): boolean => wanted.some(id => left.has(id) && text.includes(id))
    const span = { types: [], from: hour * hourMs, to: hour * hourMs }
    for await (const { directories } of newestHours(files, root, span)) {
      for (const directory of directories) {
        if (!wanted.some(id => left.has(id))) break
        for await (const row of files.rows(directory, mayBe)) {
          if (left.delete(row.id)) yield row
          if (isOver()) return
        }
      }
    }
  }
}

/** The newest of many, in their order. */
const createNewest = (limit: number) => {
  let kept: RefusedRecord[] = []
  let chars = 0
  let isCut = false
  const prune = (): void => {
    kept.sort((a, b) => (a.id < b.id ? 1 : -1))
    let length = 0
    chars = 0
    for (const row of kept) {
      if (length === limit || (length > 0 && chars + charsOf(row) > maxPageChars)) break
      chars += charsOf(row)
      length++
    }
    isCut ||= length < kept.length
    kept = kept.slice(0, length)
  }
  return {
    /** Whether there were more than it holds. */
    get isCut() {
      return isCut
    },
    rows: (): readonly RefusedRecord[] => {
      prune()
      return kept
    },
    add: (row: RefusedRecord): void => {
      kept.push(row)
      chars += charsOf(row)
      if (kept.length >= 2 * limit || chars > 2 * maxPageChars) prune()
    },
  }
}

const charsOf = ({ sent = '', sentBase64 = '' }: RefusedRecord): number => sent.length + sentBase64.length
