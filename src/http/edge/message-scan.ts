/**
 * Where a message of HTTP/1.1 ends (RFC 9112, sections 2.1, 6 and 7.1):
 *
 *     CRLF*  request line LF  (field line CRLF)*  CRLF  body
 *     body: Content-Length bytes, or (size [; extension] CRLF  size bytes  CRLF)*  "0" … CRLF  (trailer CRLF)*  CRLF
 *
 * The parser after this judges the bytes; here they are only counted.
 */

/** What a piece of a connection belongs to; `whole`: the message has ended, and the next one has not begun. */
export type Part = 'line' | 'fields' | 'body' | 'chunk-size' | 'chunk' | 'trailers' | 'whole'

/** How the head of a message says where its body ends: its length, or by chunks. */
export type MessageEnd = number | 'chunked'

/** Follows the bytes of one connection from message to message. */
export class MessageScan {
  part: Part = 'whole'
  /** Bytes of a body, or of a chunk with its line end, that have not arrived. */
  #left = 0
  /** Size of a chunk as far as it has been read; undefined after its digits. */
  #size: number | undefined = 0
  /** How much of `LF CR LF` the last bytes of the head or of the trailers were. */
  #matched = 0

  /**
   * @param at less than the length
   * @returns where the piece ends that begins at `at` and has bytes of one part only; `part` is then the next one's,
   * `body` after a head until {@link beginBody} says more
   */
  next(bytes: Uint8Array, at: number): number {
    switch (this.part) {
      case 'whole':
        return this.#emptyLines(bytes, at)
      case 'line':
        return this.#line(bytes, at)
      case 'fields':
        return this.#lines(bytes, at, 'body')
      case 'trailers':
        return this.#lines(bytes, at, 'whole')
      case 'chunk-size':
        return this.#chunkSize(bytes, at)
      case 'body':
        return this.#count(bytes, at, 'whole')
      case 'chunk':
        return this.#count(bytes, at, 'chunk-size')
    }
  }

  /** To be called after a head. */
  beginBody(end: MessageEnd): void {
    if (end === 'chunked') this.#begin('chunk-size')
    else if (end > 0) this.#left = end
    else this.part = 'whole'
  }

  #begin(part: Part): void {
    this.part = part
    this.#size = 0
    this.#matched = 0
  }

  /** Some clients send one after a body (RFC 9112, section 2.2). */
  #emptyLines(bytes: Uint8Array, at: number): number {
    let end = at
    while (end < bytes.length && (bytes[end] === cr || bytes[end] === lf)) end++
    if (end < bytes.length) this.part = 'line'
    return end
  }

  #line(bytes: Uint8Array, at: number): number {
    const end = bytes.indexOf(lf, at)
    if (end < 0) return bytes.length
    this.#begin('fields')
    this.#matched = 1
    return end + 1
  }

  #lines(bytes: Uint8Array, at: number, next: Part): number {
    for (let end = at; end < bytes.length; ) {
      const byte = bytes[end++]
      if (byte === lf) {
        if (this.#matched === 2) {
          this.part = next
          return end
        }
        this.#matched = 1
      } else if (byte === cr && this.#matched === 1) this.#matched = 2
      else {
        this.#matched = 0
        const lineEnd = bytes.indexOf(lf, end)
        if (lineEnd < 0) return bytes.length
        end = lineEnd
      }
    }
    return bytes.length
  }

  #chunkSize(bytes: Uint8Array, at: number): number {
    for (let end = at; end < bytes.length; end++) {
      const byte = bytes[end] ?? 0
      if (byte === lf) {
        const size = this.#left
        if (size === 0) {
          this.#begin('trailers')
          this.#matched = 1
        } else {
          this.#begin('chunk')
          this.#left = size + 2
        }
        return end + 1
      }
      const digit = this.#size === undefined ? -1 : toDigit(byte)
      if (digit < 0) this.#size = undefined
      else {
        this.#size = (this.#size ?? 0) * 16 + digit
        this.#left = this.#size
      }
    }
    return bytes.length
  }

  #count(bytes: Uint8Array, at: number, next: Part): number {
    const taken = Math.min(this.#left, bytes.length - at)
    this.#left -= taken
    if (this.#left === 0) this.#begin(next)
    return at + taken
  }
}

const cr = 0x0d
const lf = 0x0a

/** Of a hexadecimal digit; -1 for any other byte. */
const toDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
