import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'

/**
 * Characters that a reader would not see, or that turn the text around them: controls, format characters such as
 * zero-width and bidirectional marks, line separators, lone surrogates. Joiners within other scripts and emoji are
 * part of the writing.
 */
const hidden = /(?!(?<=[\u0370-\u{10ffff}])[\u200c\u200d](?=[\u0370-\u{10ffff}]))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const split = new RegExp(`(${hidden.source})`, 'u')

/**
 * Text with its hidden characters shown as small marks, so that two names never look alike and none disguises itself.
 * Beyond `maxMarks` the rest of the text is one mark: text of nothing else is not text.
 */
export const toVisibleText = (text: string, maxMarks = 200): Markup => {
  if (!hidden.test(text)) return html`<bdi>${text}</bdi>`
  const parts = text.split(split, 2 * maxMarks + 1)
  const shown = parts.reduce((sum, part) => sum + part.length, 0)
  const rest = text.length - shown
  // A split at a group gives plain text and matches in turn.
  return html`<bdi>${parts.map((part, index) => (index % 2 === 0 ? part : toMark(part)))}${rest > 0 ? html`<span class="mark">${rest} more</span>` : ''}</bdi>`
}

/** The first `maxChars` characters, never half a pair. */
export const toShortened = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')

const shortNames: Readonly<Record<string, string>> = { '\n': '⏎', '\t': '⇥', '\r': '␍' }

const toMark = (char: string): Markup => {
  const point = char.codePointAt(0) ?? 0
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  const shown = shortNames[char] ?? (point < 0x20 ? String.fromCodePoint(0x2400 + point) : code)
  return html`<span class="mark" title="${code}">${shown}</span>`
}
