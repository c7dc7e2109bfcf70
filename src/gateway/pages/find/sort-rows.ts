import { SluiceError } from '../../../errors.ts'
import { formatNames } from '../../../formats/name-list.ts'
import type { Value } from '../../../formats/number.ts'
import { parseNamesParam } from '../../rows/wanted-columns.ts'
import type { Query } from '../elements/links.ts'
import { createTopRows } from './top-rows.ts'

/** How rows are sorted: all of the file by a column; without one, those of the page as in the file, or the last one first. */
export type RowOrder = { readonly by: string | undefined; readonly order: 'asc' | 'desc' }

/**
 * Reads the parameters `by` and `order`.
 * @throws SluiceError `bad-parameter` for more than one column, or a quote that nothing closes
 */
export const parseRowOrder = (params: { readonly by?: string | undefined; order: RowOrder['order'] }): RowOrder => {
  const [by, ...more] = parseNamesParam('by', params.by ?? '')
  if (more.length === 0) return { by, order: params.order }
  throw new SluiceError('bad-parameter', `Parameter "by": expected one column, got ${more.length + 1}`)
}

/** The parameters in a link. */
export const toOrderQuery = ({ by, order }: RowOrder): Query => ({
  by: by === undefined ? undefined : formatNames([by]),
  order: order === 'asc' ? undefined : order,
})

/** Values of one row, in the order of the columns. */
type Cells = readonly (Value | undefined)[]

/**
 * The places of rows in their order on the page, which {@link createTopRows} defines for one column.
 * @param column place of the column in the cells; undefined where rows are not sorted by one
 */
export const sortRows = (
  cells: readonly Cells[],
  column: number | undefined,
  order: RowOrder['order'],
): readonly number[] => {
  if (column === undefined) return order === 'desc' ? [...cells.keys()].reverse() : [...cells.keys()]
  const top = createTopRows<number>({ order, most: cells.length })
  for (const [place, row] of cells.entries()) top.offer(row[column], () => place)
  return top.sorted()
}
