/** A word where one of some is expected: no disk made it, a later version did, which knows more of them. */
export class UnknownWord extends TypeError {
  override readonly name = 'UnknownWord'
}

/** Whether a value that was read is what a type says; a million of them are checked at a start. @throws UnknownWord */
export type Check<T> = (value: unknown) => value is T

type Members<T> = { readonly [Key in keyof T]-?: Check<T[Key]> }

/** Checks to build others from. Members that are not asked for may be there. */
export const checks = {
  text: (value: unknown): value is string => typeof value === 'string',
  number: (value: unknown): value is number => Number.isFinite(value),
  flag: (value: unknown): value is boolean => typeof value === 'boolean',
  word:
    <const T extends string | true>(word: T): Check<T> =>
    (value): value is T =>
      value === word,
  oneOf:
    <const T extends string>(words: readonly T[]): Check<T> =>
    (value): value is T => {
      if (words.some(word => word === value)) return true
      if (typeof value === 'string') throw unknownWord(value)
      return false
    },
  optional:
    <T>(check: Check<T>): Check<T | undefined> =>
    (value): value is T | undefined =>
      value === undefined || check(value),
  list:
    <T>(check: Check<T>): Check<readonly T[]> =>
    (value): value is readonly T[] =>
      Array.isArray(value) && value.every(check),
  pair:
    <A, B>(first: Check<A>, second: Check<B>): Check<readonly [A, B]> =>
    (value): value is readonly [A, B] =>
      Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1]),
  object: <T extends object>(members: Members<T>): Check<T> => {
    const all = Object.entries<Check<unknown>>(members)
    return (value): value is T => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
      const found = value as { readonly [key: string]: unknown }
      return all.every(([key, check]) => check(found[key]))
    }
  },
}

/** What is thrown for a word, long ones cut. */
export const unknownWord = (word: string): UnknownWord =>
  new UnknownWord(`the unknown word ${JSON.stringify(word.slice(0, 100))}`)
