import { LimitError } from '../errors.ts'
import type { Budget, BudgetLimits } from '../formats/budget.ts'

/** What one row may hold, as settings have it. */
export type RowLimits = {
  /** Values in its columns, those within them included. */
  readonly maxValues: number
  /** Bytes of its names, texts and binary, and of the row as it is encoded. */
  readonly maxBytes: number
}

export const defaultRowLimits: RowLimits = { maxValues: 100_000, maxBytes: 16 * 1024 * 1024 }

/** The limits as decoders count them, named for their settings. */
export const toBudgetLimits = ({ maxValues, maxBytes }: RowLimits): BudgetLimits => ({
  of: 'row',
  values: { max: maxValues, setting: 'gateway.max-values-per-row' },
  bytes: { max: maxBytes, setting: 'gateway.max-row-bytes' },
})

/** What is said of a row whose encoding goes on for longer than it may. */
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

/** Tells when rows are enough for one batch: what is made and encoded in one turn of the event loop stays small. */
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
