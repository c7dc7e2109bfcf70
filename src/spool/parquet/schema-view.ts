import type { Disk } from '../../disk/disk.ts'
import { countLeaves, describeKind, extraColumn, type StructKind } from '../../formats/parquet/kind.ts'
import type { Logger } from '../../log/log.ts'
import { UnknownFormat } from '../framing/format-header.ts'
import { type FoundSchemas, readSchemas, schemasPath } from './schema-file.ts'
import type { SchemaNews } from './schema-store.ts'

/** The most columns of one type that {@link SchemaView.describe} lists; columns of members count as their struct. */
const maxDescribed = 1_000

/** Columns named in one line of the log. */
const maxNamed = 10

/** A column of an event type as files have it. */
export type ColumnFacts = {
  readonly name: string
  /** `INT64`, `LIST<TEXT>`, … */
  readonly type: string
  /** Values since the start that it could not hold, and that are in `_extra`. */
  readonly misfits: number
  /** When files with such values were sealed last, ms since the epoch. */
  readonly lastMisfitAt?: number
}

/** A column that could not hold values. */
export type RecentMisfit = Required<ColumnFacts> & { readonly eventName: string }

/** An event type as it is remembered. */
export type TypeFacts = {
  /** In the order of the files; the first 1 000. */
  readonly columns: readonly ColumnFacts[]
  readonly columnCount: number
  readonly misfits: number
}

/** The columns of all event types as the newest files in the ledger have them, and what they could not hold. */
export type SchemaView = {
  /** Members of structs count as columns; misfits since the start. */
  readonly figures: { readonly types: number; readonly columns: number; readonly misfits: number }
  /** The types by name, in the order in which they were learned, and how many misfits each has had. */
  misfits(): Iterable<readonly [eventName: string, misfits: number]>
  /** The columns that could not hold values sealed since a moment (ms since the epoch), the latest first. */
  recentMisfits(since: number): readonly RecentMisfit[]
  describe(eventName: string): TypeFacts | undefined
}

/** As who keeps it sees it. */
export type KeptSchemaView = SchemaView & {
  /** Takes what a segment brought, once the ledger has it. @param at ms since the epoch */
  note(news: readonly SchemaNews[], at: number): void
  /** @returns whether there was such a type */
  forget(eventName: string): boolean
}

type Misfit = { count: number; at: number }
type Known = { columns: StructKind; misfits: number; lastMisfitAt: number; readonly byColumn: Map<string, Misfit> }

/** Reads what earlier runs have remembered; changes nothing. @throws UnknownFormat when another version wrote it */
export const openSchemaView = async (disk: Pick<Disk, 'read'>, log: Logger): Promise<KeptSchemaView> => {
  const types = new Map<string, Known>()
  let columnCount = 0
  let misfitCount = 0

  const set = (eventName: string, columns: StructKind): Known => {
    const known = types.get(eventName) ?? {
      columns: { struct: new Map() },
      misfits: 0,
      lastMisfitAt: 0,
      byColumn: new Map(),
    }
    columnCount += countLeaves(columns) - countLeaves(known.columns)
    known.columns = columns
    types.set(eventName, known)
    return known
  }
  for (const { eventName, columns } of await readKept(disk, log)) set(eventName, columns)

  return {
    figures: {
      get types() {
        return types.size
      },
      get columns() {
        return columnCount
      },
      get misfits() {
        return misfitCount
      },
    },
    *misfits() {
      for (const [eventName, { misfits }] of types) yield [eventName, misfits]
    },
    recentMisfits: since => {
      const recent: RecentMisfit[] = []
      for (const [eventName, { columns, lastMisfitAt, byColumn }] of types) {
        if (lastMisfitAt < since) continue
        for (const [name, { count, at }] of byColumn) {
          if (at < since) continue
          const kind = columns.struct.get(name)
          const type = kind === undefined ? '' : describeKind(kind)
          recent.push({ eventName, name, type, misfits: count, lastMisfitAt: at })
        }
      }
      return recent.sort((a, b) => b.lastMisfitAt - a.lastMisfitAt)
    },
    describe: eventName => {
      const known = types.get(eventName)
      if (!known) return undefined
      const columns: ColumnFacts[] = []
      for (const [name, kind] of known.columns.struct) {
        if (columns.length === maxDescribed) break
        const misfit = known.byColumn.get(name)
        const found = misfit ? { misfits: misfit.count, lastMisfitAt: misfit.at } : { misfits: 0 }
        columns.push({ name, type: describeKind(kind), ...found })
      }
      if (columns.length < maxDescribed) columns.push({ name: extraColumn, type: describeKind('json'), misfits: 0 })
      return { columns, columnCount: known.columns.struct.size + 1, misfits: known.misfits }
    },
    note: (news, at) => {
      for (const { eventName, columns, misfits } of news) {
        const known = set(eventName, columns)
        const first: string[] = []
        for (const [column, values] of misfits) {
          const before = known.byColumn.get(column)
          if (!before) first.push(column)
          known.byColumn.set(column, { count: (before?.count ?? 0) + values, at })
          known.misfits += values
          known.lastMisfitAt = at
          misfitCount += values
        }
        if (first.length > 0) warn(log, eventName, columns, first)
      }
    },
    forget: eventName => {
      const known = types.get(eventName)
      if (!known) return false
      columnCount -= countLeaves(known.columns)
      misfitCount -= known.misfits
      return types.delete(eventName)
    },
  }
}

const readKept = async (disk: Pick<Disk, 'read'>, log: Logger): Promise<FoundSchemas['schemas']> => {
  try {
    const { schemas, damagedAt: byte } = await readSchemas(disk)
    if (byte !== undefined) {
      const message =
        'the file of event type columns is damaged: types after this byte infer their columns again, which may differ from earlier files'
      log.error({ file: schemasPath, byte, types: schemas.length }, message)
    }
    return schemas
  } catch (error) {
    if (error instanceof UnknownFormat) throw error
    const message =
      'the file of event type columns cannot be read: events wait in the log until it can, or until the file is removed and the columns are inferred again'
    log.error({ file: schemasPath, err: error }, message)
    return []
  }
}

/** Once for a column, however many such values there are. */
const warn = (log: Logger, eventName: string, { struct }: StructKind, first: readonly string[]): void => {
  const columns = first.slice(0, maxNamed).map(name => {
    const kind = struct.get(name)
    return kind === undefined ? name : `${name} ${describeKind(kind)}`
  })
  log.warn(
    { eventName, columns, ...(first.length > maxNamed ? { more: first.length - maxNamed } : {}) },
    'values do not fit their columns: they are written to _extra from now on',
  )
}
