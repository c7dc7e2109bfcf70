/**
 * The language of the parameter `where`:
 *
 *     expression   and { "or" and }
 *     and          not { "and" not }
 *     not          "not" not | "(" expression ")" | term
 *     term         field operator value
 *                | field [ "not" ] "in" "(" value { "," value } ")"
 *                | field [ "not" ] "like" value
 *                | field [ "not" ] "between" value "and" value
 *                | field "is" [ "not" ] "null"
 *                | value                           in any column
 *     field        name { "." name }               name: a word, or anything in double quotes
 *     operator     =  !=  <  <=  >  >=  ~  !~
 *     value        a word, or anything in single or double quotes; quotes in it are doubled
 *
 * A word ends at a space, a quote, a parenthesis or a character of an operator; that of a name at a dot as well, and
 * that of a list at a comma.
 */
import type { FormatError } from '../../errors.ts'
import type { Comparison, Expression, FieldPath, Operator, operators } from './expression.ts'
import { type Literal, toBareLiteral, toTextLiteral } from './literal.ts'
import { fault, Scanner } from './scanner.ts'

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
  const scanner = new Scanner(text)
  const expression = new Parser(scanner).expression(0)
  if (!scanner.isAtEnd) throw scanner.expected('"and", "or" or the end')
  return expression
}

class Parser {
  readonly #scan: Scanner
  #comparisons = 0

  constructor(scanner: Scanner) {
    this.#scan = scanner
  }

  expression(depth: number): Expression {
    return this.#list('or', () => this.#list('and', () => this.#not(depth)))
  }

  #list(kind: 'and' | 'or', next: () => Expression): Expression {
    const first = next()
    if (!this.#scan.takeWord(kind)) return first
    const terms = [first]
    do terms.push(next())
    while (this.#scan.takeWord(kind))
    return { kind, terms }
  }

  #not(depth: number): Expression {
    const start = this.#scan.at
    const isNot = this.#scan.takeWord('not')
    if (!isNot && this.#scan.next !== '(') return this.#term()
    if (depth === maxWhereDepth)
      throw fault(start, `expected at most ${maxWhereDepth} levels of "(" and "not", found more`)
    if (isNot) return { kind: 'not', term: this.#not(depth + 1) }
    this.#scan.skip(1)
    const inner = this.expression(depth + 1)
    if (!this.#scan.takeSign(')')) throw this.#scan.expected('"and", "or" or ")"')
    return inner
  }

  #term(): Expression {
    const start = this.#scan.at
    const { path, problem } = this.#field()
    const predicate = this.#predicate(path ?? [''], start)
    if (predicate !== undefined) {
      if (problem) throw problem
      return predicate
    }
    this.#scan.at = start
    this.#count(start)
    const { text } = this.#value('value', 'the name of a field, or text that is in any of them')
    return { kind: 'anywhere', text }
  }

  /** A comparison is made with every row: each element of a list is one. */
  #count(start: number): void {
    this.#comparisons += 1
    if (this.#comparisons > maxComparisons)
      throw fault(start, `expected at most ${maxComparisons} comparisons, found more`)
  }

  /** What follows a field; undefined where nothing does that could. */
  #predicate(path: FieldPath, start: number): Expression | undefined {
    const { operator } = this.#scan
    if (operator !== undefined) return this.#comparison(path, operator, start)
    const isNot = this.#scan.takeWord('not')
    const term = this.#oneOf(path, start) ?? this.#like(path, start) ?? this.#between(path, start)
    if (isNot && term === undefined) throw this.#scan.expected('"in", "like" or "between"')
    if (term !== undefined) return isNot ? { kind: 'not', term } : term
    if (!this.#scan.takeWord('is')) return undefined
    const isSome = this.#scan.takeWord('not')
    if (!this.#scan.takeWord('null')) throw this.#scan.expected(isSome ? '"null"' : '"null" or "not null"')
    return this.#compare(path, isSome ? '!=' : '=', { kind: 'null' }, start)
  }

  #comparison(path: FieldPath, operator: (typeof operators)[number], start: number): Expression {
    const place = this.#scan.at
    this.#scan.skip(operator.length)
    const literal = this.#value('value', `a value behind "${operator}"`)
    checkOperator(operator, literal, place)
    return this.#compare(path, operator, literal, start)
  }

  #compare(path: FieldPath, operator: Operator, literal: Literal, start: number): Comparison {
    this.#count(start)
    return { kind: 'comparison', path, operator, literal }
  }

  #oneOf(path: FieldPath, start: number): Expression | undefined {
    if (!this.#scan.takeWord('in')) return undefined
    if (!this.#scan.takeSign('(')) throw this.#scan.expected('"(" behind "in"')
    const terms: Expression[] = []
    do terms.push(this.#compare(path, '=', this.#value('element', 'a value of the list'), start))
    while (this.#scan.takeSign(','))
    if (!this.#scan.takeSign(')')) throw this.#scan.expected('"," or ")"')
    return terms.length === 1 ? terms[0] : { kind: 'or', terms }
  }

  #like(path: FieldPath, start: number): Expression | undefined {
    if (!this.#scan.takeWord('like')) return undefined
    const { text } = this.#value('value', 'a pattern behind "like"')
    return this.#compare(path, 'like', toTextLiteral(text), start)
  }

  #between(path: FieldPath, start: number): Expression | undefined {
    if (!this.#scan.takeWord('between')) return undefined
    const terms = (['>=', '<='] as const).map((operator, index): Expression => {
      if (index === 1 && !this.#scan.takeWord('and')) throw this.#scan.expected('"and" and a second value')
      const place = this.#scan.at
      const literal = this.#value('value', 'a value')
      checkOperator(operator, literal, place)
      return this.#compare(path, operator, literal, start)
    })
    return { kind: 'and', terms }
  }

  /** Names with dots between them. A problem with them counts only where they turn out to be a field. */
  #field(): { readonly path?: FieldPath; readonly problem?: FormatError } {
    const first = this.#name()
    if (first === undefined) {
      const problem = this.#scan.expected(`the name of a field${this.#scan.isAtQuote ? ', in double quotes' : ''}`)
      if (this.#scan.isAtQuote) this.#scan.quoted()
      this.#scan.skipSpace()
      return { problem }
    }
    const within: string[] = []
    let problem: FormatError | undefined
    while (this.#scan.next === '.') {
      this.#scan.at += 1
      const name = this.#name()
      if (name === undefined) problem ??= this.#scan.expected('a name behind the dot')
      within.push(name ?? '')
    }
    this.#scan.skipSpace()
    return { path: [first, ...within], ...(problem ? { problem } : {}) }
  }

  #name(): string | undefined {
    if (this.#scan.next === '"') return this.#scan.quoted()
    return this.#scan.word('name') || undefined
  }

  #value(kind: 'value' | 'element', what: string): Literal & { readonly text: string } {
    const { isAtQuote, at } = this.#scan
    const text = isAtQuote ? this.#scan.quoted() : this.#scan.word(kind)
    if (text === '' && !isAtQuote) throw this.#scan.expected(what)
    const sign = isAtQuote ? undefined : /&&|\|\|/.exec(text)
    if (sign) {
      this.#scan.at = at + sign.index
      throw this.#scan.expected('"and", "or" or the end')
    }
    this.#scan.skipSpace()
    return { ...(isAtQuote ? toTextLiteral(text) : toBareLiteral(text)), text }
  }
}

const checkOperator = (operator: Operator, literal: Literal, at: number): void => {
  if (literal.kind !== 'null' && literal.kind !== 'boolean') return
  if (operator === '=' || operator === '!=' || (literal.kind === 'boolean' && operator.endsWith('~'))) return
  const word = literal.kind === 'null' ? 'null' : literal.text
  throw fault(at, `expected = or != before ${word}, found ${operator}`)
}
