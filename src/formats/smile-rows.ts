/**
 * Smile documents that arrive piece by piece, read as rows: names and values beside one another instead of objects, so
 * that rows of one shape share their names. The layout is in `smile/tokens.ts`.
 *
 * An element is read in one go from the bytes at hand. When they end within it, the tables go back to where they were,
 * and the element is read again with more bytes.
 */
import { FormatError, LimitError } from '../errors.ts'
import type { Budget } from './budget.ts'
import type { Value } from './number.ts'
import { SmileCursor } from './smile/cursor.ts'

/** An object as columns; `names` may be shared with other ones. */
export class SmileColumns {
  readonly names: readonly string[]
  readonly values: readonly (Value | SmileColumns)[]

  constructor(names: readonly string[], values: readonly (Value | SmileColumns)[]) {
    this.names = names
    this.values = values
  }
}

/** Reads elements (those of arrays at the root, and other values at the root) from windows of the bytes. */
export class SmileRowReader {
  readonly #cursor: SmileCursor
  readonly #budget: Budget
  #isInArray = false
  /** Names of the last object at each of the two levels that become columns. */
  readonly #shapes: (readonly string[])[] = [[], []]

  /** @param budget of one element; refilled here */
  constructor(budget: Budget) {
    this.#budget = budget
    this.#cursor = new SmileCursor(new Uint8Array(0), { budget })
  }

  /**
   * Reads elements from `bytes` on; returns how many bytes they took. With less than one whole element it is 0, unless
   * there was only a header or an end.
   * @param isLast whether nothing follows these bytes: then an element that they end in is damage
   * @param add takes each element; returns whether it is enough for now
   * @param place number of the first element, and offset of `bytes`, for errors
   * @throws FormatError `smile` with the offset in `bytes`, and LimitError, after `add` has the elements before
   */
  read(
    bytes: Uint8Array,
    isLast: boolean,
    add: (element: Value | SmileColumns) => boolean,
    { row, offset }: { readonly row: number; readonly offset: number },
  ): number {
    const cursor = this.#cursor
    cursor.continueIn(bytes)
    for (let index = row; ; index++) {
      const start = cursor.mark()
      const wasInArray = this.#isInArray
      this.#budget.refill(index, offset + start.position)
      try {
        if (!this.#next() || add(this.#columns(this.#isInArray ? 1 : 0, 0))) break
      } catch (error) {
        const isCut = error instanceof FormatError && !(error instanceof LimitError) && error.offset >= bytes.length
        if (!isCut || isLast) throw error
        cursor.goBack(start)
        this.#isInArray = wasInArray
        break
      }
    }
    return cursor.position
  }

  /** Moves to the next element; false at the end of the bytes, outside of an array. */
  #next(): boolean {
    const cursor = this.#cursor
    for (;;) {
      if (this.#isInArray && cursor.nextElement()) return true
      this.#isInArray = false
      if (!cursor.nextRoot()) return false
      if (!cursor.enterArray()) return true
      this.#isInArray = true
    }
  }

  /** An object as columns, down to the payload of an envelope; any other value as it is. */
  #columns(depth: number, level: number): Value | SmileColumns {
    const cursor = this.#cursor
    if (level > 1 || !cursor.enterObject()) return cursor.value(depth)
    this.#budget.value()
    const shape = this.#shapes[level] ?? []
    let names: string[] | undefined
    const values: (Value | SmileColumns)[] = []
    for (let i = 0; ; i++) {
      const name = cursor.nextName()
      if (name === undefined) break
      if (names) names.push(name)
      else if (name !== shape[i]) names = [...shape.slice(0, i), name]
      values.push(name === 'payload' ? this.#columns(depth + 1, level + 1) : cursor.value(depth + 1))
    }
    if (names === undefined && values.length < shape.length) names = shape.slice(0, values.length)
    if (names) this.#shapes[level] = names
    return new SmileColumns(names ?? shape, values)
  }
}
