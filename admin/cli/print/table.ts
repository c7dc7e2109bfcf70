import { style } from './style.ts'
import { textWidth, toSafeText, truncate } from './text-width.ts'

/** A column: its heading, its cell for a row, and how it behaves when the terminal is narrow. */
export type Column<Row> = {
  readonly title: string
  /** The field of the row that it shows, by which `--columns` names it. @default the title in lower case */
  readonly field?: string
  readonly cell: (row: Row) => string
  readonly align?: 'left' | 'right'
  /** May be cut in a narrow terminal. @default false */
  readonly flexible?: boolean
  /** Whether the cell of a row is never cut, however narrow the terminal: a cut number is another number. @default none is */
  readonly isKept?: (row: Row) => boolean
  /** Colours the finished cell. */
  readonly paint?: (text: string, row: Row) => string
}

export type TableOptions = {
  /** Columns of the terminal; undefined (a pipe): nothing is cut. */
  readonly width?: number | undefined
}

const gap = '  '
/** A flexible column keeps at least so much. */
const minFlexible = 8

/** Rows as aligned text, headings first; nothing but the headings' line when there are no rows. */
export const drawTable = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions = {},
): string => {
  const cells = rows.map(row => columns.map(column => toSafeText(column.cell(row))))
  const titles = columns.map(column => toSafeText(column.title))
  const natural = titles.map((title, i) =>
    cells.reduce((widest, line) => Math.max(widest, textWidth(line[i] ?? '')), textWidth(title)),
  )
  const floors = columns.map(({ flexible, isKept }, i) =>
    flexible
      ? rows.reduce(
          (most, row, at) => (isKept?.(row) ? Math.max(most, textWidth(cells[at]?.[i] ?? '')) : most),
          minFlexible,
        )
      : Number.POSITIVE_INFINITY,
  )
  const widths = shrink(natural, floors, options.width)
  const layout = (text: string, i: number): string => {
    const width = widths[i] ?? 0
    const cut = truncate(text, width)
    const space = ' '.repeat(Math.max(0, width - textWidth(cut)))
    if (columns[i]?.align === 'right') return space + cut
    return i === columns.length - 1 ? cut : cut + space
  }
  const head = titles.map((title, i) => style('bold', layout(title, i))).join(gap)
  const lines = cells.map((line, at) =>
    line
      .map((text, i) => {
        const row = rows[at]
        const laid = layout(text, i)
        const paint = columns[i]?.paint
        return paint && row !== undefined ? paint(laid, row) : laid
      })
      .join(gap),
  )
  return [head, ...lines].join('\n')
}

/** Takes from the widest column above its floor until the line fits, or nothing more can be taken. */
const shrink = (natural: readonly number[], floors: readonly number[], width: number | undefined): number[] => {
  const widths = [...natural]
  if (width === undefined) return widths
  let excess = widths.reduce((sum, one) => sum + one, 0) + gap.length * (widths.length - 1) - width
  while (excess > 0) {
    const flexible = widths
      .map((size, i) => ({ size, i, floor: floors[i] ?? minFlexible }))
      .filter(({ size, floor }) => size > floor)
      .sort((a, b) => b.size - a.size)
    const [first, second] = flexible
    if (!first) break
    const cut = Math.min(excess, Math.min(first.size - first.floor, Math.max(1, first.size - (second?.size ?? 0))))
    widths[first.i] = first.size - cut
    excess -= cut
  }
  return widths
}
