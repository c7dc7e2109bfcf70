import { setTimeout as wait } from 'node:timers/promises'
import type { Current } from '../../current.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { extraColumn, type StructKind } from '../../formats/parquet/kind.ts'
import type { Logger } from '../../log/log.ts'
import type { Catalog, LoadedTable } from '../../tables/catalog.ts'
import { type ChangeFieldsOptions, changeFields, type FieldChange } from '../../tables/change-fields.ts'
import { openCatalog } from '../../tables/open-catalog.ts'
import type { RestCatalogSettings } from '../../tables/rest/rest-settings.ts'
import { isFarAhead } from '../../tables/snapshot-dates.ts'
import { TableBusy, TableError } from '../../tables/table-error.ts'
import { placeTable } from '../../tables/table-place.ts'
import { encodeEventName } from '../bucket.ts'
import { type KnownTable, type TableOf, tableAway } from '../parquet/table-columns.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import { createInTime } from './in-time.ts'
import { dateColumn, toKnownTable } from './known-table.ts'
import { toFixedIds } from './promotions.ts'
import { addColumns } from './table-fields.ts'

export type TableDeskOptions = {
  readonly fileSystem: FileSystem
  /** `collector.event-output-directory` */
  readonly outputDirectory: string
  /** That has the tables. @default their directories */
  readonly catalog?: RestCatalogSettings | undefined
  readonly log: Pick<Logger, 'warn'>
  readonly now?: (() => number) | undefined
  /** Between two tries of which another writer won the first. @default a time that grows, and that chance has a part in */
  readonly pause?: ((tries: number) => Promise<unknown>) | undefined
}

/** What the main thread knows of the tables of all event types. */
export type TableDesk = {
  /** For those who seal. */
  readonly tableOf: TableOf
  readonly catalog: Catalog
  readonly now: () => number
  readonly pause: (tries: number) => Promise<unknown>
  /** Hears how a table was found; undefined: it is not there. */
  note(directory: string, table: LoadedTable['metadata'] | undefined): void
  /** Asks a catalog service nothing any more, and waits for no answer. */
  giveUp(): void
}

const shortestPauseMs = 20

export const createTableDesk = (options: TableDeskOptions): TableDesk => {
  const { fileSystem, outputDirectory, log, now = Date.now, pause = pauseByChance } = options
  const aborter = new AbortController()
  const catalog = openCatalog(fileSystem, outputDirectory, options.catalog, aborter.signal)
  const inTime = createInTime(aborter.signal)
  const known = new Map<string, KnownTable>()
  const ahead = new Set<string>()

  /** Says it once, and again where it was over in between. */
  const compareDate = (directory: string, lastUpdatedMs: number): void => {
    if (!isFarAhead(lastUpdatedMs, now())) ahead.delete(directory)
    else if (!ahead.has(directory)) {
      ahead.add(directory)
      log.warn(
        { table: directory, date: new Date(lastUpdatedMs).toISOString() },
        'a table was last updated in the future: its snapshots get that date until then; check the clocks of its writers',
      )
    }
  }
  const note: TableDesk['note'] = (directory, metadata) => {
    if (metadata) compareDate(directory, metadata.lastUpdatedMs)
    known.set(directory, metadata ? toKnownTable(directory, metadata) : { table: 'none' })
  }
  const look = async (directory: string): Promise<KnownTable> => {
    const found = known.get(directory)
    // What cannot be written to may be another one by now.
    if (found && !('refused' in found)) return found
    note(directory, (await catalog.load(directory))?.metadata)
    return known.get(directory) ?? { table: 'none' }
  }

  const add = async (directory: string, columns: StructKind): Promise<KnownTable> => {
    const toFields = (table: LoadedTable | undefined): FieldChange | undefined => {
      note(directory, table?.metadata)
      if (table && 'refused' in toKnownTable(directory, table.metadata)) return undefined
      let lastColumnId = table?.metadata.lastColumnId ?? 0
      const fixed = table && toFixedIds(table.metadata)
      const fields = addColumns(table?.metadata.schema.fields ?? [], columns, () => ++lastColumnId, fixed)
      return fields && { fields, lastColumnId }
    }
    await changeFields({ catalog, place: placeTable(fileSystem, directory), toFields, toNew, now, pause })
    return known.get(directory) ?? { table: 'none' }
  }

  /** Whether the reason concerns this table alone: other types continue. */
  const isOfTable = async (error: unknown): Promise<boolean> => {
    if (error instanceof TableError) return !(error instanceof TableBusy)
    if (!(error instanceof FileSystemError)) return false
    if (isInTheWay(error)) return true
    if (error.code !== 'denied' && error.code !== 'quota-exceeded') return false
    // Where all is denied, it is not a matter of this table.
    return await fileSystem.getFileStatus(outputDirectory).then(
      () => true,
      () => false,
    )
  }

  const root = outputDirectory === '/' ? '' : outputDirectory
  return {
    catalog,
    now,
    pause,
    note,
    giveUp: () => aborter.abort(),
    tableOf: async (eventName, columns) => {
      const directory = `${root}/${encodeEventName(eventName)}`
      try {
        return await inTime(directory, () => (columns ? add(directory, columns) : look(directory)))
      } catch (error) {
        const { message } = error as Error
        if (!(await isOfTable(error))) throw toAway(`The table ${directory} cannot be reached: ${message}`, error)
        const closed = columns && toClosed(known.get(directory))
        if (!closed) return { refused: message }
        known.set(directory, closed)
        log.warn({ table: directory, err: error }, 'a table cannot get new columns: values go to _extra')
        return closed
      }
    },
  }
}

/** Something else is where the table would be. */
const isInTheWay = (error: FileSystemError): boolean =>
  ['not-directory', 'is-directory', 'exists', 'bad-path', 'unsupported'].includes(error.code)

/** A table that has a place for every value continues with its columns. */
const toClosed = (known: KnownTable | undefined): KnownTable | undefined => {
  if (!known || 'refused' in known || known.table === 'none') return undefined
  const { ids } = known.table
  return [extraColumn, 'eventGranularity'].every(name => ids.has(name)) ? { ...known, isClosed: true } : undefined
}

const toAway = (message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code: tableAway })

const toNew = ({ fields }: FieldChange): ReturnType<ChangeFieldsOptions['toNew']> => {
  const dateField = fields.find(({ name }) => name === dateColumn)
  if (!dateField) throw new TypeError(`A table of events has a column ${dateColumn}`)
  return { dateField, properties: { 'write.format.default': 'parquet' } }
}

const pauseByChance = (tries: number): Promise<unknown> =>
  wait(shortestPauseMs * 2 ** Math.min(tries, 6) * (0.5 + Math.random() / 2))

/** What of a spool its tables need. */
export type OpenTableDeskOptions = Pick<TableDeskOptions, 'fileSystem' | 'log' | 'now'> & {
  readonly settings: Current<SpoolSettings>
}

/** That of a spool. */
export const openTableDesk = ({ fileSystem, settings, log, now }: OpenTableDeskOptions): TableDesk => {
  const { outputDirectory, catalog } = settings()
  return createTableDesk({ fileSystem, outputDirectory, catalog, log, now })
}
