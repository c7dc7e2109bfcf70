/** The metadata of a file (parquet.thrift, `FileMetaData`), followed by its length and the magic word. */
import { Buffer } from 'node:buffer'
import { isList, isStruct, type Kind, type ScalarKind, type StructKind, toKindsFact } from '../kind.ts'
import { convertedTypes, type PhysicalType, physicalTypes, repetitions } from '../words.ts'
import { ByteSink } from './byte-sink.ts'
import type { WrittenChunk } from './chunk-writer.ts'
import { CompactWriter, wire } from './compact-writer.ts'
import { type ElementType, listType, textType, toTimeType } from './element-types.ts'
import { type FieldId, type FieldIds, type TableFile, tableKey } from './field-ids.ts'

/** A leaf of the schema, without the chunks. */
export type WrittenLeaf = { readonly path: readonly string[]; readonly physical: PhysicalType }

/** A row group in the file, as the footer has it: bytes, for a file with many of them is written beside thousands of others. */
export type WrittenGroup = { readonly rows: number; readonly metadata: Uint8Array }

/** What a file begins and ends with. */
export const parquetMagic = 'PAR1'

/** The parts of a footer of a file of events. */
type EventFooter = {
  readonly columns: StructKind
  readonly leaves: readonly WrittenLeaf[]
  readonly groups: readonly WrittenGroup[]
  readonly table: TableFile | undefined
}

/** @returns the bytes after the last row group */
export const encodeEventFooter = ({ columns, leaves, groups, table }: EventFooter): Uint8Array =>
  encodeFooter({
    elements: toElements(columns, table?.ids),
    facts: [toKindsFact(columns), ...(table ? [[tableKey, table.uuid] as const] : [])],
    leaves,
    groups,
  })

/** The parts of a footer. */
type Footer = {
  /** Each before its children. */
  readonly elements: readonly WrittenElement[]
  /** Keys with their values. */
  readonly facts: readonly (readonly [key: string, value: string])[]
  readonly leaves: readonly WrittenLeaf[]
  readonly groups: readonly WrittenGroup[]
}

/** @returns the bytes after the last row group */
export const encodeFooter = ({ elements, facts, leaves, groups }: Footer): Uint8Array => {
  const sink = new ByteSink(1 << 12)
  const writer = new CompactWriter(sink)
  writer.body(() => {
    writer.i32(1, 1)
    writer.list(2, wire.struct, elements, element => writeElement(writer, element))
    writer.i64(
      3,
      groups.reduce((sum, { rows }) => sum + rows, 0),
    )
    writer.list(4, wire.struct, groups, ({ metadata }) => sink.append(metadata))
    writer.list(5, wire.struct, facts, ([key, value]) =>
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

/** An element of the schema. */
export type WrittenElement = {
  readonly name: string
  /** Undefined for the root. */
  readonly repetition?: 'required' | 'optional' | 'repeated'
  readonly children?: number
  readonly type?: ElementType
  /** In a table. */
  readonly id?: number
}

const toElements = (columns: StructKind, ids: FieldIds | undefined): WrittenElement[] => [
  { name: 'event', children: columns.struct.size },
  ...toMembers(columns, ids),
]

const toMembers = ({ struct }: StructKind, ids: FieldIds | undefined): WrittenElement[] =>
  Array.from(struct, ([name, kind]) => toElement(name, kind, ids && idIn(ids, name))).flat()

const idIn = (ids: FieldIds, name: string): FieldId => {
  const id = ids.get(name)
  if (!id) throw new TypeError(`The table has no column ${JSON.stringify(name)}`)
  return id
}

/** Lists in three levels, as the format's page on logical types has it. */
const toElement = (name: string, kind: Kind, field: FieldId | undefined): WrittenElement[] => {
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

const microseconds = toTimeType('timestamp', 'micros')

const scalarTypes: Readonly<Record<ScalarKind, ElementType & { readonly physical: PhysicalType }>> = {
  boolean: { physical: 'BOOLEAN' },
  integer: { physical: 'INT64' },
  double: { physical: 'DOUBLE' },
  bytes: { physical: 'BYTE_ARRAY' },
  timestamp: toTimeType('timestamp', 'millis'),
  digits: textType,
  text: textType,
  // As text: of the logical type JSON some readers make bytes.
  json: textType,
  mixed: textType,
  id: textType,
}

const writeElement = (writer: CompactWriter, { name, repetition, children, type = {}, id }: WrittenElement): void =>
  writer.body(() => {
    const { physical, width, scale, precision, converted, logical } = type
    if (physical) writer.i32(1, physicalTypes.indexOf(physical))
    if (width !== undefined) writer.i32(2, width)
    if (repetition) writer.i32(3, repetitions.indexOf(repetition))
    writer.text(4, name)
    if (children !== undefined) writer.i32(5, children)
    if (converted) writer.i32(6, convertedTypes.indexOf(converted))
    if (scale !== undefined) writer.i32(7, scale)
    if (precision !== undefined) writer.i32(8, precision)
    if (id !== undefined) writer.i32(9, id)
    if (logical) writer.struct(10, () => logical(writer))
  })

/** As what values of a kind are written. */
export const physicalOf = (kind: ScalarKind): PhysicalType => scalarTypes[kind].physical

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

const writeColumnChunk = (writer: CompactWriter, { path, physical }: WrittenLeaf, chunk: WrittenChunk): void =>
  writer.body(() => {
    writer.i64(2, chunk.dictionaryOffset ?? chunk.dataOffset)
    writer.struct(3, () => {
      writer.i32(1, physicalTypes.indexOf(physical))
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
