/** A table of Markdown; what its cells hold is Markdown, paragraphs become sentences of one line. */
export const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map(row => row.map(toCell))].map(cells => `| ${cells.join(' | ')} |`).join('\n')

const toCell = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n+(?:- )?\s*/g, ' ')
    .replaceAll('|', '\\|')
