import { encodeEventName } from '../spool/bucket.ts'
import { refusedDirectory, toRefusedName, unknownType } from '../spool/refused.ts'
import type { RefusedFiles } from './refused-files.ts'

/** Refused events of one hour. */
export type RefusedHour = {
  /** Its beginning, ms since the epoch. */
  readonly at: number
  /** One for each type, or more where the layout of directories was changed. */
  readonly directories: readonly string[]
}

/** Which hours are wanted. */
export type WantedHours = {
  /** Event types, {@link unknownType} for those that could not be read; empty for all. */
  readonly types: readonly string[]
  /** First and last moment of them; ms since the epoch. */
  readonly from: number
  readonly to: number
}

/** Hours in which events were refused, the newest first. @param root directory of all event types */
export async function* newestHours(
  files: Pick<RefusedFiles, 'directories'>,
  root: string,
  { types, from, to }: WantedHours,
): AsyncGenerator<RefusedHour, void, undefined> {
  const base = root === '/' ? '' : root
  const names =
    types.length > 0
      ? types.map(type => encodeEventName(toRefusedName(type === unknownType ? '' : type)))
      : (await files.directories(`${base}/${refusedDirectory}`)).map(name => `${refusedDirectory}/${name}`)
  const [first, last] = [toPlace(from), toPlace(to)]
  const isWanted = (at: string): boolean => at >= first.slice(0, at.length) && at <= last.slice(0, at.length)
  const walks: HourWalk[] = []
  await someAtOnce(names, async name => {
    const directory = `${base}/${name}`
    const found = await files.directories(directory)
    // Each layout is in order for itself.
    for (const isHive of [false, true]) {
      const parts = found.filter(part => part.startsWith('dt=') === isHive)
      const walk: HourWalk = { hours: hoursAmong(files, { directory, place: '', parts }, isWanted), next: undefined }
      await step(walk)
      walks.push(walk)
    }
  })
  for (;;) {
    const at = walks.reduce<number | undefined>((max, { next }) => later(max, next?.at), undefined)
    if (at === undefined) return
    const due = walks.filter(({ next }) => next?.at === at)
    const directories = due.flatMap(({ next }) => next?.directory ?? [])
    await someAtOnce(due, step)
    yield { at, directories }
  }
}

/** Types whose directories are listed at the same time: with thousands, waiting for one after the other takes too long. */
const atOnce = 16

const someAtOnce = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = items.values()
  const takeAll = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, takeAll))
}

type Hour = { readonly at: number; readonly directory: string }
type HourWalk = { readonly hours: AsyncGenerator<Hour, void, undefined>; next: Hour | undefined }

const step = async (walk: HourWalk): Promise<void> => {
  walk.next = (await walk.hours.next()).value ?? undefined
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a

/** The place of an hour in either layout: `2026/11/22/08`. */
const toPlace = (ms: number): string => {
  const bounded = Math.min(Math.max(0, ms), maxTime)
  return new Date(bounded).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/')
}

/** The last moment with a year of four digits. */
const maxTime = Date.UTC(9999, 11, 31, 23, 59)

/** Directories in a directory, with the place of that as far as its path says it. */
type Parts = { readonly directory: string; readonly place: string; readonly parts: readonly string[] }

/** Those of one type and layout, the newest first. */
async function* hoursAmong(
  files: Pick<RefusedFiles, 'directories'>,
  { directory, place, parts }: Parts,
  isWanted: (place: string) => boolean,
): AsyncGenerator<Hour, void, undefined> {
  for (const name of parts) {
    const at = childPlace(place, name)
    if (!partForm.test(at) || !isWanted(at)) continue
    const path = `${directory}/${name}`
    if (at.length < hourLength)
      yield* hoursAmong(files, { directory: path, place: at, parts: await files.directories(path) }, isWanted)
    else yield { at: Date.parse(`${at.slice(0, 10).replaceAll('/', '-')}T${at.slice(11)}:00:00Z`), directory: path }
  }
}

const hourLength = 13
const partForm = /^\d{4}(?:\/\d\d){0,3}$/

/** `2026`, `11`, … or `dt=2026-11-22`, `hour=08`. */
const childPlace = (place: string, name: string): string => {
  const part = name.replace(/^(?:dt|hour)=/, '').replaceAll('-', '/')
  return place === '' ? part : `${place}/${part}`
}
