import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import { toCountText } from '../elements/format.ts'
import { toStep } from '../elements/marks.ts'
import { type FileHead, toFileHead } from '../rows/file-head.ts'
import { findPreview, type Preview, previewBytes, toPreview } from './preview.ts'

/** Bytes on one page. */
export const pageBytes = 2_048
const lineBytes = 16

export type BytesView = Omit<FileHead, 'view'> & {
  readonly offset: number
  readonly bytes: Uint8Array
  /** What a person could look at, where the page shows the beginning. */
  readonly preview?: Preview | undefined
  /** Why the bytes are shown where rows were asked for. */
  readonly notice?: Markup | undefined
}

/** The bytes of one page, and at the beginning of a file what it is, perhaps. */
type ShownBytes = Pick<BytesView, 'offset' | 'bytes' | 'preview'>

/** Reads the bytes of one page, from the beginning of a line. Rejects as `open` does. */
export const readBytes = async (
  fileSystem: FileSystem,
  status: FileStatus,
  offset: number,
  signal: AbortSignal,
): Promise<ShownBytes> => {
  const { length } = status
  const lastPage = Math.max(0, Math.ceil(length / pageBytes) - 1) * pageBytes
  const start = Math.min(offset - (offset % lineBytes), lastPage)
  if (length === 0) return { offset: 0, bytes: new Uint8Array(0) }
  if (start > 0) return { offset: start, bytes: await readPart(fileSystem, status, start, pageBytes, signal) }
  const head = await readPart(fileSystem, status, 0, previewBytes, signal)
  return { offset: 0, bytes: head.subarray(0, pageBytes), preview: findPreview(status, head) }
}

const readPart = async (
  fileSystem: FileSystem,
  { path }: FileStatus,
  offset: number,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length)
  let filled = 0
  for await (const chunk of await fileSystem.open(path, { offset, length, signal })) {
    const part = chunk.subarray(0, length - filled)
    bytes.set(part, filled)
    filled += part.length
    if (filled === length) break
  }
  return bytes.subarray(0, filled)
}

/** The content of the page that shows a file's bytes as stored: 16 in a line, in hexadecimal and as ASCII. */
export const toBytesPage = (view: BytesView): Markup => {
  const { status, links, offset, bytes, preview, notice } = view
  const end = offset + bytes.length
  const before = Math.max(0, offset - pageBytes)
  const link = (start: number): string => links.page({ show: 'bytes', at: `0-${start}` })
  return html`${toFileHead({ ...view, view: 'bytes' })}
${notice ?? ''}
${preview === undefined ? '' : toPreview(preview, status)}
${
  bytes.length === 0
    ? html`<div class="empty"><p class="heading">This file is empty.</p></div>`
    : html`<div class="range top"><p>Bytes <strong>${toCountText(offset)}</strong>–<strong>${toCountText(end - 1)}</strong> of ${toCountText(status.length)}</p>
<nav aria-label="Bytes">
${toStep('Previous', offset === 0 ? undefined : link(before))}
${toStep('Next', end >= status.length ? undefined : link(end))}
</nav></div>
<div class="scroll hex" tabindex="0" role="region" aria-label="Bytes in hexadecimal"><pre>${toHexLines(bytes, offset)}</pre></div>`
}`
}

const toHexLines = (bytes: Uint8Array, offset: number): Markup[] => {
  const lines: Markup[] = []
  for (let at = 0; at < bytes.length; at += lineBytes) {
    const line = bytes.subarray(at, at + lineBytes)
    const hex = Array.from(
      line,
      (byte, index) => `${index === 8 ? ' ' : ''}${byte.toString(16).padStart(2, '0')}`,
    ).join(' ')
    const text = Array.from(line, byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
    lines.push(
      html`<span class="dim">${(offset + at).toString(16).padStart(8, '0')}</span>  ${hex.padEnd(3 * lineBytes)}  <span class="ascii">${text}</span>\n`,
    )
  }
  return lines
}
