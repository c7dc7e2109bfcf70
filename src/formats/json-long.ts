/**
 * Reads one long JSON value (RFC 8259) piece by piece: what was looked at is not looked at again and need not be kept,
 * a stack takes the place of recursion, and between two pieces others can have their turn. Exact as `parseExactJson`,
 * and slower than `JSON.parse`, so it is for values of more than some kilobytes.
 */
import { type Buffer, isAscii } from 'node:buffer'
import { FormatError } from '../errors.ts'
import type { Budget } from './budget.ts'
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
  name: 'a name',
  colon: '":"',
  after: '","',
  done: 'the end',
}

/** A piece of the bytes; as text it has a character for each byte. */
type Piece = {
  readonly bytes: Buffer
  readonly text: string
  readonly isAscii: boolean
  readonly isLast: boolean
  readonly offset: number
}

export class LongJson {
  readonly #budget: Budget
  readonly #open: Level[] = []
  #state: State = 'value'
  /** Parts of the string that goes on in the next piece. */
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
    const piece = { bytes, text: bytes.toString('latin1'), isAscii: isAscii(bytes), isLast, offset }
    let at = 0
    while (this.#state !== 'done') {
      const end = this.#parts ? this.#goOn(piece, at, this.#parts) : this.#next(piece, skipSpace(piece.text, at))
      if (end < 0) return ~end
      at = end
    }
    return at
  }

  /** Takes a token; returns where it ends, or the one's complement of where to go on with the next bytes. */
  #next(piece: Piece, at: number): number {
    const { text } = piece
    const state = this.#state
    if (at === text.length && !piece.isLast) return ~at
    const char = text.charCodeAt(at)
    if (char === quote && state !== 'colon' && state !== 'after') {
      this.#parts = []
      return at + 1
    }
    if (state === 'value' || state === 'element') {
      if (char === openBrace || char === openBracket) return this.#enter(piece, at, char === openBrace)
      if (char !== closeBracket || state === 'value') return this.#literal(piece, at)
    } else if (state === 'colon') {
      if (char !== colon) throw this.#unexpected(piece, at)
      this.#state = 'value'
      return at + 1
    } else if (char === comma && state === 'after') {
      this.#state = this.#open.at(-1)?.object ? 'name' : 'value'
      return at + 1
    }
    const level = this.#open.at(-1)
    if (state === 'name' || level === undefined || char !== (level.object ? closeBrace : closeBracket)) {
      throw this.#unexpected(piece, at)
    }
    this.#open.pop()
    this.#put(level.object ?? level.array)
    return at + 1
  }

  #enter(piece: Piece, at: number, isObject: boolean): number {
    if (this.#open.length === maxDepth) throw fault(piece, at, `nested deeper than ${maxDepth} levels`)
    this.#budget.value()
    this.#open.push(isObject ? { object: {}, name: '' } : { array: [] })
    this.#state = isObject ? 'first name' : 'element'
    return at + 1
  }

  #literal(piece: Piece, at: number): number {
    const { text, isLast } = piece
    literals.lastIndex = at
    const end = literals.test(text) ? literals.lastIndex : at
    // It may go on in the next bytes, whether it is one so far (12) or not yet (tru, 1e).
    const mayGoOn = !isLast && /^[\w+.-]*$/.test(text.slice(at, at + maxNumberLength + 1))
    if (mayGoOn && text.length - at <= maxNumberLength) return ~at
    if (end === at) throw this.#unexpected(piece, at)
    this.#budget.value()
    this.#put(toLiteral(piece, at, end))
    return end
  }

  /** Goes on with a string; see {@link #next} for what is returned. */
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
    const text = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
    const level = this.#open.at(-1)
    if (level?.object && this.#state !== 'value') {
      level.name = text
      this.#state = 'colon'
    } else {
      this.#budget.value()
      this.#put(text)
    }
    return end + 1
  }

  #put(value: Value): void {
    const level = this.#open.at(-1)
    this.#state = level ? 'after' : 'done'
    if (level === undefined) this.#value = value
    else if (level.object) setMember(level.object, level.name, value)
    else level.array.push(value)
  }

  #unexpected(piece: Piece, at: number): FormatError {
    const level = this.#open.at(-1)
    const end = this.#state !== 'after' ? '' : level?.object ? ' or "}"' : ' or "]"'
    const found = at < piece.text.length ? JSON.stringify(piece.text.charAt(at)) : 'the end'
    return fault(piece, at, `expected ${expected[this.#state]}${end}, found ${found}`)
  }
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const literals = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const whitespace = /[\t\n\r ]*/y

const skipSpace = (text: string, at: number): number => {
  whitespace.lastIndex = at
  whitespace.test(text)
  return whitespace.lastIndex
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
    throw new FormatError('json', piece.offset + at, cause.message, { cause })
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

/** Where a string that goes on behind the piece can be cut: not within an escape sequence or a character. */
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
  let at = length
  while (at > from && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at--
  // A lead byte with what follows it, be it whole or not.
  return (bytes[at - 1] ?? 0) >= 0xc0 && at > from ? at - 1 : length
}

/** A part of a string between its quotes, escape sequences undone. */
const toText = (piece: Piece, start: number, end: number): string => {
  const { bytes, text } = piece
  const raw = piece.isAscii ? text.slice(start, end) : bytes.toString('utf8', start, end)
  try {
    // The native parser undoes escapes, and refuses control characters.
    if (unusual.test(raw)) return String(JSON.parse(`"${raw}"`))
  } catch {
    throw fault(piece, start, 'expected characters and escape sequences of a string')
  }
  return raw
}

/** Backslashes and control characters. */
const unusual = /[^ -[\]-\uffff]/

const fault = ({ offset }: Piece, at: number, message: string): FormatError =>
  new FormatError('json', offset + at, message)
