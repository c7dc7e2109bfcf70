/**
 * The language of the parameter `where`:
 *
 *     expression   and { "or" and }
 *     and          not { "and" not }
 *     not          "not" not | "(" expression ")" | comparison
 *     comparison   field operator value
 *     field        name { "." name }         name: a word, or anything in double quotes
 *     operator     =  !=  <  <=  >  >=  ~  !~
 *     value        a word, or anything in single or double quotes; quotes in it are doubled
 *
 * A word goes on to a space, a quote, a parenthesis or a character of an operator; that of a name to a dot as well.
 */
import { FormatError } from '../../errors.ts'
import { type Comparison, type Expression, type FieldPath, type Operator, operators } from './expression.ts'
import { type Literal, toBareLiteral, toTextLiteral } from './literal.ts'

/** Longest text, in characters; */
export const maxWhereChars = 4_096
/** most comparisons: each is made with every row; */
export const maxComparisons = 100
/** deepest nesting of parentheses and `not`. */
export const maxWhereDepth = 50

/**
 * Reads an expression.
 * @throws FormatError `where`: at which character what was expected, and what is there
 */
export const parseExpression = (text: string): Expression => {
  if (text.length > maxWhereChars)
    throw fault(maxWhereChars, `expected at most ${maxWhereChars} characters, found more`)
  const parser = new Parser(text)
  const expression = parser.expression(0)
  parser.end()
  return expression
}

class Parser {
  readonly #text: string
  #at = 0
  #comparisons = 0

  constructor(text: string) {
    this.#text = text
    this.#skipSpace()
  }

  expression(depth: number): Expression {
    return this.#list('or', () => this.#list('and', () => this.#not(depth)))
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#expected('"and", "or" or the end')
  }

  #list(kind: 'and' | 'or', next: () => Expression): Expression {
    const first = next()
    if (!this.#takeWord(kind)) return first
    const terms = [first]
    do terms.push(next())
    while (this.#takeWord(kind))
    return { kind, terms }
  }

  #not(depth: number): Expression {
    const start = this.#at
    const isNot = this.#takeWord('not')
    if (!isNot && this.#text[this.#at] !== '(') return this.#comparison()
    if (depth === maxWhereDepth)
      throw fault(start, `expected at most ${maxWhereDepth} levels of "(" and "not", found more`)
    if (isNot) return { kind: 'not', term: this.#not(depth + 1) }
    this.#skip(1)
    const inner = this.expression(depth + 1)
    if (this.#text[this.#at] !== ')') throw this.#expected('"and", "or" or ")"')
    this.#skip(1)
    return inner
  }

  #comparison(): Comparison {
    const start = this.#at
    const path = this.#field()
    this.#comparisons += 1
    if (this.#comparisons > maxComparisons)
      throw fault(start, `expected at most ${maxComparisons} comparisons, found more`)
    const operator = operators.find(known => this.#text.startsWith(known, this.#at))
    if (operator === undefined) throw this.#expected(`one of ${operators.join(' ')}`)
    const place = this.#at
    this.#skip(operator.length)
    const literal = this.#value(operator)
    checkOperator(operator, literal, place)
    return { kind: 'comparison', path, operator, literal }
  }

  #field(): FieldPath {
    const first = this.#name('the name of a field')
    const within: string[] = []
    while (this.#text[this.#at] === '.') {
      this.#at += 1
      within.push(this.#name('a name behind the dot'))
    }
    this.#skipSpace()
    return [first, ...within]
  }

  #name(what: string): string {
    if (this.#text[this.#at] === '"') return this.#quoted()
    const name = this.#word(inName)
    if (name === '') throw this.#expected(this.#text[this.#at] === "'" ? `${what}, in double quotes` : what)
    return name
  }

  #value(operator: Operator): Literal {
    const first = this.#text[this.#at]
    const isQuoted = first === '"' || first === "'"
    const text = isQuoted ? this.#quoted() : this.#word(inValue)
    if (text === '' && !isQuoted) throw this.#expected(`a value behind "${operator}"`)
    this.#skipSpace()
    return isQuoted ? toTextLiteral(text) : toBareLiteral(text)
  }

  /** What is between the quote here and the one that closes it. */
  #quoted(): string {
    const quote = this.#text.charAt(this.#at)
    const start = this.#at
    let text = ''
    for (let from = start + 1; ; ) {
      const close = this.#text.indexOf(quote, from)
      if (close < 0) throw fault(start, `expected another ${quote} that closes the one here`)
      text += this.#text.slice(from, close)
      this.#at = close + 1
      if (this.#text[close + 1] !== quote) return text
      text += quote
      from = close + 2
    }
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [word = ''] = pattern.exec(this.#text) ?? []
    this.#at += word.length
    return word
  }

  /** A word of the language, in any case; the same letters as a part of a name, or before a dot, are none. */
  #takeWord(word: string): boolean {
    const start = this.#at
    const isIt = this.#word(inValue).toLowerCase() === word
    if (!isIt) this.#at = start
    this.#skipSpace()
    return isIt
  }

  #skip(count: number): void {
    this.#at += count
    this.#skipSpace()
  }

  #skipSpace(): void {
    this.#word(space)
  }

  #expected(what: string): FormatError {
    const rest = this.#text.slice(this.#at)
    const [word = ''] = /^(?:[^\s'"()=<>!~]+|[=<>!~]+|.)/su.exec(rest) ?? []
    const found = word === '' ? 'the end' : JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word)
    return fault(this.#at, `expected ${what}, found ${found}`)
  }
}

const inName = /[^\s'"()=<>!~.]*/y
const inValue = /[^\s'"()=<>!~]*/y
const space = /\s*/y

const checkOperator = (operator: Operator, literal: Literal, at: number): void => {
  if (literal.kind !== 'null' && literal.kind !== 'boolean') return
  if (operator === '=' || operator === '!=' || (literal.kind === 'boolean' && operator.endsWith('~'))) return
  const word = literal.kind === 'null' ? 'null' : literal.text
  throw fault(at, `expected = or != before ${word}, found ${operator}`)
}

const fault = (at: number, message: string): FormatError => new FormatError('where', at, message, { unit: 'character' })
