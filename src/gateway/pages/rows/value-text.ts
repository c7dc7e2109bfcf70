import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { stringifyJson } from '../../../formats/json.ts'
import { toName } from '../../../formats/members.ts'
import { isNumber, type Value } from '../../../formats/number.ts'
import { toCountText, toSizeText } from '../elements/format.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'

/** Characters of a value that a cell of the row table shows. */
const maxCellChars = 160

/** Entries of a nested value that a cell looks at: its text is cut anyway, and the value may be huge. */
const maxCellEntries = 20

/** Bytes of a binary value that are shown. */
const maxShownBytes = 48

/** Integers that are likely ms since the epoch (2001 to 2096): the time is shown on hover. */
const firstTimeMs = 1e12
const lastTimeMs = 4e12

/** A value as one cell: cut where it is long, with marks for what is not text. */
export const toCell = (value: Value | undefined): Markup | string => {
  if (value === undefined) return ''
  if (typeof value === 'string') {
    if (value === '') return html`<span class="dim">empty</span>`
    const text = toShortened(value, maxCellChars)
    return text.length === value.length
      ? toVisibleText(text)
      : html`${toVisibleText(text)}${toRest(value.length - text.length)}`
  }
  const scalar = toScalar(value)
  if (scalar !== undefined) return scalar
  const json = toCutJson(value, 0)
  const text = toShortened(json, maxCellChars)
  return html`<code class="nested">${toVisibleText(text)}${text.length < json.length ? '…' : ''}</code>`
}

/** A value without parts; nothing for texts, arrays and objects. */
export const toScalar = (value: Value): Markup | undefined => {
  if (value === null) return html`<span class="dim">null</span>`
  if (typeof value === 'boolean') return html`<span class="truth">${String(value)}</span>`
  if (typeof value === 'number' && value >= firstTimeMs && value < lastTimeMs) {
    return html`<span class="number" title="as a time: ${new Date(value).toISOString()}">${value}</span>`
  }
  if (isNumber(value)) return html`<span class="number">${toShortened(String(value), 400)}</span>`
  return value instanceof Uint8Array ? toBytesText(value) : undefined
}

/** How much of a long text is not shown. */
export const toRest = (chars: number): Markup => html`<span class="rest">… ${toCountText(chars)} more</span>`

const toBytesText = (bytes: Uint8Array): Markup => {
  const shown = Array.from(bytes.subarray(0, maxShownBytes), byte => byte.toString(16).padStart(2, '0')).join(' ')
  return html`<span class="tag">${toSizeText(bytes.length)} binary</span> <code class="bytes">${shown}${bytes.length > maxShownBytes ? ' …' : ''}</code>`
}

/** JSON of the beginning of a value: enough for a cell, never more work than a cell is worth. */
const toCutJson = (value: Value, depth: number): string => {
  if (typeof value === 'string') return stringifyJson(toShortened(value, maxCellChars))
  if (value instanceof Uint8Array) return `"${value.length} bytes"`
  if (typeof value !== 'object' || value === null || isNumber(value)) return stringifyJson(value)
  if (depth > 8) return '…'
  if (Array.isArray(value)) return `[${cut(value.slice(0, maxCellEntries).map(item => toCutJson(item, depth + 1)))}]`
  const parts: string[] = []
  for (const name in value) {
    if (parts.length >= maxCellEntries) break
    parts.push(
      `${stringifyJson(toShortened(toName(name), maxCellChars))}: ${toCutJson((value as Record<string, Value>)[name] ?? null, depth + 1)}`,
    )
  }
  return `{${cut(parts)}}`
}

/** Joins parts until a cell is full. */
const cut = (parts: readonly string[]): string => {
  let text = ''
  for (const part of parts) {
    if (text.length > maxCellChars) break
    text += text === '' ? part : `, ${part}`
  }
  return text
}
