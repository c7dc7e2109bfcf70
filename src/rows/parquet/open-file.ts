import { FormatError } from '../../errors.ts'
import { type ParquetFile, toParquetFile } from '../../formats/parquet/file.ts'
import type { FormatInput } from '../format.ts'

/** Largest file that is held in memory because a codec around it forbids to read it here and there. */
const maxWrappedBytes = 64 * 1024 * 1024

/** Opens the bytes of a format's input. */
export const openParquetFile = async ({ queue, readRange: read, size }: FormatInput): Promise<ParquetFile> => {
  if (read) {
    await queue.close()
    return toParquetFile(size, read)
  }
  if (await queue.ensure(maxWrappedBytes + 1)) {
    throw fault(
      0,
      `expected at most ${maxWrappedBytes} bytes in a compressed file: Parquet must be read here and there`,
    )
  }
  const whole = queue.take(queue.available)
  return toParquetFile(whole.length, async (offset, length) => whole.subarray(offset, offset + length))
}

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)
