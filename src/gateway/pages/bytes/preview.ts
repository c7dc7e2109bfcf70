import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { baseName } from '../../../filesystem/path.ts'
import { isDrawing } from '../../bytes/media-type.ts'
import { toExactSize, toSizeText } from '../elements/format.ts'
import { toFileLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/** Bytes at the beginning of a file that show its kind; no more of a text are shown. */
export const previewBytes = 16_384

/** Larger images are not loaded with their page. */
export const maxImageBytes = 20_000_000

/** The kind of a file that is shown as bytes, as far as its beginning shows it. */
export type Preview =
  | { readonly kind: 'image'; readonly format: string }
  | { readonly kind: 'text'; readonly encoding: string; readonly text: string; readonly bytes: number }

/** Looks what a person could look at. @param head the first {@link previewBytes} of the file, or all of it */
export const findPreview = ({ path, length }: FileStatus, head: Uint8Array): Preview | undefined => {
  const format = images.find(({ isAt }) => isAt(head))?.format
  if (format !== undefined) return { kind: 'image', format }
  const found = decodeText(head, head.length < length)
  if (found === undefined) return undefined
  // Only its name distinguishes a drawing from other XML.
  if (isDrawing(path) && found.text.includes('<svg')) return { kind: 'image', format: 'SVG' }
  return { kind: 'text', ...found, bytes: head.length }
}

/** The image, or the beginning of the text. */
export const toPreview = (preview: Preview, status: FileStatus): Markup =>
  preview.kind === 'image' ? toImage(preview.format, status) : toText(preview, status)

const toImage = (format: string, { path, length }: FileStatus): Markup => {
  const link = toFileLink(path)
  if (length > maxImageBytes) {
    return toNotice(
      'note',
      `This is an image (${format}) of ${toSizeText(length)}: up to ${toSizeText(maxImageBytes)} are shown here.`,
      html`<p><a href="${link}" download>Download it</a></p>`,
    )
  }
  return html`<figure class="preview"><img src="${link}" alt="${baseName(path)}" decoding="async"><figcaption class="dim">Image, ${format}</figcaption></figure>`
}

const toText = ({ encoding, text, bytes }: Preview & { readonly kind: 'text' }, { length }: FileStatus): Markup =>
  html`<figure class="preview"><figcaption class="dim">${bytes < length ? `The first ${toExactSize(bytes)} as text` : 'As text'}, read as ${encoding}</figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Text"><pre>${toLines(text)}</pre></div></figure>`

/** Line breaks and tabs are what they are; all else that hides has a mark. */
const toLines = (text: string): readonly unknown[] =>
  text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t]+)/)
    .map((part, index) => (index % 2 === 1 || part === '' ? part : toVisibleText(part)))

type Image = { readonly format: string; readonly isAt: (head: Uint8Array) => boolean }

const images: readonly Image[] = [
  { format: 'PNG', isAt: head => has(head, 0, '\x89PNG\r\n\x1a\n') },
  { format: 'JPEG', isAt: head => has(head, 0, '\xff\xd8\xff') },
  { format: 'GIF', isAt: head => has(head, 0, 'GIF87a') || has(head, 0, 'GIF89a') },
  { format: 'WebP', isAt: head => has(head, 0, 'RIFF') && has(head, 8, 'WEBP') },
  { format: 'AVIF', isAt: head => has(head, 4, 'ftypavif') || has(head, 4, 'ftypavis') },
]

const has = (head: Uint8Array, at: number, mark: string): boolean =>
  Array.from(mark).every((char, index) => head[at + index] === char.charCodeAt(0))

/** From this share on, bytes beyond ASCII that are not UTF-8 make it no text. */
const foreignShare = 0.3

/** From this share on, zeros in every second byte make it UTF-16. */
const wideShare = 0.4

type Decoded = { readonly encoding: string; readonly text: string }

/** @param isCut whether the last character may be half of one */
const decodeText = (head: Uint8Array, isCut: boolean): Decoded | undefined => {
  for (const label of toLabels(head)) {
    try {
      const text = new TextDecoder(label, { fatal: true }).decode(head, { stream: isCut })
      if (!hasControls(text)) return { encoding: encodings[label], text }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    }
  }
  return undefined
}

const encodings = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little endian)',
  'utf-16be': 'UTF-16 (big endian)',
  'windows-1252': 'Windows-1252 (Latin-1)',
} as const

/** What it could be, the most likely first. */
const toLabels = (head: Uint8Array): readonly (keyof typeof encodings)[] => {
  if (has(head, 0, '\xff\xfe')) return ['utf-16le']
  if (has(head, 0, '\xfe\xff')) return ['utf-16be']
  const counts = { odd: 0, even: 0, foreign: 0 }
  head.forEach((byte, index) => {
    if (byte === 0) counts[index % 2 === 1 ? 'odd' : 'even'] += 1
    if (byte >= 0x80) counts.foreign += 1
  })
  const wide = (head.length / 2) * wideShare
  if (counts.odd > wide && counts.even === 0) return ['utf-16le']
  if (counts.even > wide && counts.odd === 0) return ['utf-16be']
  return counts.foreign > head.length * foreignShare ? ['utf-8'] : ['utf-8', 'windows-1252']
}

/** Whether there are characters that no text has. */
const hasControls = (text: string): boolean =>
  text.match(/\p{Cc}/gu)?.some(char => !textControls.includes(char)) ?? false

/** Breaks, tabs, and the escapes of terminals, which logs have. */
const textControls = '\t\n\r\f\u001b\u0085'
