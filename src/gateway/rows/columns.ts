import { toUniqueNames } from '../../formats/unique-names.ts'
import type { Row, Rows } from '../../rows/row.ts'

/** Rows that are looked at before the columns are fixed. */
export const sampleRows = 1_000
/** Characters of values after which fewer rows will do: they are kept in memory until then. */
const sampleChars = 8 * 2 ** 20

/** The rows of the sample, and those after it. */
export type Sample = {
  readonly first: readonly Row[]
  /** All names of the first rows, in the order in which they come. */
  readonly names: readonly string[]
  /** Whether these are all rows. */
  readonly isWhole: boolean
  readonly rest: AsyncIterable<Rows>
}

/** Takes the first rows, for a header line that must be written before the others are known. */
export const sampleColumns = async (batches: AsyncIterable<Rows>): Promise<Sample> => {
  const source = batches[Symbol.asyncIterator]()
  const first: Row[] = []
  const names = new Set<string>()
  const shapes = new Set<readonly string[]>()
  let chars = 0
  let left: Rows = []
  let isWhole = false
  while (left.length === 0 && first.length < sampleRows && chars < sampleChars) {
    const next = await source.next()
    isWhole = next.done === true
    if (next.done) break
    const taken = next.value.slice(0, sampleRows - first.length)
    left = next.value.slice(taken.length)
    for (const row of taken) {
      first.push(row)
      chars += row.values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 32), 0)
      if (shapes.has(row.names)) continue
      shapes.add(row.names)
      for (const name of toUniqueNames(row.names)) names.add(name)
    }
  }
  // A full sample may still be all there is: one more look shows that.
  if (!isWhole && left.length === 0) {
    const next = await source.next()
    isWhole = next.done === true
    if (!next.done) left = next.value
  }
  return { first, names: [...names], isWhole, rest: { [Symbol.asyncIterator]: () => follow(left, source) } }
}

async function* follow(left: Rows, source: AsyncIterator<Rows>): AsyncGenerator<Rows, void, undefined> {
  try {
    if (left.length > 0) yield left
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}
