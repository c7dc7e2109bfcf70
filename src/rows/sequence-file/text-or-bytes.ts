import { Buffer } from 'node:buffer'
import { toBuffer } from '../../formats/to-buffer.ts'

/** Bytes that are UTF-8 as text; others stay bytes, which no text could give back. */
export const toTextOrBytes = (bytes: Uint8Array): string | Uint8Array => {
  const text = toBuffer(bytes).toString('utf8')
  // Bad bytes become U+FFFD; only where one is found need it be told from one that was sent.
  return text.includes('\ufffd') && !Buffer.from(text).equals(bytes) ? bytes : text
}
