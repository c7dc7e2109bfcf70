import { type ColumnsOptions, type GroupColumns, openColumns } from '../../formats/parquet/columns.ts'
import { type LeafValues, toLeafValues } from '../../formats/parquet/leaf-values.ts'
import type { PageMemory } from '../../formats/parquet/pages/page-memory.ts'
import type { Leaf } from '../../formats/parquet/schema.ts'
import { BatchSize } from '../limits.ts'
import type { RowBatch } from '../reading.ts'
import type { Row } from '../row.ts'

export type GroupOptions = Omit<ColumnsOptions, 'toValues' | 'memory'> & {
  /** Of this process. */
  readonly memory: PageMemory
  /** Makes a row of what those columns have. @default it is a row */
  readonly toRow: ((row: Row) => Row) | undefined
  readonly isUnmarkedText: boolean
}

/** Rows `start` to `end`, counted from the first one of the file, of a row group that begins at `groupStart`. */
export type GroupRows = { readonly groupStart: number; readonly start: number; readonly end: number }

/** Reads rows of a row group, as many at a time as all leaves have at hand. */
export async function* openGroup(
  { toRow, isUnmarkedText, ...options }: GroupOptions,
  { groupStart, start, end }: GroupRows,
): AsyncGenerator<RowBatch, void, undefined> {
  const { columns, budget, turn } = options
  const toValues = (leaf: Leaf): LeafValues => toLeafValues(leaf, isUnmarkedText)
  const memory = options.memory.open()
  try {
    const opened = await openColumns({ ...options, memory, toValues })
    const names = columns.map(({ name }) => name)
    await opened.skip(start - groupStart)
    for (let first = start; first < end; ) {
      budget.refill(first)
      const most = Math.min(await opened.fill(), end - first)
      const { rows, failure } = makeRows(names, { opened, toRow, budget }, { first, most })
      opened.took(rows.length)
      if (rows.length > 0) yield { rows, first }
      if (failure) throw failure
      first += rows.length
      await turn()
    }
  } finally {
    memory.close()
  }
}

type Making = Pick<GroupOptions, 'toRow' | 'budget'> & { readonly opened: GroupColumns }

/** Makes rows that are at hand, as many as are good for one batch. */
const makeRows = (
  names: readonly string[],
  { opened, toRow, budget }: Making,
  { first, most }: { readonly first: number; readonly most: number },
): { readonly rows: readonly Row[]; readonly failure?: Error } => {
  const rows: Row[] = []
  const size = new BatchSize()
  try {
    for (let isFull = false; rows.length < most && !isFull; isFull = size.add(budget)) {
      budget.refill(first + rows.length)
      const row: Row = { names, values: opened.next() }
      rows.push(toRow?.(row) ?? row)
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { rows, failure: error }
  }
  return { rows }
}
