import { stringifyJson } from '../../formats/json.ts'
import { fromMembers, toName } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { toColumnValue } from '../../formats/parquet/column-value.ts'
import {
  createParquetFile,
  type ParquetCodec,
  type ParquetFileWriter,
  type ParquetMemory,
} from '../../formats/parquet/file-writer.ts'
import { copyKind, extraColumn, type Kind, ownColumns } from '../../formats/parquet/kind.ts'
import { type LearnedRow, toTwin } from '../../formats/parquet/learn.ts'
import { hasMixed, isAmbiguous } from '../../formats/parquet/mixed.ts'
import type { RowColumns } from '../../formats/parquet/write/row-columns.ts'
import type { DecodedEvent, Payload } from '../events/decode-events.ts'
import type { Encoder } from '../events/encoders.ts'
import { thriftFields } from '../events/thrift-payload.ts'
import type { EventSchema, Pending } from './event-schema.ts'
import type { SchemaStore } from './schema-store.ts'

/** Most rows of a row group. */
const maxGroupRows = 65_536

/** Most values of a row group, null included. */
const maxGroupValues = 2_000_000

export type ParquetEncoderOptions = {
  readonly schema: EventSchema
  readonly schemas: Pick<SchemaStore, 'learn'>
  /** Shared by all files of a segment. */
  readonly memory: ParquetMemory
  readonly codec: ParquetCodec
  /** Names that the directories of the file have as well: where a reader sees both, it sees only those. */
  readonly partitions: readonly string[]
}

type Column = { readonly kind: Kind; readonly hasMixed: boolean; readonly place: number }

/** Gathers the events of one bucket as rows of a Parquet file; those of all kinds, of one event type. */
export class ParquetEncoder implements Encoder, Pending {
  readonly extension = 'parquet'
  readonly #options: ParquetEncoderOptions
  #dates: number[] = []
  #rows: Payload[] = []
  #areTyped: boolean[] = []
  /** So many of the rows were learned from. */
  #learned = 0
  #file: ParquetFileWriter | undefined
  /** The columns that can be filled from a payload, by name, and the place of each. */
  #columns: ReadonlyMap<string, Column> = new Map()
  #width = 0

  constructor(options: ParquetEncoderOptions) {
    this.#options = options
    options.schema.join(this)
  }

  add(event: DecodedEvent): void {
    this.#rows.push(event.kind === 'smile' ? event.payload : this.#toPayload(event))
    this.#areTyped.push(event.kind === 'thrift' || event.isTyped)
    this.#dates.push(event.head.date)
  }

  get isFull(): boolean {
    return this.#rows.length >= maxGroupRows
  }

  *unseen(): Generator<LearnedRow> {
    for (; this.#learned < this.#rows.length; this.#learned++) {
      const payload = this.#rows[this.#learned]
      if (payload) yield { payload, isTyped: this.#areTyped[this.#learned] ?? false }
    }
  }

  /** Writes the rows so far as row groups. */
  pack(): void {
    if (this.#rows.length === 0) return
    this.#options.schemas.learn(this.#options.schema)
    const file = this.#open()
    const step = Math.max(1, Math.floor(maxGroupValues / this.#width))
    for (let start = 0; start < this.#rows.length; start += step) {
      const group = file.openGroup()
      for (let i = start; i < Math.min(start + step, this.#rows.length); i++) this.#put(i, group)
      file.writeGroup(group)
    }
    this.#rows = []
    this.#areTyped = []
    this.#dates = []
    this.#learned = 0
  }

  finish(): Uint8Array {
    this.pack()
    this.#options.schema.leave(this)
    return this.#open().finish()
  }

  /** From its first row group on, a file has its columns. */
  #open(): ParquetFileWriter {
    if (this.#file) return this.#file
    const { schema, memory, codec, partitions } = this.#options
    const { struct } = copyKind(schema.columns)
    for (const name of struct.keys()) if (partitions.includes(toTwin(name))) struct.delete(name)
    const names = Array.from(struct.keys())
    struct.set(extraColumn, 'json')
    this.#width = struct.size
    const columns = new Map<string, Column>()
    for (const [place, name] of names.entries()) {
      const kind = struct.get(name)
      // The sender's own members of these names are not what these columns hold.
      if (kind !== undefined && !ownColumns.has(name)) columns.set(name, { kind, hasMixed: hasMixed(kind), place })
    }
    this.#columns = columns
    this.#file = createParquetFile({ struct }, codec, memory)
    return this.#file
  }

  #put(row: number, group: RowColumns): void {
    const { schema } = this.#options
    const payload = this.#rows[row] ?? {}
    const date = this.#dates[row] ?? 0
    group.set(0, schema.name)
    group.set(1, date)
    let extra: [string, Value][] | undefined
    for (const key in payload) {
      const value = payload[key] ?? null
      if (value === null || (key === 'eventDate' && value === date)) continue
      const name = toName(key)
      const column = this.#columns.get(name)
      const fitting = column && toColumnValue(column.kind, value)
      if (column && fitting !== undefined) {
        group.set(column.place, fitting)
        // What `_extra` has of a column is what was sent: also where the column's text could be another value's.
        if (!(column.hasMixed && isAmbiguous(column.kind, value))) continue
      } else if (column) schema.noteMisfit(name)
      extra ??= []
      extra.push([name, value])
    }
    if (extra) group.set(this.#width - 1, stringifyJson(fromMembers(extra)))
    group.endRow()
  }

  /** Each field has a member of its own, also where ids or names come twice. */
  #toPayload(event: Extract<DecodedEvent, { kind: 'thrift' }>): Payload {
    const names = this.#options.schema.fieldNames
    const members = new Map<string, Value>([['eventGranularity', event.head.granularity]])
    for (const { id, value } of thriftFields(event.record)) {
      const plain = `field_${id}`
      let name = names?.get(id) ?? plain
      for (let copy = 1; members.has(name); copy++) name = copy === 1 ? plain : `${plain}_${copy}`
      members.set(name, value)
    }
    return fromMembers(members)
  }
}
