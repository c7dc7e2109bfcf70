/**
 * Reads a JSON value (RFC 8259) with every number as it is written, by hand: `JSON.parse` rounds, does not always say
 * where an error is, and with a reviver takes five times as long as without. Objects and duplicate names come out as
 * `JSON.parse` makes them. A long value is read piece by piece: what was looked at is not looked at again and need not
 * be kept, a stack takes the place of recursion, and between two pieces others can have their turn.
 */
import { type Buffer, isAscii } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { Budget } from './budget.ts'
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  literalEnd,
  minus,
  openBrace,
  openBracket,
  quoteByte,
  skipSpace,
  stringEnd,
} from './json-grammar.ts'
import { setMember } from './members.ts'
import { maxDepth, maxNumberLength, parseNumber, type Value } from './number.ts'

/** What is open: an object with the name whose value comes next, or an array. */
type Level =
  | { readonly object: { [key: string]: Value }; name: string; readonly array?: undefined }
  | { readonly array: Value[]; readonly object?: undefined }

type State = 'value' | 'element' | 'first name' | 'name' | 'colon' | 'after' | 'done'

/** What is expected in each state, for errors. */
const expected: Readonly<Record<State, string>> = {
  value: 'a value',
  element: 'a value or "]"',
  'first name': 'a name or "}"',
  name: 'a name in quotes',
  colon: '":"',
  after: '","',
  done: 'the end',
}

type Piece = {
  /** The text itself, or a character for each of the bytes. */
  readonly text: string
  /** The bytes, where several of them may be one character. */
  readonly bytes: Buffer | undefined
  readonly isLast: boolean
  /** Of its beginning, for errors, counted in `unit`. */
  readonly offset: number
  readonly unit: 'byte' | 'character'
}

/**
 * Reads the value that a text holds.
 * @throws FormatError with the character where it found something else than it expected
 */
export const parseExactJson = (text: string): Value => {
  const reader = new LongJson(new Budget('json'))
  const piece: Piece = { text, bytes: undefined, isLast: true, offset: 0, unit: 'character' }
  const end = skipSpace(text, reader.read(piece))
  if (end < text.length) throw unexpected(piece, end, expected.done)
  return reader.value
}

export class LongJson {
  readonly #budget: Budget
  readonly #open: Level[] = []
  /** The last one of these. */
  #level: Level | undefined
  #state: State = 'value'
  /** Parts of the string that continues in the next piece. */
  #parts: string[] | undefined
  #value: Value = null

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Whether the value has ended. */
  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** The value, when it has ended. */
  get value(): Value {
    return this.#value
  }

  /**
   * Takes bytes of the value that follow those taken before; returns how many. What is left is less than a number, an
   * escape sequence or a character, or follows the value.
   * @param isLast whether nothing follows these bytes
   * @param offset of `bytes`, for errors
   * @throws FormatError `json`: other than JSON, or more than 1 000 levels; LimitError over the budget
   */
  feed(bytes: Buffer, isLast: boolean, offset: number): number {
    const text = bytes.toString('latin1')
    return this.read({ text, bytes: isAscii(bytes) ? undefined : bytes, isLast, offset, unit: 'byte' })
  }

  /** As {@link feed}. */
  read(piece: Piece): number {
    let at = 0
    while (this.#state !== 'done') {
      const end = this.#parts ? this.#goOn(piece, at, this.#parts) : this.#next(piece, skipSpace(piece.text, at))
      if (end < 0) return ~end
      at = end
    }
    return at
  }

  /** Takes a token; returns its end, or the one's complement of where to continue with the next bytes. */
  #next(piece: Piece, at: number): number {
    const { text } = piece
    const state = this.#state
    if (at === text.length && !piece.isLast) return ~at
    const char = text.charCodeAt(at)
    if (char === quoteByte && state !== 'colon' && state !== 'after') {
      return this.#string(piece, at + 1)
    }
    if (state === 'value' || state === 'element') {
      if (char === openBrace || char === openBracket) return this.#enter(piece, at, char === openBrace)
      if (char !== closeBracket || state === 'value') return this.#literal(piece, at)
    } else if (state === 'colon') {
      if (char !== colon) throw this.#unexpected(piece, at)
      this.#state = 'value'
      return at + 1
    } else if (char === comma && state === 'after') {
      this.#state = this.#level?.object ? 'name' : 'value'
      return at + 1
    }
    const level = this.#level
    if (state === 'name' || level === undefined || char !== (level.object ? closeBrace : closeBracket)) {
      throw this.#unexpected(piece, at)
    }
    this.#open.pop()
    this.#level = this.#open.at(-1)
    this.#put(level.object ?? level.array)
    return at + 1
  }

  #enter(piece: Piece, at: number, isObject: boolean): number {
    if (this.#open.length === maxDepth) throw fault(piece, at, `nested deeper than ${maxDepth} levels`)
    this.#budget.value()
    this.#level = isObject ? { object: {}, name: '' } : { array: [] }
    this.#open.push(this.#level)
    this.#state = isObject ? 'first name' : 'element'
    return at + 1
  }

  #literal(piece: Piece, at: number): number {
    const { text, isLast } = piece
    const end = literalEnd(text, at)
    // It may continue in the next bytes, whether it is valid so far (12) or not yet (tru, 1e).
    const mayGoOn = !isLast && /^[\w+.-]*$/.test(text.slice(at, at + maxNumberLength + 1))
    if (mayGoOn && text.length - at <= maxNumberLength) return ~at
    // A sign alone is the beginning of a number.
    if (end < 0) throw this.#unexpected(piece, text.charCodeAt(at) === minus ? at + 1 : at)
    this.#budget.value()
    this.#put(toLiteral(piece, at, end))
    return end
  }

  #string(piece: Piece, at: number): number {
    const end = endOfString(piece.text, at)
    if (end < 0) {
      this.#parts = []
      return at
    }
    this.#budget.bytes(end - at)
    this.#putText(toText(piece, at, end))
    return end + 1
  }

  /** Continues a string; see {@link #next} for what is returned. */
  #goOn(piece: Piece, at: number, parts: string[]): number {
    const end = endOfString(piece.text, at)
    const stop = end < 0 ? cutString(piece, at) : end
    this.#budget.bytes(stop - at)
    parts.push(toText(piece, at, stop))
    if (end < 0) {
      if (piece.isLast) throw fault(piece, piece.text.length, 'expected the closing quote of a string, found the end')
      return ~stop
    }
    this.#parts = undefined
    this.#putText(parts.join(''))
    return end + 1
  }

  #putText(text: string): void {
    const level = this.#level
    if (level?.object && this.#state !== 'value') {
      level.name = text
      this.#state = 'colon'
    } else {
      this.#budget.value()
      this.#put(text)
    }
  }

  #put(value: Value): void {
    const level = this.#level
    this.#state = level ? 'after' : 'done'
    if (level === undefined) this.#value = value
    else if (level.object) setMember(level.object, level.name, value)
    else level.array.push(value)
  }

  #unexpected(piece: Piece, at: number): FormatError {
    const level = this.#level
    const end = this.#state !== 'after' ? '' : level?.object ? ' or "}"' : ' or "]"'
    return unexpected(piece, at, expected[this.#state] + end)
  }
}

const toLiteral = (piece: Piece, at: number, end: number): Value => {
  const text = piece.text.slice(at, end)
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  try {
    return parseNumber(text)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new FormatError('json', piece.offset + at, cause.message, { cause, unit: piece.unit })
  }
}

/** The closing quote: the first one with an even number of backslashes before it, from `from` on; negative without. */
const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    if (countBackslashes(text, from, end) % 2 === 0) return end
  }
  return -1
}

const countBackslashes = (text: string, from: number, end: number): number => {
  let start = end
  while (start > from && text.charCodeAt(start - 1) === backslash) start--
  return end - start
}

/** Where a string that continues past the piece can be cut: not within an escape sequence or a character. */
const cutString = ({ bytes, text, isLast }: Piece, from: number): number => {
  const { length } = text
  if (isLast) return length
  for (let at = length - 1; at >= Math.max(from, length - 6); at--) {
    // At the last backslash that escapes something: with less than a whole sequence behind it.
    if (text.charCodeAt(at) !== backslash || countBackslashes(text, from, at) % 2 === 1) continue
    const size = text.charAt(at + 1) === 'u' ? 6 : 2
    if (at + size > length) return at
    break
  }
  if (!bytes) return length
  let at = length
  while (at > from && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at--
  // A lead byte with what follows it, be it whole or not.
  return (bytes[at - 1] ?? 0) >= 0xc0 && at > from ? at - 1 : length
}

/** A part of a string between its quotes, escape sequences undone. */
const toText = (piece: Piece, start: number, end: number): string => {
  const { bytes, text } = piece
  const raw = bytes ? bytes.toString('utf8', start, end) : text.slice(start, end)
  try {
    // The native parser undoes escapes, and refuses control characters.
    if (unusual.test(raw)) return String(JSON.parse(`"${raw}"`))
  } catch {
    throw unexpected(piece, ~stringEnd(text, start - 1), 'a character or escape sequence of a string')
  }
  return raw
}

/** Backslashes and control characters. */
const unusual = /[^ -[\]-\uffff]/

const unexpected = (piece: Piece, at: number, what: string): FormatError => {
  const found = piece.text.codePointAt(at)
  const shown = found === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(found))
  return fault(piece, at, `expected ${what}, found ${shown}`)
}

const fault = ({ offset, unit }: Piece, at: number, message: string): FormatError =>
  new FormatError('json', offset + at, message, { unit })
