import { isDeepStrictEqual } from 'node:util'
import { toKey } from '../../formats/members.ts'
import { toColumnValue } from '../../formats/parquet/column-value.ts'
import { countLeaves, eventIdColumn, extraColumn, type Kind, type StructKind } from '../../formats/parquet/kind.ts'
import { isColumnName, type LearnedRow, Learner, maxLearnedColumns, toTwin } from '../../formats/parquet/learn.ts'
import { isIdentified, type KnownTable, mergeKinds, type TableColumns } from './table-columns.ts'

/** A field of an event type as a schema registry describes it; `type` as there, one that is not known is learned. */
export type RegisteredField = { readonly id: number; readonly name: string; readonly type: string }

/** What a registry knows of an event type; undefined when nothing. */
export type FieldsOf = (eventName: string) => Promise<readonly RegisteredField[] | undefined>

/** The members of a row that the sender did not choose: they precede all others. */
export const headColumns = { eventName: 'text', eventDate: 'timestamp', eventGranularity: 'text' } as const

/** Values that a column could not hold, and that are in `_extra`. */
export type Misfits = Map<string, number>

/** Names whose misfits are counted one by one. */
const maxMisfitNames = 100

/**
 * The columns of an event type, as they are remembered: those that its files have had so far. Columns are added, none
 * changes, so that all files of the type can be read together.
 */
export class EventSchema {
  readonly name: string
  readonly columns: StructKind
  readonly misfits: Misfits = new Map()
  /** The columns' names by the id of a Thrift field, where a registry knows them. */
  fieldNames: ReadonlyMap<number, string> | undefined
  /** The table that its next files are made for; undefined: they are for none, or for one that is not there yet. */
  table: TableColumns | undefined
  /** Whether it gets a column of the ids of its events, once one has an id. */
  takesIds = false
  /** Why its table takes nothing. */
  refusal: string | undefined
  /** Its table gets no further columns now. */
  #isClosed = false
  readonly #learner: Learner
  readonly #files = new Set<Pending>()
  /** What may be learned; undefined for everything. */
  #learnable: ReadonlySet<string> | undefined

  constructor(name: string, columns: StructKind = { struct: new Map<string, Kind>(Object.entries(headColumns)) }) {
    this.name = name
    this.columns = columns
    this.#learner = new Learner(columns)
  }

  /**
   * Takes the columns of a registry; a member that it does not know gets no column from then on. @returns whether some
   * are new
   */
  register(fields: readonly RegisteredField[] | undefined): boolean {
    this.fieldNames = fields && new Map(fields.map(({ id, name }) => [id, name]))
    this.#learnable = fields && new Set(fields.filter(({ type }) => !registered.has(type)).map(({ name }) => name))
    const { struct } = this.columns
    const before = struct.size
    let room = maxLearnedColumns - countLeaves(this.columns)
    const twins = new Set(Array.from(struct.keys(), toTwin)).add(extraColumn)
    for (const { name, type } of fields ?? []) {
      const kind = registered.get(type)
      if (kind === undefined || room === 0 || !isColumnName(name) || twins.has(toTwin(name))) continue
      struct.set(name, kind)
      twins.add(toTwin(name))
      room--
    }
    return struct.size > before
  }

  /**
   * Takes the columns of a table, which are there for good: what is a column there is the same here.
   * @returns whether the table is another one than before, or has other columns
   */
  adopt(known: KnownTable): boolean {
    const before = this.table
    const wasRefused = this.refusal !== undefined
    const table = 'table' in known && known.table !== 'none' ? known.table : undefined
    this.table = table
    this.#isClosed = 'table' in known && known.isClosed === true
    this.refusal = 'refused' in known ? known.refused : undefined
    if (!table) return before !== undefined || (this.refusal !== undefined && !wasRefused)
    const isClosed = this.#isClosed
    const { struct } = this.columns
    const leaves = countLeaves(this.columns)
    const ours = new Map(struct)
    const taken = new Set([...table.others, ...table.columns.struct.keys()].map(toTwin))
    struct.clear()
    for (const [name, kind] of Object.entries(headColumns)) struct.set(name, kind)
    for (const [name, kind] of table.columns.struct) {
      const own = isClosed ? undefined : ours.get(name)
      if (!struct.has(name) && name !== extraColumn) struct.set(name, own === undefined ? kind : mergeKinds(own, kind))
    }
    for (const [name, kind] of isClosed ? [] : ours)
      if (!struct.has(name) && !taken.has(toTwin(name))) struct.set(name, kind)
    const hasLess = isClosed && countLeaves(this.columns) < leaves
    return hasLess || before?.uuid !== table.uuid || !isDeepStrictEqual(before.columns, table.columns)
  }

  /** The columns that its table lacks, whole ones, with those that every table has; undefined: it has all. */
  missingInTable(): StructKind | undefined {
    if (this.refusal !== undefined) return undefined
    const wanted = new Map(this.columns.struct).set(extraColumn, 'json')
    wanted.delete('eventName')
    const isThere = wanted.entries().every(([name, kind]) => isIdentified(kind, this.table?.ids.get(name)))
    return isThere ? undefined : { struct: wanted }
  }

  /** Drops columns that its table does not take: what they would have is in `_extra`. @returns whether there were any */
  dropMissing(): boolean {
    const { struct } = this.columns
    const before = struct.size
    for (const name of struct.keys())
      if (!Object.hasOwn(headColumns, name) && !this.table?.ids.has(name)) struct.delete(name)
    return struct.size < before
  }

  /** Begins afresh with all files. */
  reset(): void {
    this.#files.clear()
    this.misfits.clear()
  }

  /** Rows that wait to be written are looked at before columns are settled, whichever file they are for. */
  join(file: Pending): void {
    this.#files.add(file)
  }

  leave(file: Pending): void {
    this.#files.delete(file)
  }

  /** Learns from all rows that wait. @returns whether there are new columns */
  learn(): boolean {
    if (this.#isClosed) return false
    const learnable = this.#learnable
    const closed = new Set(this.table?.others.map(toTwin)).add(extraColumn)
    if (this.takesIds) closed.add(toTwin(eventIdColumn))
    const mayLearn = (name: string): boolean => !closed.has(toTwin(name)) && (learnable?.has(name) ?? true)
    let isPromoted = false
    for (const file of this.#files)
      for (const row of file.unseen()) {
        this.#learner.observe(row, mayLearn)
        if (this.#promote(row)) isPromoted = true
        if (row.id !== undefined && this.#addIds()) isPromoted = true
      }
    return this.#learner.settle() || isPromoted
  }

  /** Wants the columns that its table makes wider for values of a row. @returns whether there are any */
  #promote({ payload }: LearnedRow): boolean {
    const { struct } = this.columns
    const before = struct.size
    for (const [name, kind] of this.table?.promotable.struct ?? []) {
      const value = payload[toKey(name)] ?? null
      if (value !== null && !struct.has(name) && toColumnValue(kind, value) !== undefined) struct.set(name, kind)
    }
    return struct.size > before
  }

  /** @returns false where it has the column, or another one of that name */
  #addIds(): boolean {
    const { struct } = this.columns
    const isTaken = Iterator.from([...struct.keys(), ...(this.table?.others ?? [])]).some(
      name => toTwin(name) === toTwin(eventIdColumn),
    )
    if (isTaken || !this.takesIds) return false
    struct.set(eventIdColumn, 'id')
    return true
  }

  noteMisfit(name: string): void {
    const count = this.misfits.get(name)
    if (count !== undefined || this.misfits.size < maxMisfitNames) this.misfits.set(name, (count ?? 0) + 1)
  }
}

/** A file whose rows are not written yet. */
export type Pending = {
  /** The rows that no column was learned from yet. */
  unseen(): Iterable<LearnedRow & { readonly id?: string | undefined }>
}

/** What a registry's types are; integers are wide, so that a field can become so without a new column. */
const registered: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['boolean', 'boolean'],
  ['byte', 'integer'],
  ['short', 'integer'],
  ['integer', 'integer'],
  ['long', 'integer'],
  ['double', 'double'],
  ['string', 'text'],
  ['date', 'timestamp'],
])
