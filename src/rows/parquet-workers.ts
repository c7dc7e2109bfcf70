import type { AsyncBuffer, FileMetaData } from 'hyparquet'
import { FormatError, SluiceError } from '../errors.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import type { GroupRows } from './parquet-decode.ts'
import type { ParquetReply, ParquetTask } from './parquet-thread.ts'
import { createParquetWorker, type ParquetLimits, type ParquetWorker } from './parquet-worker.ts'

/** Threads at once: each may take some memory. */
const maxWorkers = 8
/** A thread takes a while to start, so this many wait for the next file. */
const maxIdle = 1

/** One file, read by a thread that nobody else has meanwhile. */
export type ParquetReader = {
  /** @param bounded columns whose bounds are wanted */
  metadata(bounded: readonly string[]): Promise<Omit<ParquetReply & { readonly kind: 'metadata' }, 'kind'>>
  /**
   * Rows of a row group, part by part: values in the order of the columns.
   * @param metadata of this row group alone
   */
  rows(
    metadata: FileMetaData,
    rows: GroupRows,
    columns: readonly string[],
    limits: BudgetLimits,
  ): AsyncIterable<readonly (readonly unknown[])[]>
  /** Gives the thread back. */
  close(): Promise<void>
}

/** Opens files for reading. @throws SluiceError `overloaded` when too many are being read */
export type OpenParquet = (file: AsyncBuffer) => ParquetReader

/** Shares a few threads between all Parquet files that are read. */
export const createParquetWorkers = (limits: Partial<ParquetLimits> = {}): OpenParquet => {
  const idle: ParquetWorker[] = []
  let busy = 0

  const giveBack = async (worker: ParquetWorker): Promise<void> => {
    busy -= 1
    if (!worker.isUsable || idle.length >= maxIdle) return worker.close()
    worker.forget()
    idle.push(worker)
  }
  return file => {
    if (busy >= maxWorkers) {
      throw new SluiceError('overloaded', `${maxWorkers} Parquet files are being read already; try again later`)
    }
    const found = idle.pop()
    const worker = found?.isUsable ? found : createParquetWorker(limits)
    busy += 1
    let isOpen = true
    const size = file.byteLength
    return {
      metadata: async bounded => {
        const reply = await worker.ask({ kind: 'metadata', size, bounded }, file)
        if (reply.kind !== 'metadata') throw new FormatError('parquet', 0, 'expected metadata')
        return reply
      },
      async *rows(metadata, rows, columns, limits) {
        let task: ParquetTask = { kind: 'rows', size, metadata, rows, columns, limits }
        for (let isLast = false; !isLast; task = { kind: 'more' }) {
          const reply = await worker.ask(task, file)
          if (reply.kind !== 'rows') throw new FormatError('parquet', 0, 'expected rows')
          isLast = reply.isLast
          if (reply.rows.length > 0) yield reply.rows
        }
      },
      close: async () => {
        if (!isOpen) return
        isOpen = false
        await giveBack(worker)
      },
    }
  }
}
