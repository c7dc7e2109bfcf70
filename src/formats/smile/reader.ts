import { Budget } from '../budget.ts'
import type { Value } from '../number.ts'
import { SmileCursor, type SmileReadOptions } from './cursor.ts'

/**
 * The values of consecutive Smile documents, each with a header or without, with end markers between them or without. A
 * header empties the tables; documents without one continue with the previous tables.
 * @throws FormatError at damage, after the values before it were given
 */
export function* readSmile(bytes: Uint8Array, options?: SmileReadOptions): Generator<Value, void, undefined> {
  const budget = options?.budget ?? new Budget('smile')
  const cursor = new SmileCursor(bytes, { ...options, budget })
  while (cursor.nextRoot()) {
    budget.refill()
    yield cursor.value()
  }
}

/**
 * As {@link readSmile}, but an array at the root gives its elements, each as soon as it is complete: the events of a
 * file, also of one that was cut off.
 * @throws FormatError at damage, also where only an array's end is missing, after all that is complete was given
 */
export function* readSmileElements(bytes: Uint8Array, options?: SmileReadOptions): Generator<Value, void, undefined> {
  const budget = options?.budget ?? new Budget('smile')
  const cursor = new SmileCursor(bytes, { ...options, budget })
  let index = 0
  const next = (depth: number): Value => {
    budget.refill(index++)
    return cursor.value(depth)
  }
  while (cursor.nextRoot()) {
    if (cursor.enterArray()) while (cursor.nextElement()) yield next(1)
    else yield next(0)
  }
}
