import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toExactSize, toIsoTime, toRelativeTime, toSizeText } from './format.ts'
import { toVisibleText } from './visible-text.ts'

/** A time: how long ago, exactly on hover. */
export const toTimeMark = (timeMs: number, nowMs: number): Markup => {
  const iso = toIsoTime(timeMs)
  return html`<time datetime="${iso}" title="${iso}">${toRelativeTime(timeMs, nowMs)}</time>`
}

/** A size, exactly on hover. */
export const toSizeMark = (bytes: number): Markup =>
  html`<span title="${toExactSize(bytes)}">${toSizeText(bytes)}</span>`

/** The owner of a file. */
export const toOwnerMark = ({ owner, group }: { readonly owner: string; readonly group: string }): Markup =>
  html`${toVisibleText(owner)}${group === '' ? '' : html`<span class="dim">:${toVisibleText(group)}</span>`}`

/** The button to the previous or next page; disabled without a link. */
export const toStep = (name: 'Previous' | 'Next', link: string | undefined): Markup =>
  link === undefined
    ? html`<span class="button off">${name}</span>`
    : html`<a class="button" rel="${name === 'Next' ? 'next' : 'prev'}" href="${link}">${name}</a>`
