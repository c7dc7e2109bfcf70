import { fromMembers } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { createParquetFile, type ParquetCodec, type ParquetFileWriter } from '../../formats/parquet/file-writer.ts'
import { copyKind, extraColumn, type Kind } from '../../formats/parquet/kind.ts'
import { type LearnedRow, toTwin } from '../../formats/parquet/learn.ts'
import type { DecodedEvent, Payload } from '../events/decode-events.ts'
import type { Encoder } from '../events/encoders.ts'
import { SentEvent } from '../events/sent-events.ts'
import { thriftFields } from '../events/thrift-payload.ts'
import type { EventSchema, Pending } from './event-schema.ts'
import { HeldEvents, type HeldPayload } from './held-events.ts'
import { parsePayload, RowWriter } from './row-writer.ts'
import type { SchemaStore } from './schema-store.ts'
import type { SealMemory } from './seal-memory.ts'
import { keepMembers } from './table-columns.ts'

/** Most rows of a row group. */
const maxGroupRows = 65_536

/** Most values of a row group, null included. */
const maxGroupValues = 2_000_000

export type ParquetEncoderOptions = {
  readonly schema: EventSchema
  readonly schemas: Pick<SchemaStore, 'learn'>
  readonly memory: SealMemory
  readonly codec: ParquetCodec
  /** Names that the directories of the file have as well: where a reader sees both, it sees only those. */
  readonly partitions: readonly string[]
}

/** The file that is being written. */
type ParquetFile = {
  readonly struct: Map<string, Kind>
  readonly writer: ParquetFileWriter
  hasGroups: boolean
}

/** Gathers the events of one bucket as rows of a Parquet file; those of all kinds, of one event type. */
export class ParquetEncoder implements Encoder, Pending {
  readonly extension = 'parquet'
  readonly #options: ParquetEncoderOptions
  readonly #held: HeldEvents
  /** Rows that columns were learned from. */
  #learned = 0
  #file: ParquetFile | undefined

  constructor(options: ParquetEncoderOptions) {
    this.#options = options
    this.#held = new HeldEvents(options.memory.rows)
    options.schema.join(this)
  }

  add(event: DecodedEvent, id?: string): void {
    const { head } = event
    const { date } = head
    if (event instanceof SentEvent) this.#held.add(event, id)
    else if (event.kind === 'smile') {
      this.#held.addObject(head, { payload: event.payload, isTyped: event.isTyped, date, id })
    } else this.#held.addObject(head, { payload: this.#toPayload(event), isTyped: true, date, id })
  }

  get isFull(): boolean {
    return this.#held.count >= maxGroupRows
  }

  *unseen(): Generator<LearnedRow & Partial<Pick<HeldPayload, 'id'>>> {
    for (const row of this.#held.events(this.#learned)) {
      yield 'payload' in row ? row : { payload: parsePayload(row), isTyped: false, id: row.id }
      this.#learned++
    }
  }

  /** Writes the rows so far as row groups. */
  pack(): void {
    if (this.#held.count === 0) return
    // Where a row has something new, columns are settled, and it begins afresh; the second time nothing is.
    while (!this.#write()) this.#file = undefined
    this.#held.clear()
    this.#learned = 0
  }

  finish(): Uint8Array {
    this.pack()
    this.#options.schema.leave(this)
    const { writer } = this.#open()
    // What was written of it need not wait for the files of all other buckets.
    this.#file = undefined
    return writer.finish()
  }

  /** From its first row group on, a file has its columns. */
  #open(): ParquetFile {
    if (this.#file) return this.#file
    const { schema, memory, codec, partitions } = this.#options
    const { table } = schema
    const struct = table ? keepMembers(schema.columns, table.ids) : copyKind(schema.columns).struct
    for (const name of struct.keys()) if (partitions.includes(toTwin(name))) struct.delete(name)
    struct.set(extraColumn, 'json')
    const sorted = table && { ...table, sortedBy: 'eventDate' }
    this.#file = { struct, writer: createParquetFile({ struct }, codec, memory, sorted), hasGroups: false }
    return this.#file
  }

  /** @returns false, and nothing is written, where there are new columns now, and the file may still have them */
  #write(): boolean {
    const { schema, schemas } = this.#options
    const file = this.#open()
    const { writer, struct } = file
    const step = Math.max(1, Math.floor(maxGroupValues / struct.size))
    const learn = (): boolean => this.#learned < this.#held.count && schemas.learn(schema) && !file.hasGroups
    let row: RowWriter | undefined
    const { table } = schema
    for (const event of table ? this.#held.eventsByDate() : this.#held.events()) {
      row ??= new RowWriter({ struct, schema, group: writer.openGroup(), learn })
      if (!row.write(event)) {
        writer.dropGroup(row.group)
        return false
      }
      if (row.group.rows < step) continue
      writer.writeGroup(row.group)
      file.hasGroups = true
      row = undefined
    }
    if (row) writer.writeGroup(row.group)
    file.hasGroups = true
    return true
  }

  /** Each field has a member of its own, also where ids or names occur twice. */
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
