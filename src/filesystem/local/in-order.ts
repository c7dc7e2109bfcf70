/** Items up to which sorting at once costs no more than finding the first of them. */
const runLength = 1_024

/**
 * The items in order, run by run, each sorted when it is asked for: the first few of very many cost little more than a
 * look at all of them. No two may be equal.
 */
export function* inOrder<T extends string | number | object>(
  items: readonly T[],
  compare: (left: T, right: T) => number,
): Generator<readonly T[], void, undefined> {
  const middle = items.length > runLength ? pickMiddle(items, compare) : undefined
  if (middle === undefined) return yield items.toSorted(compare)
  const before: T[] = []
  const rest: T[] = []
  for (const item of items) (compare(item, middle) < 0 ? before : rest).push(item)
  yield* inOrder(before, compare)
  yield* inOrder(rest, compare)
}

const samples = 15

/** Near the middle whatever order the items have: they are picked by chance, so that nobody can make it a slow one. */
const pickMiddle = <T extends string | number | object>(
  items: readonly T[],
  compare: (left: T, right: T) => number,
): T | undefined =>
  Array.from({ length: samples }, () => items[Math.floor(Math.random() * items.length)])
    .filter(item => item !== undefined)
    .sort(compare)[samples >> 1]
