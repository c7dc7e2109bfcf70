const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/** Up to this many bytes a loop is faster than a call of the decoder; names of events and granularities are shorter. */
const shortBytes = 32

/** UTF-8 bytes as text; what is not UTF-8 becomes U+FFFD, as the old readers had it. A leading U+FEFF stays. */
export const decodeThriftText = (bytes: Uint8Array): string => {
  if (bytes.length > shortBytes) return decoder.decode(bytes)
  let text = ''
  for (const byte of bytes) {
    if (byte > 0x7f) return decoder.decode(bytes)
    text += String.fromCharCode(byte)
  }
  return text
}

/** Text as UTF-8 bytes; a lone surrogate becomes U+FFFD. */
export const encodeThriftText = (text: string): Uint8Array => encoder.encode(text)

/** How many bytes {@link writeUtf8} writes. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1
    // A pair takes four bytes: the two characters, and two more that its first half has just added.
    if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(i + 1))) i += 1
  }
  return bytes
}

/** Writes text at `at` and returns the offset after it; the caller has made room: see {@link utf8Length}. */
export const writeUtf8 = (text: string, target: Uint8Array, at: number): number => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return at + i + encoder.encodeInto(text.slice(i), target.subarray(at + i)).written
    target[at + i] = code
  }
  return at + text.length
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
