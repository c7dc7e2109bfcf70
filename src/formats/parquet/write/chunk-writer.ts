/**
 * A column chunk as written to a file (parquet.thrift, `PageHeader`): a dictionary, if it is worth one, and data pages
 * of the first version, each a header and a body that is compressed as a whole.
 */
import type { ByteSink } from './byte-sink.ts'
import { CompactWriter } from './compact-writer.ts'
import type { LeafColumn } from './leaf-column.ts'
import { TextStore } from './text-store.ts'
import type { Bounds } from './value-store.ts'

/** What pages are compressed by. */
export type PageCompression = { readonly codec: number; readonly compress: (bytes: Uint8Array) => Uint8Array }

/** What the footer says of a column of a row group. */
export type WrittenChunk = {
  readonly codec: number
  readonly encodings: readonly number[]
  /** Nulls included. */
  readonly values: number
  readonly nulls: number
  readonly bounds: Bounds | undefined
  readonly uncompressed: number
  readonly compressed: number
  /** Offsets in the file. */
  readonly dictionaryOffset: number | undefined
  readonly dataOffset: number
}

/** A page has about as many bytes at most. */
const maxPageBytes = 1 << 20

/** A chunk with less is not compressed: a call costs more than all else that is done for it. */
const leastBytes = 1 << 10

const encodings = { plain: 0, rle: 3, dictionary: 8 } as const
const pageTypes = { data: 0, dictionary: 2 } as const

/**
 * @param sink where the file is written to
 * @param base offset in the file of the beginning of the sink
 * @param scratch memory for the body of a page
 */
export const writeChunk = (
  leaf: LeafColumn,
  compression: PageCompression,
  { sink, base, scratch }: { readonly sink: ByteSink; readonly base: number; readonly scratch: ByteSink },
): WrittenChunk => {
  const { values } = leaf
  const texts = values instanceof TextStore && values.dictionarySize > 0 ? values : undefined
  const isSmall = (texts?.dictionary().length ?? values.plainBytes) < leastBytes
  const { codec, compress } = isSmall ? uncompressed : compression
  const start = sink.length
  let unpacked = 0
  const writePage = (body: Uint8Array, type: number, writeHead: (header: CompactWriter) => void): void => {
    const packed = compress(body)
    const at = sink.length
    const header = new CompactWriter(sink)
    header.body(() => {
      header.i32(1, type)
      header.i32(2, body.length)
      header.i32(3, packed.length)
      writeHead(header)
    })
    unpacked += sink.length - at + body.length
    sink.append(packed)
  }
  if (texts) {
    writePage(texts.dictionary(), pageTypes.dictionary, header =>
      header.struct(7, () => {
        header.i32(1, texts.dictionarySize)
        header.i32(2, encodings.plain)
      }),
    )
  }
  const dataOffset = base + sink.length
  const encoding = texts ? encodings.dictionary : encodings.plain
  const pageValues = Math.max(1, Math.floor((leaf.length * maxPageBytes) / Math.max(values.plainBytes, maxPageBytes)))
  let at = 0
  for (let from = 0; from < leaf.length; ) {
    const end = leaf.pageEnd(from, pageValues)
    const next = at + leaf.countValues(from, end)
    scratch.length = 0
    leaf.writeLevels(from, end, scratch)
    if (texts) texts.writeIndexes(at, next, scratch)
    else values.write(at, next, scratch)
    const count = end - from
    writePage(scratch.view(), pageTypes.data, header =>
      header.struct(5, () => {
        header.i32(1, count)
        header.i32(2, encoding)
        header.i32(3, encodings.rle)
        header.i32(4, encodings.rle)
      }),
    )
    at = next
    from = end
  }
  return {
    codec,
    encodings: texts ? [encodings.plain, encodings.rle, encodings.dictionary] : [encodings.plain, encodings.rle],
    values: leaf.length,
    nulls: leaf.nulls,
    bounds: values.bounds(),
    uncompressed: unpacked,
    compressed: sink.length - start,
    dictionaryOffset: texts && base + start,
    dataOffset,
  }
}

const uncompressed: PageCompression = { codec: 0, compress: bytes => bytes }
