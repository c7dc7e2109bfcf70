import { LimitError } from '../errors.ts'
import type { Budget, BudgetLimits } from '../formats/budget.ts'

const MiB = 2 ** 20
const GiB = 2 ** 30
/** Bytes of a row, whatever the memory: a text of JavaScript holds no more than four times as many. */
const mostBytes = 128 * MiB

/**
 * What one row may hold where the process that decodes it has so much memory: for each GiB, and never less than for one,
 * 100 000 values in its columns, those within them included, and 16 MiB as it is encoded, or of names, texts and binary.
 */
export const toRowLimits = (memoryBytes: number): BudgetLimits => {
  const shares = Math.max(1, memoryBytes / GiB)
  const setting = 'gateway.reader-memory-bytes'
  return {
    of: 'row',
    values: { max: Math.floor(100_000 * shares), setting },
    bytes: { max: Math.min(mostBytes, Math.floor(16 * MiB * shares)), setting },
  }
}

/** The error of a row whose encoding is longer than it may be. */
export const tooLong = (format: string, row: number, offset: number, { bytes }: BudgetLimits): LimitError =>
  new LimitError(
    format,
    offset,
    `expected row ${row} to take at most ${bytes.max} bytes (${bytes.setting}), found more`,
  )

/** Most rows of one batch, */
export const maxBatchRows = 512
/** and what they may have unfolded into before another row is too much for it. */
const enoughBatchValues = 50_000
const enoughBatchBytes = 2 * 1024 * 1024

/** Encoded, where nothing is counted: bytes of values after which a batch takes no more. */
export const enoughEncodedBytes = 512 * 1024

/** Decides when rows are enough for one batch: what is made and encoded in one turn of the event loop stays small. */
export class BatchSize {
  #rows = 0
  #values = 0
  #bytes = 0

  /** Counts a row by what its budget was used for; returns whether the batch is full. */
  add({ usedValues, usedBytes }: Pick<Budget, 'usedValues' | 'usedBytes'>): boolean {
    this.#rows++
    this.#values += usedValues
    this.#bytes += usedBytes
    return this.#rows >= maxBatchRows || this.#values >= enoughBatchValues || this.#bytes >= enoughBatchBytes
  }
}
