import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'

/** How a notice is meant: done, worth knowing, or wrong. */
export type Tone = 'good' | 'note' | 'bad'

/** A framed message with a heading and, below it, what it is about. */
export const toNotice = (tone: Tone, heading: unknown, body: unknown = ''): Markup =>
  html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}"><p class="heading">${heading}</p>${body}</div>`
