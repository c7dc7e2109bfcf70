import { parseJson, stringifyJson } from '../../formats/json.ts'
import { fromMembers, isObject, toName } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { toColumnValue } from '../../formats/parquet/column-value.ts'
import { eventIdColumn, extraColumn, type Kind, ownColumns } from '../../formats/parquet/kind.ts'
import { hasMixed, isAmbiguous } from '../../formats/parquet/mixed.ts'
import type { RowColumns } from '../../formats/parquet/write/row-columns.ts'
import type { Payload } from '../events/decode-events.ts'
import type { EventSchema } from './event-schema.ts'
import type { HeldObject, HeldPayload } from './held-events.ts'
import { type MemberColumn, PayloadReader } from './payload-reader.ts'

type Column = MemberColumn & { readonly hasMixed: boolean; readonly place: number }

export type RowWriterOptions = {
  /** The columns of the file, with {@link extraColumn} after all others. */
  readonly struct: ReadonlyMap<string, Kind>
  readonly schema: EventSchema
  readonly group: RowColumns
  /** Something has no column, or not fitted its own. @returns whether the rows have to begin afresh, with columns that are new */
  readonly learn: () => boolean
}

/** Puts events into the columns of one row group. */
export class RowWriter {
  readonly group: RowColumns
  readonly #options: RowWriterOptions
  /** The columns that can be filled from a payload, by name. */
  readonly #columns = new Map<string, Column>()
  readonly #reader: PayloadReader
  /** -1 in a table of events of one name. */
  readonly #namePlace: number
  readonly #datePlace: number
  /** -1 where there is no column of ids. */
  readonly #idPlace: number
  #date = 0
  #extra: [string, Value][] = []
  #isStale = false

  constructor(options: RowWriterOptions) {
    const { struct, group } = options
    this.#options = options
    this.group = group
    const names = [...struct.keys()]
    this.#namePlace = names.indexOf('eventName')
    this.#datePlace = names.indexOf('eventDate')
    this.#idPlace = struct.get(eventIdColumn) === 'id' ? names.indexOf(eventIdColumn) : -1
    let place = 0
    for (const [name, kind] of struct) {
      const leaf = group.leafOf(place)
      const isDate = name === 'eventDate'
      const column = { name: Buffer.from(name), kind, leaf, isDate, hasMixed: hasMixed(kind), place: place++ }
      // The sender's own members of the other names are not what these columns hold.
      if (isDate || !(ownColumns.has(name) || name === extraColumn || kind === 'id')) this.#columns.set(name, column)
    }
    this.#reader = new PayloadReader({ columns: this.#columns, put: (name, value) => this.#put(name, value) })
  }

  /** @returns whether the row is there: else nothing of the group may be used */
  write(row: HeldPayload | HeldObject): boolean {
    const { group } = this
    const { struct, schema } = this.#options
    this.#date = row.date
    if (this.#namePlace >= 0) group.set(this.#namePlace, schema.name)
    group.set(this.#datePlace, row.date)
    if (row.id !== undefined) this.#putId(row.id)
    if ('payload' in row) {
      for (const key in row.payload) this.#put(toName(key), row.payload[key] ?? null)
    } else {
      this.#reader.read(row, group.rows)
      if (row.granularity !== undefined) this.#put('eventGranularity', row.granularity)
    }
    if (this.#extra.length > 0) {
      group.set(struct.size - 1, stringifyJson(fromMembers(this.#extra)))
      this.#extra = []
    }
    group.endRow()
    return !this.#isStale
  }

  #putId(id: string): void {
    if (this.#idPlace >= 0) this.group.set(this.#idPlace, id)
    else if (!this.#isStale) this.#isStale = this.#options.learn()
  }

  #put(name: string, value: Value): void {
    if (value === null || (name === 'eventDate' && value === this.#date)) return
    const found = this.#columns.get(name)
    const column = found?.isDate ? undefined : found
    const fitting = column && toColumnValue(column.kind, value)
    if (column && fitting !== undefined) {
      this.group.set(column.place, fitting)
      // What `_extra` has of a column is what was sent: also where the column's text could be another value's.
      if (!(column.hasMixed && isAmbiguous(column.kind, value))) return
    } else {
      if (!this.#isStale) this.#isStale = this.#options.learn()
      if (column && !this.#isStale) this.#options.schema.noteMisfit(name)
    }
    this.#extra.push([name, value])
  }
}

/** @throws FormatError */
export const parsePayload = ({ bytes, start, end }: HeldPayload): Payload => {
  const value = parseJson(bytes.toString('utf8', start, end))
  if (!isObject(value)) throw new TypeError('expected the object that was looked through before')
  return value
}
