import { FormatError } from '../errors.ts'
import { setMember } from './members.ts'
import { maxDepth, parseNumber, type Value } from './number.ts'

/**
 * Reads JSON text (RFC 8259) with every number as it is written, by hand: `JSON.parse` rounds, does not always say
 * where an error is, and with a reviver takes five times as long as without. Objects and duplicate names come out as
 * `JSON.parse` makes them.
 * @throws FormatError with the character where it found something else than it expected
 */
export const parseExactJson = (text: string): Value => {
  const parser = new Parser(text)
  const value = parser.value(0)
  parser.end()
  return value
}

const quote = 0x22
const backslash = 0x5c
const digit0 = 0x30
/** V8 copies substrings below 13 characters. */
const maxCutLength = 12
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const whitespace = /[\t\n\r ]*/y
const literals: readonly (readonly [text: string, value: Value])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(depth: number): Value {
    const code = this.#next()
    if (code === quote) return this.#string()
    if (code === 0x7b) return this.#object(this.#deeper(depth))
    if (code === 0x5b) return this.#array(this.#deeper(depth))
    if (code === 0x2d || (code >= digit0 && code <= 0x39)) return this.#number()
    for (const [literal, value] of literals) {
      if (!this.#text.startsWith(literal, this.#at)) continue
      this.#at += literal.length
      return value
    }
    throw this.#unexpected('a value')
  }

  end(): void {
    if (!Number.isNaN(this.#next())) throw this.#unexpected('the end')
  }

  #object(depth: number): { [key: string]: Value } {
    const object: { [key: string]: Value } = {}
    if (this.#accept(0x7d)) return object
    do {
      if (this.#next() !== quote) throw this.#unexpected('a name in quotes')
      const name = this.#string()
      if (!this.#accept(0x3a)) throw this.#unexpected('":"')
      const value = this.value(depth)
      setMember(object, name, value)
    } while (this.#accept(0x2c))
    if (!this.#accept(0x7d)) throw this.#unexpected('"," or "}"')
    return object
  }

  #array(depth: number): Value[] {
    const array: Value[] = []
    if (this.#accept(0x5d)) return array
    do array.push(this.value(depth))
    while (this.#accept(0x2c))
    if (!this.#accept(0x5d)) throw this.#unexpected('"," or "]"')
    return array
  }

  #number(): Value {
    const start = this.#at
    numberPattern.lastIndex = start
    if (!numberPattern.test(this.#text)) {
      this.#at += 1
      throw this.#unexpected('a digit')
    }
    this.#at = numberPattern.lastIndex
    try {
      return parseNumber(this.#text.slice(start, this.#at))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new FormatError('json', start, error.message, { cause: error })
    }
  }

  #string(): string {
    const start = this.#at
    // A short slice is a copy; a longer one would keep the whole text alive.
    for (let i = start + 1; i <= start + maxCutLength + 1; i += 1) {
      const code = this.#text.charCodeAt(i)
      if (code === quote) {
        this.#at = i + 1
        return this.#text.slice(start + 1, i)
      }
      if (!(code >= 0x20) || code === backslash) break
    }
    const end = this.#endOfString(start + 1)
    // The native parser undoes escapes, and refuses control characters.
    try {
      const text: unknown = JSON.parse(this.#text.slice(start, end))
      this.#at = end
      return String(text)
    } catch {
      this.#at = start + badCharacter(this.#text.slice(start, end))
      throw this.#unexpected('a character or escape sequence of a string')
    }
  }

  /** Behind the closing quote: the first one with an even number of backslashes before it. */
  #endOfString(from: number): number {
    let end = this.#text.indexOf('"', from)
    for (; end >= 0; end = this.#text.indexOf('"', end + 1)) {
      let start = end
      while (start > from && this.#text.charCodeAt(start - 1) === backslash) start -= 1
      if ((end - start) % 2 === 0) return end + 1
    }
    this.#at = this.#text.length
    throw this.#unexpected('the closing quote of a string')
  }

  /** The next character that is no white space; NaN at the end. */
  #next(): number {
    const code = this.#text.charCodeAt(this.#at)
    if (code > 0x20) return code
    whitespace.lastIndex = this.#at
    whitespace.test(this.#text)
    this.#at = whitespace.lastIndex
    return this.#text.charCodeAt(this.#at)
  }

  #accept(code: number): boolean {
    if (this.#next() !== code) return false
    this.#at += 1
    return true
  }

  #deeper(depth: number): number {
    if (depth >= maxDepth) throw new FormatError('json', this.#at, `nested deeper than ${maxDepth} levels`)
    this.#at += 1
    return depth + 1
  }

  #unexpected(expected: string): FormatError {
    const found = this.#text.codePointAt(this.#at)
    const what = found === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(found))
    return new FormatError('json', this.#at, `expected ${expected}, found ${what}`)
  }
}

/** Where a string token has a control character or an unknown escape sequence. */
const badCharacter = (token: string): number => {
  for (let i = 1; i < token.length; i += 1) {
    const code = token.charCodeAt(i)
    if (code < 0x20) return i
    if (code !== backslash) continue
    if (!/^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(token.slice(i, i + 6))) return i
    i += 1
  }
  return 0
}
