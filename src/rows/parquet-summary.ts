import type { ColumnChunk, ColumnMetaData, FileMetaData, RowGroup, SchemaElement, Statistics } from 'hyparquet'
import { Decimal, maxIntegerBytes } from '../formats/number.ts'
import { toBuffer } from '../formats/to-buffer.ts'
import { fromTwosComplement } from '../formats/twos-complement.ts'
import { isDecimal } from './parquet-decimal.ts'

/** The first ones of a list that may be very long, and how many there are in all. */
export type Cut<T> = { readonly shown: readonly T[]; readonly count: number }

/** An element of the schema, each before its children. */
export type ParquetElement = {
  readonly name: string
  /** 0 for a column. */
  readonly depth: number
  /** `INT64`, `FIXED_LEN_BYTE_ARRAY(16)` …; `group` for what has children. */
  readonly type: string
  /** `STRING`, `DECIMAL(20, 2)`, `TIMESTAMP(MICROS, UTC)` …; empty where there is none. */
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

/**
 * Takes what is shown of a file's metadata; whatever stands in it.
 * @param metadata whose bounds of text and bytes are bytes, and whose times are text
 */
export const toParquetSummary = (metadata: FileMetaData, columns: number): ParquetSummary => {
  const { schema, row_groups: groups, key_value_metadata: keys = [], created_by: createdBy } = metadata
  const leaves = schema.filter(({ type }) => type !== undefined)
  let left = maxChunks
  const shown = groups.slice(0, maxGroups).map(group => {
    const made = toGroup(group, leaves, left)
    left -= made.chunks.shown.length
    return made
  })
  return {
    rows: Number(metadata.num_rows),
    columns,
    createdBy: createdBy === undefined ? undefined : toShort(createdBy),
    footer: metadata.metadata_length,
    keys: { shown: keys.slice(0, maxKeys).map(({ key }) => toShort(key)), count: keys.length },
    // The first one is the file itself.
    schema: { shown: toElements(schema.slice(0, maxElements + 1)), count: schema.length - 1 },
    groups: { shown, count: groups.length },
  }
}

const toElements = (schema: readonly SchemaElement[]): readonly ParquetElement[] => {
  /** How many children of each open element are to come. */
  const open: number[] = []
  return schema.slice(1).map(element => {
    while (open.at(-1) === 0) open.pop()
    const depth = open.length
    const parent = open.pop()
    if (parent !== undefined) open.push(parent - 1)
    if (element.num_children) open.push(element.num_children)
    return {
      name: toShort(element.name),
      depth,
      type: toTypeText(element),
      logicalType: toLogicalText(element),
      repetition: repetitions[element.repetition_type ?? 'REQUIRED'],
    }
  })
}

const repetitions = { REQUIRED: 'required', OPTIONAL: 'optional', REPEATED: 'repeated' } as const

const toTypeText = ({ type, type_length: length }: SchemaElement): string => {
  if (type === undefined) return 'group'
  return type === 'FIXED_LEN_BYTE_ARRAY' && length !== undefined ? `${type}(${length})` : type
}

const toLogicalText = (element: SchemaElement): string => {
  const { logical_type: logical, converted_type: converted } = element
  if (logical?.type === undefined) {
    return isDecimal(element) ? `DECIMAL(${element.precision}, ${element.scale ?? 0})` : (converted ?? '')
  }
  switch (logical.type) {
    case 'DECIMAL':
      return `DECIMAL(${logical.precision}, ${logical.scale})`
    case 'TIME':
    case 'TIMESTAMP':
      return `${logical.type}(${logical.unit}, ${logical.isAdjustedToUTC ? 'UTC' : 'local'})`
    case 'INTEGER':
      return `${logical.isSigned ? 'INT' : 'UINT'}(${logical.bitWidth})`
    default:
      return logical.type
  }
}

const toGroup = (group: RowGroup, leaves: readonly SchemaElement[], most: number): ParquetGroup => {
  const { columns } = group
  const metas = columns.flatMap(({ meta_data: meta }) => meta ?? [])
  const starts = metas.map(meta => Number(meta.dictionary_page_offset || meta.data_page_offset))
  return {
    rows: Number(group.num_rows),
    compressed: metas.reduce((sum, meta) => sum + Number(meta.total_compressed_size), 0),
    uncompressed: Number(group.total_byte_size),
    offset: starts.reduce((least, start) => Math.min(least, start), Number(group.file_offset ?? starts[0] ?? 0)),
    chunks: {
      shown: columns.slice(0, most).flatMap((column, index) => toChunk(column, leaves[index]) ?? []),
      count: columns.length,
    },
  }
}

const toChunk = ({ meta_data: meta }: ColumnChunk, element: SchemaElement | undefined): ParquetChunk | undefined => {
  if (meta === undefined) return undefined
  const nulls = meta.statistics?.null_count
  return {
    path: toShort(meta.path_in_schema.slice(0, 20).join('.')),
    codec: String(meta.codec),
    encodings: [...new Set(meta.encodings)].slice(0, 10).map(String),
    compressed: Number(meta.total_compressed_size),
    uncompressed: Number(meta.total_uncompressed_size),
    nulls: nulls === undefined ? undefined : Number(nulls),
    ...(element === undefined ? { min: undefined, max: undefined } : toBounds(meta, element)),
  }
}

type StoredBound = NonNullable<Statistics['min']>

/** The old bounds of bytes were compared as if bytes had signs, and those of INT96 in no order at all. */
const toBounds = ({ statistics = {} }: ColumnMetaData, element: SchemaElement): Pick<ParquetChunk, 'min' | 'max'> => {
  if (element.type === 'INT96') return { min: undefined, max: undefined }
  const { min_value, max_value, is_min_value_exact, is_max_value_exact } = statistics
  const hasOld = element.type !== 'BYTE_ARRAY' && element.type !== 'FIXED_LEN_BYTE_ARRAY'
  return {
    min: toBound(min_value ?? (hasOld ? statistics.min : undefined), is_min_value_exact === false, element),
    max: toBound(max_value ?? (hasOld ? statistics.max : undefined), is_max_value_exact === false, element),
  }
}

const toBound = (value: StoredBound | undefined, isCut: boolean, element: SchemaElement): ParquetBound | undefined => {
  if (value === undefined) return undefined
  if (value instanceof Uint8Array) return toBytesBound(value, isCut, element)
  if (isDecimal(element) && typeof value === 'number') return { text: toDecimalText(value, element.scale), isCut }
  if (element.logical_type?.type === 'TIME' || element.converted_type?.startsWith('TIME_')) {
    return { text: toTimeText(value, element), isCut }
  }
  const text = String(value)
  return { text: text.slice(0, maxTextChars), isCut: isCut || text.length > maxTextChars }
}

const textTypes: ReadonlySet<string | undefined> = new Set(['UTF8', 'STRING', 'JSON', 'ENUM'])

const toBytesBound = (bytes: Uint8Array, isCut: boolean, element: SchemaElement): ParquetBound => {
  if (isDecimal(element) && bytes.length > 0 && bytes.length <= maxIntegerBytes) {
    return { text: new Decimal(fromTwosComplement(bytes), element.scale ?? 0).toString(), isCut }
  }
  if (textTypes.has(element.logical_type?.type) || textTypes.has(element.converted_type)) {
    // A bound that was cut may end within a character.
    const text = toBuffer(bytes.subarray(0, 4 * maxTextChars))
      .toString('utf8')
      .replace(/\ufffd$/, '')
    return { text: text.slice(0, maxTextChars), isCut: isCut || text.length > maxTextChars }
  }
  const shown = toBuffer(bytes.subarray(0, maxBoundBytes)).toString('hex')
  return { text: `0x${shown}`, isCut: isCut || bytes.length > maxBoundBytes }
}

/** The library has made a double of it: its digits are exact up to some fifteen. */
const toDecimalText = (value: number, scale = 0): string => {
  const isScale = Number.isInteger(scale) && scale >= 0 && scale <= 100
  const text = isScale ? value.toFixed(scale) : String(value)
  return Math.abs(value) * 10 ** scale > Number.MAX_SAFE_INTEGER ? `≈ ${text}` : text
}

/** Time of day: `10:11:12.5`. */
const toTimeText = (
  value: StoredBound,
  { logical_type: logical, converted_type: converted }: SchemaElement,
): string => {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value)
  const unit = logical?.type === 'TIME' ? logical.unit : converted === 'TIME_MILLIS' ? 'MILLIS' : 'MICROS'
  const digits = { MILLIS: 3, MICROS: 6, NANOS: 9 }[unit]
  const perSecond = 10n ** BigInt(digits)
  const count = BigInt(value)
  if (count < 0n || count >= 86_400n * perSecond) return String(value)
  const seconds = new Date(Number(count / perSecond) * 1000).toISOString().slice(11, 19)
  const rest = (count % perSecond).toString().padStart(digits, '0').replace(/0+$/, '')
  return rest === '' ? seconds : `${seconds}.${rest}`
}

const toShort = (text: string | undefined): string => {
  const whole = String(text ?? '')
  return whole.length > maxNameChars ? `${whole.slice(0, maxNameChars)}…` : whole
}
