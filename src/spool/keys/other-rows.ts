import type { RowTable } from './row-table.ts'

/** Which rows of a table came from other windows since the start. */
export type OtherRows = {
  /** Those from this number on did. */
  add(from: number): void
  /** How many of them may still be there: the oldest rows make room. */
  left(): number
  /** What is remembered for that: ranges of numbers, oldest first. */
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

/** @param maxRows of the table */
export const createOtherRows = (table: Pick<RowTable, 'next'>, maxRows: number): OtherRows => {
  let ranges: (readonly [from: number, to: number])[] = []
  return {
    add: from => {
      // What is asked for again and again, and is all known, must not add up.
      if (table.next > from) ranges.push([from, table.next])
    },
    left: () => {
      const oldest = table.next - maxRows
      ranges = ranges.filter(([, to]) => to > oldest)
      return ranges.reduce((sum, [from, to]) => sum + to - Math.max(from, oldest), 0)
    },
    get ranges() {
      return ranges
    },
  }
}
