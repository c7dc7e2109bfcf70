import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { FormatError, SluiceError } from '../../../errors.ts'
import { FileSystemError } from '../../../filesystem/filesystem.ts'
import type { Row } from '../../../rows/row.ts'
import { toNotice } from '../elements/notice.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'

/** Characters of the rows that are looked at. */
const maxLooked = 4_096

/** From this share on, characters that no text has make it binary. */
const binaryShare = 0.05

/** Whether what was read as text, because nothing else knows it, is not text. */
export const isBinary = ({
  serializer,
  rows,
}: {
  readonly serializer: string
  readonly rows: Iterable<Row>
}): boolean => {
  if (!serializer.startsWith('text')) return false
  let looked = 0
  let strange = 0
  for (const { values } of rows) {
    for (const value of values) {
      if (typeof value !== 'string') return false
      for (const char of toShortened(value, maxLooked)) {
        looked += 1
        if (char === '\0') return true
        if (char === '\ufffd' || (char < ' ' && char !== '\t' && char !== '\u001b' && char !== '\r')) strange += 1
      }
    }
    if (looked > maxLooked) break
  }
  return strange > looked * binaryShare
}

/**
 * A notice about a file that cannot be opened as rows; undefined for errors that are about something else: the file
 * system, or the server.
 */
export const toUnreadablePage = (error: unknown): Markup | undefined => {
  const isAboutFile =
    error instanceof FormatError || (error instanceof SluiceError && !(error instanceof FileSystemError))
  if (!isAboutFile || error.name === 'AbortError') return undefined
  return toNotice(
    'bad',
    'This file cannot be read as rows.',
    html`<p><code>${toVisibleText(toShortened(error.message, 1_000))}</code></p><p>Its bytes are shown instead.</p>`,
  )
}
