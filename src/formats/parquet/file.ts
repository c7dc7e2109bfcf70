/** A Parquet file as bytes here and there. */
import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { toBuffer } from '../to-buffer.ts'
import { type FileMetaData, readMetadata, readMetadataLength, tailBytes } from './metadata.ts'

/** Bytes here and there in a file. */
export type ParquetFile = {
  readonly size: number
  /** @throws FormatError a place outside of the file, or one at which it ends meanwhile; FileSystemError */
  read(offset: number, length: number): Promise<Buffer>
}

/** Makes a file of a read; its places come from the file itself, so they may be anywhere. */
export const toParquetFile = (
  size: number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): ParquetFile => ({
  size,
  read: async (offset, length) => {
    if (!(offset >= 0 && length >= 0 && offset + length <= size && Number.isSafeInteger(offset))) {
      throw fault(offset, `expected bytes within the ${size} of the file, found ${length} more`)
    }
    if (length === 0) return noBytes
    const bytes = toBuffer(await read(offset, length))
    if (bytes.length === length) return bytes
    throw fault(offset, `expected ${length} bytes, found ${bytes.length}`)
  },
})

const noBytes = toBuffer(new Uint8Array())

/** Bytes at the end of a file that are read for its footer; the rest of a longer one is asked for then. */
const footerBytes = 64 * 1024

/** Largest footer: some hundred thousand column chunks. */
const maxMetadataBytes = 256 * 1024 * 1024

/** Reads the footer. @throws FormatError */
export const readFooter = async (file: ParquetFile): Promise<FileMetaData> => {
  const length = Math.min(file.size, footerBytes)
  const tail = await file.read(file.size - length, length)
  const metadataLength = readMetadataLength(tail, file.size)
  const start = file.size - tailBytes - metadataLength
  if (metadataLength > maxMetadataBytes) {
    throw fault(start, `expected metadata of at most ${maxMetadataBytes} bytes, found ${metadataLength}`)
  }
  const missing = metadataLength + tailBytes - length
  if (missing <= 0) return readMetadata(tail.subarray(-missing, length - tailBytes), start)
  return readMetadata(await file.read(start, metadataLength), start)
}

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)
