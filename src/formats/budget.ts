/**
 * Budgets of decoding. A few bytes can expand to millions of values: an Avro block of zeros, compressed JSON of empty
 * objects, references of Smile to one long text. So decoders count their output while they produce it: each value (of
 * any kind, arrays and objects too), and the bytes of each name, text and binary as often as they occur. Decoding stops
 * beyond the budget, with an error that names the limit and the setting that holds it. The readers themselves limit the
 * nesting of values (`maxDepth`).
 */
import { LimitError } from '../errors.ts'

/** The most of something, and the setting or constant that says so; without one the format itself sets the limit. */
export type Limit = { readonly max: number; readonly setting?: string }

/** What one row, event or the like may unfold into. */
export type BudgetLimits = {
  /** What is bounded, as errors call it: `row`. */
  readonly of: string
  readonly values: Limit
  /** Of names, text and binary, as they are encoded. */
  readonly bytes: Limit
}

/** The largest limit: a number that the engine counts down from without allocating. */
export const maxLimit = 2 ** 31 - 1

/** For bytes of our own, which were checked when they were taken. */
export const unlimited: BudgetLimits = { of: 'value', values: { max: maxLimit }, bytes: { max: maxLimit } }

/** What is left of the limits for one row or event after another. A class, because each value counts in it. */
export class Budget {
  readonly #format: string
  readonly limits: BudgetLimits
  readonly #maxValues: number
  readonly #maxBytes: number
  #values: number
  #bytes: number
  #index: number | undefined
  #offset = 0

  /** @param format whose bytes are decoded, for errors */
  constructor(format: string, limits: BudgetLimits = unlimited) {
    this.#format = format
    this.limits = limits
    this.#maxValues = Math.min(limits.values.max, maxLimit)
    this.#maxBytes = Math.min(limits.bytes.max, maxLimit)
    this.#values = this.#maxValues
    this.#bytes = this.#maxBytes
  }

  /**
   * Begins the next row or event: both limits are there in full again.
   * @param index its number, for errors
   * @param offset where it, or what holds it, begins, for errors
   */
  refill(index?: number, offset = 0): void {
    this.#values = this.#maxValues
    this.#bytes = this.#maxBytes
    this.#index = index
    this.#offset = offset
  }

  /** Counts a value. @throws LimitError there are too many */
  value(): void {
    if (--this.#values < 0) throw this.#toError(this.limits.values, 'values')
  }

  /** Counts some values at once. @throws LimitError there are too many */
  values(count: number): void {
    this.#values -= count
    if (this.#values < 0) throw this.#toError(this.limits.values, 'values')
  }

  /** Counts the bytes of a name, text or binary, before anything is made of them. @throws LimitError there are too many */
  bytes(count: number): void {
    this.#bytes -= count
    if (this.#bytes < 0) throw this.#toError(this.limits.bytes, 'bytes')
  }

  get maxValues(): number {
    return this.#maxValues
  }

  get maxBytes(): number {
    return this.#maxBytes
  }

  /** Values counted since {@link Budget.refill}. */
  get usedValues(): number {
    return this.#maxValues - this.#values
  }

  /** Bytes counted since {@link Budget.refill}. */
  get usedBytes(): number {
    return this.#maxBytes - this.#bytes
  }

  #toError({ max, setting }: Limit, unit: 'values' | 'bytes'): LimitError {
    const what = this.#index === undefined ? this.limits.of : `${this.limits.of} ${this.#index}`
    const source = setting === undefined ? '' : ` (${setting})`
    const message = `expected ${what} to hold at most ${max} ${unit}${source}, found more`
    return new LimitError(this.#format, this.#offset, message)
  }
}
