import { Buffer } from 'node:buffer'
import { toBuffer } from '../../formats/to-buffer.ts'

/** Bytes that are UTF-8 as text; others stay bytes, which no text could give back. */
export const toTextOrBytes = (bytes: Uint8Array): string | Uint8Array => {
  const text = toBuffer(bytes).toString('utf8')
  // Bad bytes become U+FFFD; only a text with one has to be compared with its bytes, since it may have been sent as
  // such.
  return text.includes('\ufffd') && !Buffer.from(text).equals(bytes) ? bytes : text
}
