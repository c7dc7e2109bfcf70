import type { RepeatedRow, RowPlace } from '../../../src/compaction/repeats/find-repeats.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { toIsoTimestamp } from '../../../src/formats/iso-time.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import { type TablePlace, toTablePath } from '../../../src/tables/table-place.ts'
import { toCellText } from '../files/row-text.ts'
import type { Column } from '../print/table.ts'
import { createReadRowsAt, type TableRow } from './read-rows-at.ts'

/** A row that repeats an event, beside the one that stays: each by its file, and its number in it. */
export type RepeatRow = {
  readonly eventDate: string
  readonly eventId: string
  readonly file: string
  readonly position: number
  readonly staysFile: string
  readonly staysPosition: number
  /** Null where it is too large to be shown. */
  readonly row: TableRow
}

export type ListedRepeats = { readonly repeats: number; readonly rows: readonly RepeatRow[] }

/** Counts all, and reads the first ones whole. */
export const listRepeats = async (
  fileSystem: FileSystem,
  table: LoadedTable,
  found: AsyncIterable<RepeatedRow>,
  limit: number,
): Promise<ListedRepeats> => {
  const first: RepeatedRow[] = []
  let repeats = 0
  for await (const repeat of found) if (++repeats <= limit) first.push(repeat)
  const readRowsAt = await createReadRowsAt(fileSystem, table)
  const rowsOf = new Map<string, ReadonlyMap<number, TableRow>>()
  for (const [uri, of] of Map.groupBy(first, ({ dropped }) => dropped.uri)) {
    const positions = of.map(({ dropped }) => dropped.position)
    rowsOf.set(uri, await readRowsAt(toTablePath(table.place, uri), positions))
  }
  const rowAt = ({ uri, position }: RowPlace): TableRow => rowsOf.get(uri)?.get(position) ?? null
  const rows = first.map(({ time, id, dropped, stays }) => ({
    eventDate: toIsoTimestamp(time, 6),
    eventId: id,
    file: toTablePath(table.place, dropped.uri),
    position: dropped.position,
    staysFile: toTablePath(table.place, stays.uri),
    staysPosition: stays.position,
    row: rowAt(dropped),
  }))
  return { repeats, rows }
}

/** Columns of the rows that are listed, for a terminal: files by their places below the table. */
export const toRepeatColumns = ({ path }: TablePlace): readonly Column<RepeatRow>[] => {
  const below = (file: string): string => file.slice(path.length + 1)
  return [
    { title: 'DATE', field: 'eventDate', cell: row => row.eventDate },
    { title: 'ID', field: 'eventId', cell: row => row.eventId },
    { title: 'ROW', field: 'row', cell: row => toRowText(row.row), flexible: true },
    { title: 'FILE', field: 'file', cell: row => below(row.file), flexible: true },
    { title: 'AT', field: 'position', cell: row => String(row.position), align: 'right' },
    { title: 'STAYS', field: 'staysFile', cell: row => below(row.staysFile), flexible: true },
    { title: 'AT', field: 'staysPosition', cell: row => String(row.staysPosition), align: 'right' },
  ]
}

const mostColumns = 3
const mostChars = 60

/** The first columns of a row besides those that have their own place, as far as there is something in them. */
const toRowText = (row: TableRow): string => {
  if (row === null) return '–'
  const own = new Set(['eventDate', '_eventId'])
  const parts = Object.entries(row).filter(([name, value]) => value !== null && !own.has(name))
  const text = parts
    .slice(0, mostColumns)
    .map(([name, value]) => `${name}=${toCellText(value).slice(0, mostChars)}`)
    .join(' ')
  return text.length > mostChars || parts.length > mostColumns ? `${text.slice(0, mostChars)} …` : text
}
