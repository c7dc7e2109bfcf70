import { FormatError } from '../../errors.ts'
import { operators } from './expression.ts'

/** Moves over the text of an expression: words, quoted texts, signs, and the spaces between them. */
export class Scanner {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
    this.skipSpace()
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length
  }

  /** The character here; empty at the end. */
  get next(): string {
    return this.#text.charAt(this.at)
  }

  get isAtQuote(): boolean {
    return this.next === '"' || this.next === "'"
  }

  /** The operator that begins here, if one does; it stays there. */
  get operator(): (typeof operators)[number] | undefined {
    return operators.find(known => this.#text.startsWith(known, this.at))
  }

  /** The text between the quote here and the one that closes it. @throws FormatError nothing closes it */
  quoted(): string {
    const quote = this.next
    const start = this.at
    let text = ''
    for (let from = start + 1; ; ) {
      const close = this.#text.indexOf(quote, from)
      if (close < 0) throw fault(start, `expected another ${quote} that closes the one here`)
      text += this.#text.slice(from, close)
      this.at = close + 1
      if (this.#text[close + 1] !== quote) return text
      text += quote
      from = close + 2
    }
  }

  /** The word here; empty where none begins. */
  word(kind: keyof typeof words): string {
    const pattern = words[kind]
    pattern.lastIndex = this.at
    const [word = ''] = pattern.exec(this.#text) ?? []
    this.at += word.length
    return word
  }

  /** Takes a word of the language, in any case; the same letters as a part of a name, or before a dot, are not one. */
  takeWord(word: string): boolean {
    const start = this.at
    const isIt = this.word('value').toLowerCase() === word
    if (!isIt) this.at = start
    this.skipSpace()
    return isIt
  }

  /** Takes one sign of the language. */
  takeSign(sign: '(' | ')' | ','): boolean {
    if (this.next !== sign) return false
    this.skip(1)
    return true
  }

  skip(count: number): void {
    this.at += count
    this.skipSpace()
  }

  skipSpace(): void {
    this.word('space')
  }

  /** What was expected here, what is there, and how it is written where another language writes it so. */
  expected(what: string): FormatError {
    const rest = this.#text.slice(this.at)
    const [word = ''] = /^(?:[^\s'"()=<>!~]+|[=<>!~]+|.)/su.exec(rest) ?? []
    const found = word === '' ? 'the end' : JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word)
    return fault(this.at, `expected ${what}, found ${found}${this.#toHint()}`)
  }

  #toHint(): string {
    const around = this.#text.slice(Math.max(0, this.at - 1))
    const sign = foreignSigns.find(([foreign, , isAnywhere]) =>
      isAnywhere ? this.#text.includes(foreign) : around.startsWith(foreign) || around.startsWith(foreign, 1),
    )
    return sign === undefined ? '' : ` (write ${sign[1]} for ${sign[0]})`
  }
}

/** Signs of other languages, and how they are written in this one. */
const foreignSigns: readonly (readonly [sign: string, own: string, isAnywhere: boolean])[] = [
  ['==', '=', false],
  ['<>', '!=', false],
  ['=~', '~', false],
  ['&&', 'and', true],
  ['||', 'or', true],
  ['!', 'not', false],
]

const words = {
  /** A name ends at a dot as well, and a value of a list at a comma. */
  name: /[^\s'"()=<>!~.]*/y,
  value: /[^\s'"()=<>!~]*/y,
  element: /[^\s'"()=<>!~,]*/y,
  space: /\s*/y,
}

/** An error at a character of the expression. */
export const fault = (at: number, message: string): FormatError =>
  new FormatError('where', at, message, { unit: 'character' })
