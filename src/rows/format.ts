import type { Buffer } from 'node:buffer'
import type { ByteQueue } from '../codecs/byte-queue.ts'
import type { StreamOptions } from '../codecs/codec.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import type { PageMemory } from '../formats/parquet/pages/page-memory.ts'
import type { Dialect } from './csv/csv-dialect.ts'
import type { ParquetSummary } from './parquet/summary.ts'
import type { RowBatch, Wanted } from './reading.ts'
import type { Registrar } from './registrar/registrar.ts'
import type { Rows } from './row.ts'
import type { RowSerializer } from './serializers/serializer.ts'

/** What a built-in format reads from. */
export type FormatInput = {
  /** The bytes, unpacked, from the start or from a mark; closed by the caller. */
  readonly queue: ByteQueue
  /** Number of the first row there. */
  readonly row: number
  /** First bytes of the file, where the queue begins elsewhere: columns and headers are found there. */
  readonly resumedAfter?: Uint8Array | undefined
  /** Whether offsets in the queue are those of the file: only then there are marks. It may cease while a file is read. */
  readonly hasMarks: boolean
  readonly raw: boolean
  /** Whether null is null in events; else it is an empty string, see {@link toNothing}. */
  readonly nulls: boolean
  /** What a format that can find it in the file may do with. */
  readonly wanted: Wanted
  /** Of one row. */
  readonly limits: BudgetLimits
  /** For pages of Parquet files, of this process. */
  readonly memory: PageMemory
  /** What decompressing its blocks or pages may take. */
  readonly unfolding: StreamOptions
  /** What the caller says of a text table. */
  readonly dialect?: Dialect | undefined
  readonly registrar: Registrar
  readonly serializers: readonly RowSerializer[]
  readonly path: string
  /** Length of the stored file in bytes. */
  readonly size: number
  /** Reads bytes anywhere in the file; absent for a compressed file. Throws `FileSystemError`. */
  readonly readRange?: ((offset: number, length: number) => Promise<Uint8Array>) | undefined
}

/** The value where an event has null, or lacks a column: the original gateway had an empty string there. */
export const toNothing = (nulls: boolean): null | '' => (nulls ? null : '')

/** What a built-in format makes of it. */
export type FormatReading = {
  readonly serializer: string
  readonly columns?: readonly string[] | undefined
  readonly hasNumberedRest?: boolean
  readonly hasAllColumns?: boolean
  readonly dialect?: Dialect
  readonly unfolded?: number
  readonly parquet?: ParquetSummary
  readonly batches: AsyncIterable<RowBatch>
}

/** A format that is read as rows. */
export type Format = {
  readonly name: string
  /** Whether reading can begin at a {@link RowBatch.mark}. */
  readonly isResumable: boolean
  open(input: FormatInput): FormatReading | Promise<FormatReading>
}

/** Rows that a format makes in one go, and the error thrown after them. */
export type RowStep = { readonly rows: Rows; readonly failure?: Error | undefined }

/**
 * Rows step by step, until there are no more; after each step the queue is at a place where reading can resume.
 * @param step receives the number of its first row
 */
export async function* inSteps(
  input: Pick<FormatInput, 'queue' | 'row' | 'hasMarks'>,
  step: (first: number) => Promise<RowStep | undefined>,
): AsyncGenerator<RowBatch, void, undefined> {
  const { queue } = input
  let first = input.row
  for (let made = await step(first); made; made = await step(first)) {
    const { rows, failure } = made
    const mark = input.hasMarks ? { row: first + rows.length, offset: queue.offset } : undefined
    if (rows.length > 0) yield { rows, first, mark }
    first += rows.length
    if (failure) throw failure
  }
}

/**
 * Reads a file's header, as soon as enough of it has arrived.
 * @throws what `read` throws for the whole file, or for more than `maxBytes`
 */
export const takeHeader = async <T extends { readonly end: number }>(
  queue: ByteQueue,
  read: (bytes: Buffer) => T,
  maxBytes: number,
): Promise<T> => {
  for (;;) {
    try {
      const header = read(queue.view())
      queue.skip(header.end)
      return header
    } catch (error) {
      if (queue.available > maxBytes || !(await queue.more())) throw error
    }
  }
}
