import type { Buffer } from 'node:buffer'
import { isNumber, type Value } from '../../formats/number.ts'
import { readBound } from '../../formats/parquet/bounds.ts'
import type { ChunkMetaData, ColumnChunk, Statistics } from '../../formats/parquet/chunk-metadata.ts'
import type { FileMetaData, RowGroup } from '../../formats/parquet/metadata.ts'
import type { Leaf, ParquetSchema } from '../../formats/parquet/schema.ts'
import type { SchemaElement } from '../../formats/parquet/schema-element.ts'
import { toBuffer } from '../../formats/to-buffer.ts'

/** The first ones of a list that may be very long, and how many there are in all. */
export type Cut<T> = { readonly shown: readonly T[]; readonly count: number }

/** An element of the schema, each before its children. */
export type ParquetElement = {
  readonly name: string
  /** 0 for a column. */
  readonly depth: number
  /** `INT64`, `FIXED_LEN_BYTE_ARRAY(16)` …; `group` for what has children. */
  readonly type: string
  /** `STRING`, `DECIMAL(20, 2)`, `TIMESTAMP(MICROS, UTC)` …; empty without one. */
  readonly logicalType: string
  readonly repetition: 'required' | 'optional' | 'repeated'
}

/** A smallest or largest value, as text. */
export type ParquetBound = { readonly text: string; readonly isCut: boolean }

/** A column of a row group. */
export type ParquetChunk = {
  /** Its name, and those of elements within, with dots between them. */
  readonly path: string
  readonly codec: string
  readonly encodings: readonly string[]
  /** In bytes. */
  readonly compressed: number
  readonly uncompressed: number
  readonly nulls: number | undefined
  readonly min: ParquetBound | undefined
  readonly max: ParquetBound | undefined
}

export type ParquetGroup = {
  readonly rows: number
  /** In bytes. */
  readonly compressed: number
  readonly uncompressed: number
  /** Of its first byte in the file. */
  readonly offset: number
  readonly chunks: Cut<ParquetChunk>
}

/** What the footer of a Parquet file says, cut to what people look at. */
export type ParquetSummary = {
  readonly rows: number
  readonly columns: number
  readonly createdBy: string | undefined
  /** Length of the footer in bytes. */
  readonly footer: number
  readonly keys: Cut<string>
  readonly schema: Cut<ParquetElement>
  readonly groups: Cut<ParquetGroup>
}

/** A hostile footer names millions of each. */
const maxElements = 200
const maxGroups = 20
const maxKeys = 30
/** Columns of all row groups together. */
const maxChunks = 200

/** Characters of a text that is a bound, a name or the like; bytes of a binary bound. */
const maxTextChars = 80
const maxNameChars = 200
const maxBoundBytes = 16

/** Takes what is shown of a file's metadata, whatever that contains. */
export const toParquetSummary = (metadata: FileMetaData, { columns, leaves }: ParquetSchema): ParquetSummary => {
  const { schema, groups, keyValues, createdBy, rows, length } = metadata
  let left = maxChunks
  const shown = groups.slice(0, maxGroups).map(group => {
    const made = toGroup(group, leaves, left)
    left -= made.chunks.shown.length
    return made
  })
  return {
    rows,
    columns: columns.length,
    createdBy: createdBy === undefined ? undefined : toShort(createdBy),
    footer: length,
    keys: { shown: [...keyValues.keys()].slice(0, maxKeys).map(toShort), count: keyValues.size },
    // The first one is the file itself.
    schema: { shown: toElements(schema.slice(0, maxElements + 1)), count: Math.max(0, schema.length - 1) },
    groups: { shown, count: groups.length },
  }
}

const toElements = (schema: readonly SchemaElement[]): readonly ParquetElement[] => {
  /** How many children of each open element are left. */
  const open: number[] = []
  return schema.slice(1).map(element => {
    while (open.at(-1) === 0) open.pop()
    const depth = open.length
    const parent = open.pop()
    if (parent !== undefined) open.push(parent - 1)
    if (element.type === undefined && element.children) open.push(element.children)
    return {
      name: toShort(element.name),
      depth,
      type: toTypeText(element),
      logicalType: toLogicalText(element),
      repetition: element.repetition,
    }
  })
}

const toTypeText = ({ type, typeLength: length }: SchemaElement): string => {
  if (type === undefined) return 'group'
  return type === 'FIXED_LEN_BYTE_ARRAY' && length !== undefined ? `${type}(${length})` : type
}

const toLogicalText = ({ logical, converted, precision, scale = 0 }: SchemaElement): string => {
  if (logical === undefined) return converted === 'DECIMAL' ? `DECIMAL(${precision}, ${scale})` : (converted ?? '')
  switch (logical.kind) {
    case 'DECIMAL':
      return `DECIMAL(${logical.precision}, ${logical.scale})`
    case 'TIME':
    case 'TIMESTAMP':
      return `${logical.kind}(${logical.unit}, ${logical.isUtc ? 'UTC' : 'local'})`
    case 'INTEGER':
      return `${logical.isSigned ? 'INT' : 'UINT'}(${logical.bits})`
    default:
      return logical.kind
  }
}

const toGroup = (group: RowGroup, leaves: readonly Leaf[], most: number): ParquetGroup => {
  const chunks = group.chunks()
  const metas = chunks.flatMap(({ meta }) => meta ?? [])
  const starts = metas.map(meta => meta.dictionaryOffset || meta.dataOffset)
  return {
    rows: group.rows,
    compressed: metas.reduce((sum, meta) => sum + meta.compressed, 0),
    uncompressed: group.totalBytes,
    offset: starts.reduce((least, start) => Math.min(least, start), group.fileOffset ?? starts[0] ?? 0),
    chunks: {
      shown: chunks.slice(0, most).flatMap((chunk, index) => toChunk(chunk, leaves[index]) ?? []),
      count: chunks.length,
    },
  }
}

const toChunk = ({ meta }: ColumnChunk, leaf: Leaf | undefined): ParquetChunk | undefined => {
  if (meta === undefined) return undefined
  return {
    path: toShort(meta.path.slice(0, 20).join('.')),
    codec: meta.codec,
    encodings: meta.encodings.slice(0, 10),
    compressed: meta.compressed,
    uncompressed: meta.uncompressed,
    nulls: meta.statistics?.nulls,
    ...(leaf === undefined ? { min: undefined, max: undefined } : toBounds(meta, leaf)),
  }
}

/** The old bounds of bytes were compared as if bytes had signs, and those of INT96 in no order at all. */
const toBounds = ({ statistics = {} }: ChunkMetaData, leaf: Leaf): Pick<ParquetChunk, 'min' | 'max'> => {
  const { type } = leaf.element
  if (type === 'INT96') return { min: undefined, max: undefined }
  const { minValue, maxValue, isMinExact, isMaxExact }: Statistics = statistics
  const hasOld = type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY'
  return {
    min: toBound(leaf, minValue ?? (hasOld ? statistics.min : undefined), isMinExact === false),
    max: toBound(leaf, maxValue ?? (hasOld ? statistics.max : undefined), isMaxExact === false),
  }
}

const toBound = (leaf: Leaf, bound: Buffer | undefined, isCut: boolean): ParquetBound | undefined => {
  // A bound that was cut may end within a character; longer ones are shown in part.
  const value = readBound(leaf, bound)
  if (value === undefined || value === null) return undefined
  if (value instanceof Uint8Array) {
    const shown = toBuffer(value.subarray(0, maxBoundBytes)).toString('hex')
    return { text: `0x${shown}`, isCut: isCut || value.length > maxBoundBytes }
  }
  const text = isNumber(value) || typeof value === 'boolean' ? value.toString() : toText(value)
  return { text: text.slice(0, maxTextChars), isCut: isCut || text.length > maxTextChars }
}

const toText = (value: Value): string => (typeof value === 'string' ? value.replace(/\ufffd$/, '') : '')

const toShort = (text: string | undefined): string => {
  const whole = String(text ?? '')
  return whole.length > maxNameChars ? `${whole.slice(0, maxNameChars)}…` : whole
}
