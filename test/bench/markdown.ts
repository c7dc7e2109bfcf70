/** A table in Markdown, its first row the header; what would end a cell or a row is taken out of the texts. */
export const toTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...rest] = rows
  return [head, head.map(() => '---'), ...rest].map(toLine).join('\n')
}

const toLine = (cells: readonly string[]): string =>
  `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`
