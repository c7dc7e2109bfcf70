/** Where the pages of a chunk are, and which rows they begin with (parquet.thrift, `OffsetIndex`). */
import type { Buffer } from 'node:buffer'
import { CompactReader } from '../compact.ts'

export type PageLocation = {
  readonly offset: number
  /** In bytes, with its header. */
  readonly size: number
  /** Its first one within the row group. */
  readonly row: number
}

/** @throws FormatError */
export const readOffsetIndex = (bytes: Buffer, base: number): readonly PageLocation[] => {
  const pages: PageLocation[] = []
  const reader = new CompactReader(bytes, base)
  reader.fields((id, type) => {
    if (id === 1) reader.list(type, item => void pages.push(readLocation(reader, item)))
  })
  return pages
}

const readLocation = (reader: CompactReader, type: number): PageLocation => {
  let [offset, size, row] = [0, 0, 0]
  reader.struct(type, (id, type) => {
    if (id === 1) offset = reader.integer(type) ?? offset
    else if (id === 2) size = reader.integer(type) ?? size
    else if (id === 3) row = reader.integer(type) ?? row
  })
  return { offset, size, row }
}
