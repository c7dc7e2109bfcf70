import { LimitError } from '../../errors.ts'

/**
 * Steps that one row of a file may take: less than two seconds. A row holds 16 MiB at the most, and each of 100
 * comparisons may look at all of it.
 */
export const maxRowSteps = 2 ** 27

/**
 * Counts what an expression does with one row or event: a step for each value that it looks at, and for each character
 * of a text that it compares or searches. A class, because each comparison counts in it.
 */
export class Steps {
  readonly #max: number
  #left: number
  #taken = 0

  constructor(max: number) {
    this.#max = max
    this.#left = max
  }

  /** Begins the next row. */
  refill(): void {
    this.#taken += this.#max - this.#left
    this.#left = this.#max
  }

  /** Counts steps before they are taken. @throws LimitError there are too many */
  take(count: number): void {
    this.#left -= count
    if (this.#left >= 0) return
    const most = this.#max.toLocaleString('en-US')
    throw new LimitError(
      'where',
      0,
      `expected at most ${most} steps (comparisons × characters) for a row, found more`,
      {
        unit: 'character',
      },
    )
  }

  /** Steps of all rows so far, for who takes turns by them. */
  get taken(): number {
    return this.#taken + this.#max - this.#left
  }
}
