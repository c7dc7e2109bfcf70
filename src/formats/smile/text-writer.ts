import { FormatError } from '../../errors.ts'
import type { SmileOutput } from './output.ts'
import { tokens } from './tokens.ts'
import { WriteTable } from './write-table.ts'

/** Longest string value and name in bytes that carry their length in the token. */
const maxShortBytes = 64
const maxShortUnicodeNameBytes = 56
/**
 * Jackson distinguishes ASCII from UTF-8 only where the worst case (3 bytes a character) fits its buffer of 8 000
 * bytes.
 */
const maxLongAsciiLength = 2_666
/** Token and end marker around a text. */
const frameBytes = 2

/** Writes names and string values, or references to those written before. */
export class TextWriter {
  readonly #out: SmileOutput
  readonly #names: WriteTable | undefined
  readonly #strings: WriteTable | undefined

  constructor(out: SmileOutput, sharedNames: boolean, sharedStrings: boolean) {
    this.#out = out
    this.#names = sharedNames ? new WriteTable() : undefined
    this.#strings = sharedStrings ? new WriteTable() : undefined
  }

  /** Makes the present tables the ones to go back to. */
  mark(): void {
    this.#names?.mark()
    this.#strings?.mark()
  }

  rollback(): void {
    this.#names?.rollback()
    this.#strings?.rollback()
  }

  /** @throws FormatError a lone surrogate */
  name(name: string): void {
    const out = this.#out
    const index = this.#names?.find(name)
    if (index !== undefined) this.#reference(index, 0x30, 0x40, 64)
    else if (name === '') this.#empty()
    else {
      const start = out.length
      const count = this.#utf8(name)
      if (count === name.length && count <= maxShortBytes) out.bytes[start] = 0x7f + count
      else if (count !== name.length && count <= maxShortUnicodeNameBytes) out.bytes[start] = 0xbe + count
      else this.#frame(start, tokens.longName)
      this.#names?.add(name)
    }
  }

  /** @throws FormatError a lone surrogate */
  value(text: string): void {
    const { length } = text
    const isShared = length <= maxShortBytes
    const index = isShared ? this.#strings?.find(text) : undefined
    if (index !== undefined) this.#reference(index, 0xec, 0x01, 31)
    else if (length === 0) this.#empty()
    else {
      const start = this.#out.length
      const count = this.#utf8(text)
      if (count <= maxShortBytes) {
        this.#out.bytes[start] = (count === length ? 0x3f : 0x7e) + count
        this.#strings?.add(text)
      } else {
        const isAscii = count === length && length <= maxLongAsciiLength
        this.#frame(start, isAscii ? tokens.longAscii : tokens.longUnicode)
      }
    }
  }

  #empty(): void {
    this.#out.reserve(1)
    this.#out.byte(tokens.empty)
  }

  #reference(index: number, long: number, short: number, shortCount: number): void {
    this.#out.reserve(2)
    if (index < shortCount) this.#out.byte(short + index)
    else {
      this.#out.byte(long + (index >> 8))
      this.#out.byte(index & 0xff)
    }
  }

  /** Leaves a byte for the token, which depends on what the text turns out to be. */
  #utf8(text: string): number {
    const out = this.#out
    out.reserve(text.length * 3 + frameBytes)
    out.length += 1
    const count = out.utf8(text)
    if (count < 0) throw new FormatError('smile', out.length, 'cannot write text with a lone surrogate,')
    return count
  }

  #frame(start: number, token: number): void {
    this.#out.bytes[start] = token
    this.#out.byte(tokens.endOfString)
  }
}
