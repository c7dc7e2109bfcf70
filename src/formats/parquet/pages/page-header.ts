/** The header before each page (parquet.thrift, `PageHeader`). */
import type { Buffer } from 'node:buffer'
import { FormatError } from '../../../errors.ts'
import { CompactReader } from '../compact.ts'
import { encodingNames, toWord } from '../words.ts'

export type PageHeader = {
  /** Bytes of the header itself. */
  readonly length: number
  /** Bytes after it, and what they unfold into. */
  readonly compressed: number
  readonly uncompressed: number
  /** CRC-32 of the bytes after it. */
  readonly crc?: number
  readonly kind: 'data' | 'dictionary' | 'other'
  /** Of a data page: nulls included. */
  readonly values: number
  readonly encoding: string
  /** How levels are encoded where they are part of what is compressed. */
  readonly definitionEncoding: string
  readonly repetitionEncoding: string
  /** Of the second version of data pages: levels precede the rest, which may be compressed. */
  readonly v2:
    | {
        readonly rows: number
        readonly definitionBytes: number
        readonly repetitionBytes: number
        readonly isCompressed: boolean
      }
    | undefined
}

/**
 * Reads a header from the start of some bytes; undefined where they end before it does.
 * @param base offset of the bytes in the file, for errors
 * @throws FormatError
 */
export const readPageHeader = (bytes: Buffer, base: number): PageHeader | undefined => {
  const reader = new CompactReader(bytes, base)
  let number = -1
  let [compressed, uncompressed] = [-1, -1]
  let crc: number | undefined
  let body: PageBody = noBody
  try {
    reader.fields((id, type) => {
      if (id === 1) number = reader.integer(type) ?? number
      else if (id === 2) uncompressed = reader.integer(type) ?? uncompressed
      else if (id === 3) compressed = reader.integer(type) ?? compressed
      else if (id === 4) crc = reader.integer(type)
      else if (id === 5) body = readDataPage(reader, type)
      else if (id === 7) body = readDictionaryPage(reader, type)
      else if (id === 8) body = readDataPageV2(reader, type)
    })
  } catch (error) {
    if (reader.isCut) return undefined
    throw error
  }
  if (!(compressed >= 0 && uncompressed >= 0 && body.values >= 0)) {
    throw new FormatError('parquet', base, 'expected the header of a page')
  }
  const { kind, ...rest } = body
  // Index pages, which writers do not produce, and kinds of later versions are skipped.
  return {
    length: reader.position,
    compressed,
    uncompressed,
    ...(crc === undefined ? {} : { crc: crc >>> 0 }),
    kind: number > 3 || number === 1 ? 'other' : kind,
    ...rest,
  }
}

type PageBody = Omit<PageHeader, 'length' | 'compressed' | 'uncompressed' | 'crc'>

const noBody: PageBody = {
  kind: 'other',
  values: 0,
  encoding: 'PLAIN',
  definitionEncoding: 'RLE',
  repetitionEncoding: 'RLE',
  v2: undefined,
}

const toEncoding = (number: number | undefined): string => toWord(encodingNames, number)

const readDataPage = (reader: CompactReader, type: number): PageBody => {
  let values = -1
  let [encoding, definitionEncoding, repetitionEncoding] = ['PLAIN', 'RLE', 'RLE']
  reader.struct(type, (id, type) => {
    if (id === 1) values = reader.integer(type) ?? values
    else if (id === 2) encoding = toEncoding(reader.integer(type))
    else if (id === 3) definitionEncoding = toEncoding(reader.integer(type))
    else if (id === 4) repetitionEncoding = toEncoding(reader.integer(type))
  })
  return { kind: 'data', values, encoding, definitionEncoding, repetitionEncoding, v2: undefined }
}

const readDictionaryPage = (reader: CompactReader, type: number): PageBody => {
  let values = -1
  let encoding = 'PLAIN'
  reader.struct(type, (id, type) => {
    if (id === 1) values = reader.integer(type) ?? values
    else if (id === 2) encoding = toEncoding(reader.integer(type))
  })
  return { ...noBody, kind: 'dictionary', values, encoding }
}

const readDataPageV2 = (reader: CompactReader, type: number): PageBody => {
  let values = -1
  let [rows, definitionBytes, repetitionBytes] = [0, 0, 0]
  let encoding = 'PLAIN'
  let isCompressed = true
  reader.struct(type, (id, type) => {
    if (id === 1) values = reader.integer(type) ?? values
    else if (id === 3) rows = reader.integer(type) ?? rows
    else if (id === 4) encoding = toEncoding(reader.integer(type))
    else if (id === 5) definitionBytes = reader.integer(type) ?? definitionBytes
    else if (id === 6) repetitionBytes = reader.integer(type) ?? repetitionBytes
    else if (id === 7) isCompressed = reader.boolean(type) ?? isCompressed
  })
  return { ...noBody, kind: 'data', values, encoding, v2: { rows, definitionBytes, repetitionBytes, isCompressed } }
}
