/**
 * What a table remembers of its imports, in its property `sluice.imports`, as JSON:
 *
 *     [{"id":"6f1c…","newest":1767323045000}]
 *
 * one entry for each import whose snapshot is known (`sluice.import` in its summary is the id), and one entry for all
 * forgotten imports; `newest` is the latest time of modification of its files, ms since the epoch. Other programs merge
 * files and expire the snapshots that had them, without removing the files. So a file that is in no snapshot, and not
 * newer than those of a forgotten import, may have been imported by it: its rows are in another file then.
 */
import { parseJson } from '../../formats/json.ts'
import { Members } from '../members.ts'
import type { TableMetadata } from '../metadata.ts'
import { TableError } from '../table-error.ts'

/** The line of a summary that has the id of an import. */
export const importKey = 'sluice.import'

export const importsKey = 'sluice.imports'

/** @param newest latest time of modification of its files, ms since the epoch */
export type NotedImport = { readonly id: string; readonly newest: number }

type Noted = Pick<TableMetadata, 'properties' | 'snapshots' | 'location'>

/** Until when files may have been imported that no snapshot has any more, ms since the epoch. @throws TableError the property is another's */
export const forgottenUntil = (table: Noted): number => toNewest(parse(table).forgotten)

/** The property with one more import. */
export const withImport = (table: Noted, made: NotedImport): string => {
  const { known, forgotten } = parse(table)
  const [first] = forgotten
  return JSON.stringify([...(first ? [{ id: first.id, newest: toNewest(forgotten) }] : []), ...known, made])
}

const toNewest = (imports: readonly NotedImport[]): number =>
  imports.reduce((newest, one) => Math.max(newest, one.newest), Number.NEGATIVE_INFINITY)

const parse = ({ properties, snapshots, location }: Noted) => {
  const where = `${location}, ${importsKey}`
  let value: ReturnType<typeof parseJson>
  try {
    value = parseJson(properties.get(importsKey) ?? '[]')
  } catch (cause) {
    throw new TableError(where, `expected JSON: ${(cause as Error).message}`, { cause })
  }
  const all = new Members({ imports: value }, where)
    .list('imports')
    .map(one => ({ id: one.text('id'), newest: one.integer('newest') }))
  const ids = new Set(snapshots.map(({ summary }) => summary.get(importKey)))
  return { known: all.filter(({ id }) => ids.has(id)), forgotten: all.filter(({ id }) => !ids.has(id)) }
}
