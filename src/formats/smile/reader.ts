import type { Value } from '../number.ts'
import { SmileCursor, type SmileReadOptions } from './cursor.ts'

/**
 * The values of Smile documents that stand one after another, each with a header or without, with end markers between
 * them or without. A header empties the tables; documents without one go on with those before.
 * @throws FormatError at damage, after the values before it were given
 */
export function* readSmile(bytes: Uint8Array, options?: SmileReadOptions): Generator<Value, void, undefined> {
  const cursor = new SmileCursor(bytes, options)
  while (cursor.nextRoot()) yield cursor.value()
}

/**
 * As {@link readSmile}, but an array at the root gives its elements, each as soon as it is complete: the events of a
 * file, also of one that was cut off.
 * @throws FormatError at damage, also where only an array's end is missing, after all that is complete was given
 */
export function* readSmileElements(bytes: Uint8Array, options?: SmileReadOptions): Generator<Value, void, undefined> {
  const cursor = new SmileCursor(bytes, options)
  while (cursor.nextRoot()) {
    if (cursor.enterArray()) while (cursor.nextElement()) yield cursor.value(1)
    else yield cursor.value()
  }
}
