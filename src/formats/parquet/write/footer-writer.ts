/** The metadata of a file (parquet.thrift, `FileMetaData`), followed by its length and the magic word. */
import { Buffer } from 'node:buffer'
import { isList, isStruct, type Kind, kindsKey, type ScalarKind, type StructKind, toJsonValue } from '../kind.ts'
import { convertedTypes, type PhysicalType, physicalTypes, repetitions } from '../words.ts'
import { ByteSink } from './byte-sink.ts'
import type { WrittenChunk } from './chunk-writer.ts'
import { CompactWriter, wire } from './compact-writer.ts'
import { type FieldId, type FieldIds, type TableFile, tableKey } from './field-ids.ts'

/** A leaf of the schema, without the chunks. */
export type WrittenLeaf = { readonly path: readonly string[]; readonly kind: ScalarKind }

/** A row group in the file, as the footer has it: bytes, for a file with many of them is written beside thousands of others. */
export type WrittenGroup = { readonly rows: number; readonly metadata: Uint8Array }

/** What a file begins and ends with. */
export const parquetMagic = 'PAR1'

/** The parts of a footer. */
type Footer = {
  readonly columns: StructKind
  readonly leaves: readonly WrittenLeaf[]
  readonly groups: readonly WrittenGroup[]
  readonly table: TableFile | undefined
}

/** @returns the bytes after the last row group */
export const encodeFooter = ({ columns, leaves, groups, table }: Footer): Uint8Array => {
  const sink = new ByteSink(1 << 12)
  const writer = new CompactWriter(sink)
  const elements = toElements(columns, table?.ids)
  const facts = [[kindsKey, JSON.stringify(toJsonValue(columns))], ...(table ? [[tableKey, table.uuid]] : [])] as const
  writer.body(() => {
    writer.i32(1, 1)
    writer.list(2, wire.struct, elements, element => writeElement(writer, element))
    writer.i64(
      3,
      groups.reduce((sum, { rows }) => sum + rows, 0),
    )
    writer.list(4, wire.struct, groups, ({ metadata }) => sink.append(metadata))
    writer.list(5, wire.struct, facts, ([key = '', value = '']) =>
      writer.body(() => {
        writer.text(1, key)
        writer.text(2, value)
      }),
    )
    writer.text(6, createdBy)
    // Bounds are by the order of each type: else some readers do not trust them.
    writer.list(7, wire.struct, leaves, () => writer.body(() => writer.struct(1, () => {})))
  })
  sink.uint32(sink.length)
  sink.append(Buffer.from(parquetMagic))
  return sink.view()
}

const createdBy = 'sluice'

type Element = {
  readonly name: string
  /** Undefined for the root. */
  readonly repetition?: 'optional' | 'repeated'
  readonly children?: number
  readonly type?: ElementType
  /** In a table. */
  readonly id?: number
}

type ElementType = {
  readonly physical?: PhysicalType
  readonly converted?: (typeof convertedTypes)[number]
  /** Writes the union of logical types. */
  readonly logical?: (writer: CompactWriter) => void
}

const toElements = (columns: StructKind, ids: FieldIds | undefined): Element[] => [
  { name: 'event', children: columns.struct.size },
  ...toMembers(columns, ids),
]

const toMembers = ({ struct }: StructKind, ids: FieldIds | undefined): Element[] =>
  Array.from(struct, ([name, kind]) => toElement(name, kind, ids && idIn(ids, name))).flat()

const idIn = (ids: FieldIds, name: string): FieldId => {
  const id = ids.get(name)
  if (!id) throw new TypeError(`The table has no column ${JSON.stringify(name)}`)
  return id
}

/** Lists in three levels, as the format's page on logical types has it. */
const toElement = (name: string, kind: Kind, field: FieldId | undefined): Element[] => {
  const head = { name, repetition: 'optional', ...(field ? { id: field.id } : {}) } as const
  if (isStruct(kind))
    return [{ ...head, children: kind.struct.size }, ...toMembers(kind, field && (field.members ?? noIds))]
  if (isList(kind)) {
    return [
      { ...head, children: 1, type: listType },
      { name: 'list', repetition: 'repeated', children: 1 },
      ...toElement('element', kind.list, field && (field.element ?? idIn(noIds, `${name}.element`))),
    ]
  }
  return [{ ...head, type: kind === 'timestamp' && field ? microseconds : scalarTypes[kind] }]
}

const noIds: FieldIds = new Map()

const listType: ElementType = { converted: 'LIST', logical: writer => writer.struct(3, () => {}) }
const text: ElementType = {
  physical: 'BYTE_ARRAY',
  converted: 'UTF8',
  logical: writer => writer.struct(1, () => {}),
}

/** Of a point in time, UTC. @param unit its place in the union of units */
const toTime = (converted: 'TIMESTAMP_MILLIS' | 'TIMESTAMP_MICROS', unit: number) => ({
  physical: 'INT64' as const,
  converted,
  logical: (writer: CompactWriter) =>
    writer.struct(8, () => {
      writer.boolean(1, true)
      writer.struct(2, () => writer.struct(unit, () => {}))
    }),
})
const microseconds = toTime('TIMESTAMP_MICROS', 2)

const scalarTypes: Readonly<Record<ScalarKind, ElementType & { readonly physical: PhysicalType }>> = {
  boolean: { physical: 'BOOLEAN' },
  integer: { physical: 'INT64' },
  double: { physical: 'DOUBLE' },
  bytes: { physical: 'BYTE_ARRAY' },
  timestamp: toTime('TIMESTAMP_MILLIS', 1),
  digits: { ...text, physical: 'BYTE_ARRAY' },
  text: { ...text, physical: 'BYTE_ARRAY' },
  // As text: of the logical type JSON some readers make bytes.
  json: { ...text, physical: 'BYTE_ARRAY' },
  mixed: { ...text, physical: 'BYTE_ARRAY' },
}

const writeElement = (writer: CompactWriter, { name, repetition, children, type = {}, id }: Element): void =>
  writer.body(() => {
    const { physical, converted, logical } = type
    if (physical) writer.i32(1, physicalTypes.indexOf(physical))
    if (repetition) writer.i32(3, repetitions.indexOf(repetition))
    writer.text(4, name)
    if (children !== undefined) writer.i32(5, children)
    if (converted) writer.i32(6, convertedTypes.indexOf(converted))
    if (id !== undefined) writer.i32(9, id)
    if (logical) writer.struct(10, () => logical(writer))
  })

/** The parts of a row group. */
type GroupParts = {
  readonly rows: number
  readonly leaves: readonly WrittenLeaf[]
  /** One for each leaf, in their order. */
  readonly chunks: readonly WrittenChunk[]
  /** The column by which its rows are sorted. */
  readonly sortedBy: string | undefined
}

/** @param scratch memory for the metadata */
export const toWrittenGroup = ({ rows, leaves, chunks, sortedBy }: GroupParts, scratch: ByteSink): WrittenGroup => {
  scratch.length = 0
  const writer = new CompactWriter(scratch)
  writer.body(() => {
    const places = chunks.map((chunk, i) => ({ chunk, leaf: leaves[i] as WrittenLeaf }))
    writer.list(1, wire.struct, places, ({ chunk, leaf }) => writeColumnChunk(writer, leaf, chunk))
    writer.i64(
      2,
      chunks.reduce((sum, { uncompressed }) => sum + uncompressed, 0),
    )
    writer.i64(3, rows)
    const sorted = leaves.findIndex(({ path }) => path.length === 1 && path[0] === sortedBy)
    if (sorted >= 0)
      writer.list(4, wire.struct, [sorted], leaf =>
        writer.body(() => {
          writer.i32(1, leaf)
          writer.boolean(2, false)
          writer.boolean(3, true)
        }),
      )
  })
  return { rows, metadata: Buffer.from(scratch.view()) }
}

const writeColumnChunk = (writer: CompactWriter, { path, kind }: WrittenLeaf, chunk: WrittenChunk): void =>
  writer.body(() => {
    writer.i64(2, chunk.dictionaryOffset ?? chunk.dataOffset)
    writer.struct(3, () => {
      writer.i32(1, physicalTypes.indexOf(scalarTypes[kind].physical))
      writer.list(2, wire.i32, chunk.encodings, encoding => writer.zigzag(encoding))
      writer.list(3, wire.binary, path, name => writer.bytes(Buffer.from(name)))
      writer.i32(4, chunk.codec)
      writer.i64(5, chunk.values)
      writer.i64(6, chunk.uncompressed)
      writer.i64(7, chunk.compressed)
      writer.i64(9, chunk.dataOffset)
      if (chunk.dictionaryOffset !== undefined) writer.i64(11, chunk.dictionaryOffset)
      writer.struct(12, () => {
        writer.i64(3, chunk.nulls)
        if (!chunk.bounds) return
        writer.binary(5, chunk.bounds.max)
        writer.binary(6, chunk.bounds.min)
      })
    })
  })
