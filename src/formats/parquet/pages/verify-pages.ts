/** The checksums of the pages of a file, where its writer made any: a page may be damaged and still be read as other values. */
import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { FormatError } from '../../../errors.ts'
import type { ChunkMetaData } from '../chunk-metadata.ts'
import type { ParquetFile } from '../file.ts'
import type { RowGroup } from '../metadata.ts'
import { type PageHeader, readPageHeader } from './page-header.ts'

/** Bytes that are read at once. */
const stepBytes = 1024 * 1024

/** Largest header: with the bounds of a page. */
const maxHeaderBytes = 16 * 1024 * 1024

/** Reads a file through. @throws FormatError damage. Rejects with `FileSystemError` */
export const verifyPages = async (
  file: ParquetFile,
  { groups }: { readonly groups: readonly Pick<RowGroup, 'chunks'>[] },
): Promise<void> => {
  for (const group of groups)
    for (const { meta, isEncrypted } of group.chunks()) {
      if (isEncrypted) throw new FormatError('parquet', 0, 'expected columns in plain, found one that is encrypted')
      // Without values some writers (pyarrow) leave the offset of data at 0.
      if (meta && meta.values > 0) await verifyChunk(createPieces(file, toSpan(meta)), toSpan(meta))
    }
}

type Span = { readonly start: number; readonly end: number }

const toSpan = ({ dictionaryOffset = 0, dataOffset, compressed }: ChunkMetaData): Span => {
  const start = dictionaryOffset > 0 ? Math.min(dictionaryOffset, dataOffset) : dataOffset
  return { start, end: start + compressed }
}

/** Reads some bytes at a place, at most as many as that; places follow one another. */
type Pieces = (at: number, length: number) => Promise<Buffer>

const createPieces = (file: ParquetFile, { end }: Span): Pieces => {
  let start = 0
  let held: Buffer = Buffer.alloc(0)
  return async (at, length) => {
    if (at < start || at + length > start + held.length) {
      held = await file.read(at, Math.min(Math.max(length, stepBytes), end - at))
      start = at
    }
    return held.subarray(at - start, at - start + length)
  }
}

const verifyChunk = async (pieces: Pieces, { start, end }: Span): Promise<void> => {
  for (let at = start; at < end; ) {
    const { length, compressed, crc, kind } = await readHeader(pieces, at, end)
    // Writers make them for all pages, or for none; a dictionary may be without.
    if (crc === undefined && kind !== 'dictionary') return
    const body = at + length
    const next = body + compressed
    if (next > end) throw new FormatError('parquet', at, `expected a page that ends by ${end}, found one up to ${next}`)
    if (crc !== undefined) await verifyPage(pieces, body, next, crc)
    at = next
  }
}

const verifyPage = async (pieces: Pieces, start: number, end: number, crc: number): Promise<void> => {
  let found = 0
  for (let at = start; at < end; at += stepBytes) found = crc32(await pieces(at, Math.min(stepBytes, end - at)), found)
  if (found !== crc)
    throw new FormatError('parquet', start, 'expected the bytes of a page by its checksum, found others')
}

const readHeader = async (pieces: Pieces, at: number, end: number): Promise<PageHeader> => {
  for (let length = 1024; ; length *= 4) {
    const size = Math.min(length, end - at)
    const header = readPageHeader(await pieces(at, size), at)
    if (header) return header
    if (size === end - at || size >= maxHeaderBytes)
      throw new FormatError('parquet', at, 'expected the header of a page')
  }
}
