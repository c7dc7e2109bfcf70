/** What a footer knows of a column within a row group (parquet.thrift, `ColumnChunk`). */
import type { Buffer } from 'node:buffer'
import type { CompactReader } from './compact.ts'
import { encodingNames, parquetCodecNames, toWord } from './words.ts'

export type ColumnChunk = {
  /** Another file that has the pages. */
  readonly filePath: string | undefined
  readonly offsetIndex: { readonly offset: number; readonly length: number } | undefined
  readonly isEncrypted: boolean
  readonly meta: ChunkMetaData | undefined
}

export type ChunkMetaData = {
  readonly path: readonly string[]
  readonly codec: string
  readonly encodings: readonly string[]
  /** Nulls included. */
  readonly values: number
  readonly compressed: number
  readonly uncompressed: number
  readonly dataOffset: number
  readonly dictionaryOffset: number | undefined
  readonly statistics: Statistics | undefined
}

/** Bounds are encoded as plain values are, without a length. */
export type Statistics = {
  /** Of older writers; the order of bytes in them is not defined. */
  readonly min?: Buffer | undefined
  readonly max?: Buffer | undefined
  readonly minValue?: Buffer | undefined
  readonly maxValue?: Buffer | undefined
  readonly isMinExact?: boolean | undefined
  readonly isMaxExact?: boolean | undefined
  readonly nulls?: number | undefined
}

export const readColumnChunk = (reader: CompactReader, type: number): ColumnChunk => {
  let filePath: string | undefined
  let offset: number | undefined
  let length: number | undefined
  let isEncrypted = false
  let meta: ChunkMetaData | undefined
  reader.struct(type, (id, type) => {
    if (id === 1) filePath = reader.text(type)
    else if (id === 3) meta = readMeta(reader, type)
    else if (id === 4) offset = reader.integer(type)
    else if (id === 5) length = reader.integer(type)
    else if (id === 8 || id === 9) isEncrypted = true
  })
  const offsetIndex = offset === undefined || length === undefined ? undefined : { offset, length }
  return { filePath, offsetIndex, isEncrypted, meta }
}

const readMeta = (reader: CompactReader, type: number): ChunkMetaData | undefined => {
  const path: string[] = []
  const encodings = new Set<string>()
  let codec = 'UNCOMPRESSED'
  let [values, compressed, uncompressed, dataOffset] = [0, 0, 0, 0]
  let dictionaryOffset: number | undefined
  let statistics: Statistics | undefined
  const isThere = reader.struct(type, (id, type) => {
    if (id === 2) reader.list(type, item => void encodings.add(toWord(encodingNames, reader.integer(item))))
    else if (id === 3) reader.list(type, item => void path.push(reader.text(item) ?? ''))
    else if (id === 4) codec = toWord(parquetCodecNames, reader.integer(type))
    else if (id === 5) values = reader.integer(type) ?? values
    else if (id === 6) uncompressed = reader.integer(type) ?? uncompressed
    else if (id === 7) compressed = reader.integer(type) ?? compressed
    else if (id === 9) dataOffset = reader.integer(type) ?? dataOffset
    else if (id === 11) dictionaryOffset = reader.integer(type)
    else if (id === 12) statistics = readStatistics(reader, type)
  })
  if (!isThere) return undefined
  const sizes = { values, compressed, uncompressed, dataOffset, dictionaryOffset }
  return { path, codec, encodings: [...encodings], ...sizes, statistics }
}

const readStatistics = (reader: CompactReader, type: number): Statistics => {
  const found: { -readonly [Name in keyof Statistics]: Statistics[Name] } = {}
  reader.struct(type, (id, type) => {
    if (id === 1) found.max = reader.binary(type)
    else if (id === 2) found.min = reader.binary(type)
    else if (id === 3) found.nulls = reader.integer(type)
    else if (id === 5) found.maxValue = reader.binary(type)
    else if (id === 6) found.minValue = reader.binary(type)
    else if (id === 7) found.isMaxExact = reader.boolean(type)
    else if (id === 8) found.isMinExact = reader.boolean(type)
  })
  return found
}
