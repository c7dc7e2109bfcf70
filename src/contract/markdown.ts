import { html } from 'hono/html'

/** A piece of HTML whose values are escaped. */
export type Markup = ReturnType<typeof html>

/**
 * Renders the Markdown that the contract's descriptions use: paragraphs, `-` lists, tables, `code` and **bold**.
 * Everything else is text.
 */
export const toMarkup = (markdown: string): Markup[] =>
  markdown
    .trim()
    .split(/\n[ \t]*\n/)
    .map(block => toBlock(block.split('\n')))

/** Renders `code` and **bold** within a line. */
export const toInline = (text: string): (Markup | string)[] =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    // A split at a group gives plain text and matches in turn.
    if (index % 2 === 0) return part
    return part.startsWith('`')
      ? html`<code>${part.slice(1, -1)}</code>`
      : html`<strong>${toInline(part.slice(2, -2))}</strong>`
  })

/** A table with a header row; scrolls within itself where it does not fit. */
export const toTable = (head: readonly string[], rows: readonly (readonly unknown[])[]): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${head.join(', ')}"><table>
<thead><tr>${head.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`

const toBlock = (lines: readonly string[]): Markup => {
  if (lines.every(line => line.startsWith('|'))) return toTableBlock(lines)
  if (lines[0]?.startsWith('- ')) return toList(lines)
  return html`<p>${toInline(lines.join(' '))}</p>`
}

const toList = (lines: readonly string[]): Markup => {
  const items = lines.join('\n').slice(2).split('\n- ')
  return html`<ul>${items.map(item => html`<li>${toInline(item.replaceAll(/\n\s*/g, ' '))}</li>`)}</ul>`
}

const toTableBlock = ([head = '', , ...rows]: readonly string[]): Markup =>
  toTable(
    toCells(head),
    rows.map(row => toCells(row).map(cell => toInline(cell))),
  )

const toCells = (line: string): string[] =>
  line
    .replaceAll(/^\||\|$/g, '')
    .split('|')
    .map(cell => cell.trim())
