import { firstRefusedId, timeOfRefusedId } from '../spool/refused-id.ts'
import { newestHours, type WantedHours } from './refused-hours.ts'
import { type RefusedPlace, withinPlace } from './refused-place.ts'
import type { RefusedRecord } from './refused-record.ts'

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
  /** The time was over: how many hours with refused events were looked through, and until which. Absent where it was not. */
  readonly stopped?: { readonly hours: number; readonly until: number }
}

/** The events of a page, in characters. */
const maxPageChars = 4 * 1024 * 1024

/**
 * One page. Hours are looked through as a whole, so that the order is right; of each no more than two pages are held,
 * by their number and by their bytes. When the time is over, the page ends after the last whole hour. Undefined where
 * not even one was looked through.
 */
export const listRefused = async (place: RefusedPlace, query: RefusedPageQuery): Promise<RefusedPage | undefined> => {
  const { root, isOver } = place
  const { types, from, code, before = firstRefusedId(query.to + 1), limit, isWhole } = query
  const files = withinPlace(place)
  const to = Math.min(query.to, lastTimeBefore(before) ?? query.to)
  const isWanted = ({ id, when, code: its }: RefusedRecord): boolean =>
    id < before && when >= from && (code === undefined || its === code)
  const mayBe = (text: string): boolean => code === undefined || text.includes(JSON.stringify(code))
  const found: RefusedRecord[] = []
  let chars = 0
  let hours = 0
  let until = 0
  const stop = (): RefusedPage | undefined =>
    hours === 0 ? undefined : { found, next: firstRefusedId(until), stopped: { hours, until } }
  for await (const { at, directories } of newestHours(files, root, { types, from, to })) {
    const newest = createNewest(limit - found.length, maxPageChars - chars, found.length > 0)
    for (const directory of directories) {
      for (const name of await files.files(directory)) {
        for await (const row of files.rows(`${directory}/${name}`, mayBe)) if (isWanted(row)) newest.add(row, isWhole)
      }
      if (isOver()) return stop()
    }
    const rows = newest.rows()
    found.push(...rows)
    chars += rows.reduce((sum, row) => sum + charsOf(row), 0)
    hours++
    until = at
    if (found.length === limit || newest.isCut) return { found, next: found.at(-1)?.id }
    if (isOver()) return stop()
  }
  return isOver() ? stop() : { found, next: undefined }
}

/** When an id before this one may be from, at most. */
const lastTimeBefore = (id: string): number | undefined => {
  const time = timeOfRefusedId(id)
  return time !== undefined && id === firstRefusedId(time) ? time - 1 : time
}

/** The newest of many, in their order. @param hasOthers whether a row may be left out that alone is too long */
const createNewest = (limit: number, maxChars: number, hasOthers: boolean) => {
  let kept: RefusedRecord[] = []
  let chars = 0
  /** Once some were left out: the oldest that is held. */
  let oldest: string | undefined
  let isCut = false
  const prune = (): void => {
    kept.sort((a, b) => (a.id < b.id ? 1 : -1))
    let length = 0
    chars = 0
    for (const row of kept) {
      if (length === limit || ((hasOthers || length > 0) && chars + charsOf(row) > maxChars)) break
      chars += charsOf(row)
      length++
    }
    if (length === kept.length) return
    isCut = true
    kept = kept.slice(0, length)
    oldest = kept.at(-1)?.id
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
    /** @param isWhole whether what was sent is held, too */
    add: (row: RefusedRecord, isWhole: boolean): void => {
      if (oldest !== undefined && row.id < oldest) return
      const held = isWhole ? row : { ...row, sent: undefined, sentBase64: undefined }
      kept.push(held)
      chars += charsOf(held)
      if (kept.length >= 2 * limit || chars > 2 * maxChars) prune()
    },
  }
}

/** How long the texts of it are together: each of them is for its sender to choose. */
export const charsOf = ({ headers, ...columns }: RefusedRecord): number =>
  [...Object.values(columns), ...Object.values(headers)].reduce<number>((sum, value) => sum + lengthOf(value), 0)

const lengthOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)
