/**
 * The footer of a Parquet file (parquet.thrift, `FileMetaData`):
 *
 *     PAR1 … metadata length:4 PAR1        the length is little-endian; PARE where the footer is encrypted
 *
 * What is known of a column chunk is read when its row group is: a footer may have millions of them.
 */
import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { type ColumnChunk, readColumnChunk } from './chunk-metadata.ts'
import { CompactReader } from './compact.ts'
import { readSchemaElement, type SchemaElement } from './schema-element.ts'

export type FileMetaData = {
  /** Each element before its children; the first is the file itself. */
  readonly schema: readonly SchemaElement[]
  readonly rows: number
  readonly groups: readonly RowGroup[]
  readonly keyValues: ReadonlyMap<string, string>
  readonly createdBy: string | undefined
  /** Length of the metadata in bytes. */
  readonly length: number
}

export type RowGroup = {
  readonly rows: number
  /** Of its values as they are encoded, before compression. */
  readonly totalBytes: number
  readonly fileOffset: number | undefined
  readonly chunkCount: number
  /** The number of the leaf that its rows are sorted by, ascending; undefined where it is said of none. */
  readonly sortedBy: number | undefined
  /** Chunks in the order of the schema's leaves; read again by each call. */
  readonly chunks: () => readonly ColumnChunk[]
}

/** Most items of a list of the metadata: an item of a few bytes takes hundreds in memory. */
const maxItems = 250_000

/** The bytes after the metadata: its length and the magic. */
export const tailBytes = 8

/**
 * The length of the metadata, of the last bytes of a file.
 * @throws FormatError no Parquet, or an encrypted footer
 */
export const readMetadataLength = (tail: Buffer, fileSize: number): number => {
  const magic = tail.toString('latin1', tail.length - 4)
  const length = tail.length < tailBytes ? 0 : tail.readUInt32LE(tail.length - tailBytes)
  if (magic === 'PARE') throw fault(fileSize - 4, 'expected a plain footer, found one that is encrypted')
  if (magic !== 'PAR1') throw fault(Math.max(0, fileSize - 4), 'expected "PAR1" at the end of the file')
  if (length <= fileSize - tailBytes - 4) return length
  throw fault(fileSize - tailBytes, `expected metadata within the file, found a length of ${length}`)
}

/** Reads the metadata. @param base its offset in the file, for errors @throws FormatError */
export const readMetadata = (bytes: Buffer, base: number): FileMetaData => {
  const reader = new CompactReader(bytes, base)
  const schema: SchemaElement[] = []
  const groups: RowGroup[] = []
  const keyValues = new Map<string, string>()
  let rows = 0
  let createdBy: string | undefined
  /** A list, each item of which is made an object. */
  const list = (type: number, what: string, read: (item: number) => void): boolean => {
    let count = 0
    return reader.list(type, item => {
      if (++count > maxItems) throw fault(base, `expected at most ${maxItems} ${what} in the metadata, found more`)
      read(item)
    })
  }
  reader.fields((id, type) => {
    if (id === 2) list(type, 'elements of a schema', item => void schema.push(readSchemaElement(reader, item)))
    else if (id === 3) rows = reader.integer(type) ?? rows
    else if (id === 4) list(type, 'row groups', item => void groups.push(readRowGroup(reader, item, bytes, base)))
    else if (id === 5) list(type, 'keys', item => readKeyValue(reader, item, keyValues))
    else if (id === 6) createdBy = reader.text(type)
  })
  return { schema, rows, groups, keyValues, createdBy, length: bytes.length }
}

const readKeyValue = (reader: CompactReader, type: number, into: Map<string, string>): void => {
  let key: string | undefined
  let value = ''
  reader.struct(type, (id, type) => {
    if (id === 1) key = reader.text(type)
    else if (id === 2) value = reader.text(type) ?? value
  })
  if (key !== undefined) into.set(key, value)
}

const readRowGroup = (reader: CompactReader, type: number, bytes: Buffer, base: number): RowGroup => {
  let rows = 0
  let totalBytes = 0
  let fileOffset: number | undefined
  let chunkCount = 0
  let sortedBy: number | undefined
  let isFirst = true
  let [start, end] = [0, 0]
  reader.struct(type, (id, type) => {
    if (id === 1) {
      start = reader.position
      reader.list(type, item => {
        chunkCount += 1
        reader.skip(item)
      })
      end = reader.position
    } else if (id === 2) totalBytes = reader.integer(type) ?? totalBytes
    else if (id === 3) rows = reader.integer(type) ?? rows
    else if (id === 4)
      reader.list(type, item => {
        const leaf = readSortingColumn(reader, item)
        if (isFirst) sortedBy = leaf
        isFirst = false
      })
    else if (id === 5) fileOffset = reader.integer(type)
  })
  return {
    rows,
    totalBytes,
    fileOffset,
    chunkCount,
    sortedBy,
    chunks: () => readChunks(bytes.subarray(start, end), base + start),
  }
}

/** @returns the number of its leaf; undefined where the order is descending */
const readSortingColumn = (reader: CompactReader, type: number): number | undefined => {
  let leaf: number | undefined
  let isDescending: boolean | undefined
  reader.struct(type, (id, type) => {
    if (id === 1) leaf = reader.integer(type)
    else if (id === 2) isDescending = reader.boolean(type)
  })
  return isDescending === false ? leaf : undefined
}

/** The wire type of a list. */
const list = 9

const readChunks = (bytes: Buffer, base: number): readonly ColumnChunk[] => {
  const chunks: ColumnChunk[] = []
  const reader = new CompactReader(bytes, base)
  if (bytes.length === 0) return chunks
  reader.list(list, item => {
    if (chunks.length === maxItems) throw fault(base, `expected at most ${maxItems} columns of a row group, found more`)
    chunks.push(readColumnChunk(reader, item))
  })
  return chunks
}

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)
