import { FormatError } from '../../errors.ts'
import type { Value } from '../number.ts'
import { createPlainReader, type Dictionary, type ValuesOptions } from './value-readers.ts'

/** Values that are made at first, and at most at once. */
const firstValues = 64
const mostValues = 1_024

/** Values of a dictionary page, as far as indexes ask for them: writers give them in the order of their first use. */
export const createDictionary = (options: Omit<ValuesOptions, 'dictionary'>, count: number): Dictionary => {
  const values: Value[] = []
  const reader = createPlainReader({ ...options, dictionary: undefined })
  return {
    get: index => {
      while (index >= values.length) {
        if (!(index >= 0 && index < count)) {
          throw new FormatError(
            'parquet',
            options.cursor.base,
            `expected an index below ${count} of the dictionary there, found ${index};`,
          )
        }
        reader.read(values, Math.min(Math.max(firstValues, values.length), mostValues, count - values.length))
      }
      const value = values[index]
      if (value !== undefined) return value
      throw new FormatError(
        'parquet',
        options.cursor.base,
        `expected an index from 0 of the dictionary there, found ${index};`,
      )
    },
  }
}
