import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toName } from '../../../formats/members.ts'
import type { Value } from '../../../formats/number.ts'
import type { Row } from '../../../rows/row.ts'
import { toCounted } from '../elements/format.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import { toRest, toScalar } from './value-text.ts'

/** What one page shows of a row: values, characters of one text, and levels; the downloads have everything. */
const maxNodes = 3_000
const maxTextChars = 20_000
const maxLevels = 40

/** Nested values with at most this many entries are open at first. */
const maxOpenEntries = 12

type Budget = { nodes: number }

/** A whole row: its columns and values one below the other, nested values folded. */
export const toRowTree = ({ names, values }: Row): Markup => {
  const budget = { nodes: maxNodes }
  return toFields(
    names.map((name, index) => [name, values[index] ?? null] as const),
    budget,
    0,
  )
}

const toFields = (
  entries: readonly (readonly [string, Value])[],
  budget: Budget,
  level: number,
  kind: 'fields' | 'fields items' = 'fields',
): Markup => {
  const shown = entries.slice(0, Math.max(0, budget.nodes))
  budget.nodes -= shown.length
  return html`<dl class="${kind}">${shown.map(
    ([
      name,
      value,
    ]) => html`<div><dt>${name === '' ? html`<span class="dim">(no name)</span>` : toVisibleText(toShortened(name, 400))}</dt><dd>${toTree(value, budget, level)}</dd></div>
`,
  )}</dl>${shown.length < entries.length ? html`<p class="dim">… and ${toCounted(entries.length - shown.length, 'more field')}; the JSON download has them.</p>` : ''}`
}

const toTree = (value: Value, budget: Budget, level: number): Markup => {
  if (typeof value === 'string') return toLongText(value)
  const scalar = toScalar(value)
  if (scalar !== undefined) return scalar
  const isArray = Array.isArray(value)
  // Only as many as can be shown: the value may have millions.
  const entries = isArray
    ? value.slice(0, budget.nodes + 1).map((item, index) => [String(index), item] as const)
    : Object.entries(value as { readonly [key: string]: Value }).map(([key, item]) => [toName(key), item] as const)
  const count = isArray ? value.length : entries.length
  const label = isArray ? toCounted(count, 'item') : toCounted(count, 'field')
  if (count === 0) return html`<span class="dim">${isArray ? 'empty list' : 'empty object'}</span>`
  if (level >= maxLevels) return html`<span class="dim">${label}, nested too deeply for this page</span>`
  const isOpen = level < 2 && count <= maxOpenEntries
  return html`<details class="fold"${isOpen ? html` open` : ''}><summary>${isArray ? 'List' : 'Object'}, ${label}</summary>${toFields(entries, budget, level + 1, isArray ? 'fields items' : 'fields')}</details>`
}

const toLongText = (text: string): Markup => {
  if (text === '') return html`<span class="dim">empty</span>`
  const shown = toShortened(text, maxTextChars)
  const body = html`<span class="text">${toVisibleLines(shown)}</span>`
  return shown.length === text.length ? body : html`${body} ${toRest(text.length - shown.length)}`
}

/** Line breaks are kept here: the text is by itself, so that they cannot deceive. */
const toVisibleLines = (text: string): Markup[] =>
  text.split(/\r?\n/).map((line, index) => html`${index === 0 ? '' : html`<br>`}${toVisibleText(line)}`)
