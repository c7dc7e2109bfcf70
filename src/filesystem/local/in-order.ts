import { compareNames } from '../path.ts'

/** Names up to which sorting at once costs no more than finding the first of them. */
const runLength = 1_024

/**
 * Names in their order, run by run, each sorted when it is asked for: the first few of very many cost little more than
 * a look or two at each. Works in `names` itself, since a copy of very many would be garbage for long.
 */
export function* inOrder(names: string[], compare = compareNames): Generator<readonly string[], void, undefined> {
  const ends = [names.length]
  let start = 0
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    while (end - start > runLength) {
      ends.push(end)
      end = split(names, start, end, compare)
    }
    yield names.slice(start, end).sort(compare)
    start = end
  }
}

/** Brings what is not behind one of some names before what is. @returns where the latter begins, which is not `start` */
const split = (names: string[], start: number, end: number, compare: typeof compareNames): number => {
  const nameAt = (at: number): string => names[at] ?? ''
  // Picked at random, so that names cannot be crafted to split badly.
  const picked = Array.from({ length: samples }, () => nameAt(start + Math.floor(Math.random() * (end - start))))
  const middle = picked.sort(compare)[samples >> 1] ?? ''
  let [low, high] = [start, end - 1]
  while (low <= high) {
    while (compare(nameAt(low), middle) < 0) low += 1
    while (compare(nameAt(high), middle) > 0) high -= 1
    if (low > high) break
    const moved = nameAt(low)
    names[low++] = nameAt(high)
    names[high--] = moved
  }
  return low
}

const samples = 15
