import { periodPath, plainLayouts } from '../spool/bucket.ts'
import { refusedDirectory } from '../spool/refused.ts'
import { refusedIdsIn, timeOfRefusedId, toTypePart, typePartOf } from '../spool/refused-id.ts'
import { inLikelyOrder } from './likely-files.ts'
import { type RefusedPlace, withinPlace } from './refused-place.ts'
import type { RefusedRecord } from './refused-record.ts'

const hourMs = 3_600_000

/**
 * The refused events of some ids, as they are found; ends early when the time is over. An id says in which hour of which type
 * its row is, and when: so what is looked at does not grow with what else was refused.
 */
export async function* findRefused(
  place: RefusedPlace,
  ids: readonly string[],
): AsyncGenerator<RefusedRecord, void, undefined> {
  const files = withinPlace(place)
  const left = new Set(ids.filter(id => timeOfRefusedId(id) !== undefined))
  if (left.size === 0) return
  const base = place.root === '/' ? '' : place.root
  const names = await files.directories(`${base}/${refusedDirectory}`)
  const directoriesOf = createTypeSearch(names.map(name => `${refusedDirectory}/${name}`))
  const mayBe = (text: string): boolean => refusedIdsIn(text).some(id => left.has(id))
  for (const [date, wanted] of Map.groupBy([...left], hourOf)) {
    for (const [directory, ofType] of directoriesOf(wanted)) {
      const isLeft = (): boolean => ofType.some(id => left.has(id))
      const times = ofType.map(timeOf)
      for (const layout of plainLayouts) {
        const path = `${base}/${directory}/${periodPath({ date, granularity: 'HOURLY' }, layout)}`
        if (!isLeft()) break
        for (const name of inLikelyOrder(await files.files(path), times)) {
          if (!isLeft()) break
          for await (const row of files.rows(`${path}/${name}`, mayBe)) if (left.delete(row.id)) yield row
        }
      }
    }
  }
}

const timeOf = (id: string): number => timeOfRefusedId(id) ?? 0

const hourOf = (id: string): number => Math.floor(timeOf(id) / hourMs) * hourMs

/** Among directories of types finds those that ids say they are in, each with these; an id that says none may be in each. */
const createTypeSearch = (directories: readonly string[]) => {
  const byPart = Map.groupBy(directories, toTypePart)
  return function* search(ids: readonly string[]): Generator<[directory: string, ids: readonly string[]]> {
    const ofParts = Map.groupBy(ids, typePartOf)
    const anywhere = ofParts.get(undefined) ?? []
    const among = anywhere.length > 0 ? directories : [...ofParts.keys()].flatMap(part => byPart.get(part ?? '') ?? [])
    for (const one of among) yield [one, [...anywhere, ...(ofParts.get(toTypePart(one)) ?? [])]]
  }
}
