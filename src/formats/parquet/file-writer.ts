import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ColumnValue } from './column-value.ts'
import {
  extraColumn,
  isList,
  isStruct,
  type Kind,
  kindsKey,
  type ScalarKind,
  type StructKind,
  toJsonValue,
} from './kind.ts'

export type ParquetCodec = 'zstd' | 'gzip'

/** Writes one Parquet file into memory, row group by row group. */
export type ParquetFileWriter = {
  /** One row group: the values of each column, in the order of the columns, all of the same length. */
  writeGroup(columns: readonly ColumnValue[][]): void
  /** Writes the footer. @returns the file; nothing may be written any more */
  finish(): Uint8Array
}

/** An element of the schema, as the writer takes it. */
type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** Names and kinds of the columns, in order. */
export const createParquetFile = (columns: StructKind, codec: ParquetCodec = 'zstd'): ParquetFileWriter => {
  const schema = toSchema(columns)
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema,
    codec: codec === 'zstd' ? 'ZSTD' : 'GZIP',
    compressors: { ZSTD: bytes => zstdCompressSync(bytes, zstdOptions), GZIP: bytes => gzipSync(bytes) },
    createdBy,
    statisticsTruncateLength: 64,
    kvMetadata: [{ key: kindsKey, value: JSON.stringify(toJsonValue(columns)) }],
  })
  const groups: Uint8Array[] = []
  /** Its buffer doubles whenever it is full, so that it holds one row group and not the file. */
  const take = (): void => {
    groups.push(writer.getBytes().slice())
    writer.index = 0
  }
  const heads = Array.from(columns.struct, ([name, kind]) => ({
    name,
    // Whether there is anything in it tells readers whether the bounds of other columns are all there is.
    statistics: name === extraColumn || hasStatistics(kind),
  }))
  return {
    writeGroup: values => {
      const rowGroupSize = values[0]?.length ?? 0
      atOnce(file.write({ columnData: heads.map((head, i) => ({ ...head, data: values[i] ?? [] })), rowGroupSize }))
      take()
    },
    finish: () => {
      atOnce(file.finish())
      take()
      return Buffer.concat(groups)
    },
  }
}

const createdBy = 'sluice'

/** Memory is written at once; what is written to a file would have to be waited for. */
const atOnce = (pending: void | Promise<void>): void => {
  if (pending) throw new TypeError('Cannot wait for bytes in memory')
}

const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** Bounds of texts that stand in no order tell a reader nothing, and cost as much time as all the rest. */
const hasStatistics = (kind: Kind): boolean =>
  kind === 'boolean' || kind === 'integer' || kind === 'double' || kind === 'timestamp'

const toSchema = ({ struct }: StructKind): SchemaElement[] => [
  { name: 'event', num_children: struct.size },
  ...toElements(struct),
]

const toElements = (struct: ReadonlyMap<string, Kind>): SchemaElement[] =>
  Array.from(struct, ([name, kind]) => toElement(name, kind)).flat()

/** Lists in three levels, as the format's page on logical types has it. */
const toElement = (name: string, kind: Kind): SchemaElement[] => {
  const head = { name, repetition_type: 'OPTIONAL' } as const
  if (isStruct(kind)) return [{ ...head, num_children: kind.struct.size }, ...toElements(kind.struct)]
  if (isList(kind)) {
    return [
      { ...head, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...toElement('element', kind.list),
    ]
  }
  return [{ ...head, ...scalars[kind] }]
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const

const scalars: Readonly<Record<ScalarKind, Omit<SchemaElement, 'name'>>> = {
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  digits: text,
  text,
  bytes: { type: 'BYTE_ARRAY' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  // As text: of the logical type JSON some readers make bytes.
  json: text,
  mixed: text,
}
