/**
 * How values compare. A literal without quotes that is a number compares with numbers, and with texts that are numbers,
 * as CSV has them; a text that is an ISO time with texts that are times, and else as text. What cannot be compared is
 * neither equal, nor before, nor behind. `!=` is the opposite of `=` and `!~` that of `~`, whatever there is. Of an array
 * one element is enough, and what is absent is null.
 */
import { isObject, toKey } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { compareNumbers, isOrdered } from './decimal-order.ts'
import type { Comparison, Expression, FieldPath, Operator } from './expression.ts'
import { compareInstants, toInstant } from './instant.ts'
import { type Literal, toNumber } from './literal.ts'
import { compareTexts } from './text-order.ts'

/** Finds the value of a column; undefined where the row has none. */
export type Lookup = (column: string) => Value | undefined

/** Makes the question of an expression. */
export const compile = (expression: Expression): ((lookup: Lookup) => boolean) => {
  switch (expression.kind) {
    case 'comparison':
      return compileComparison(expression)
    case 'not': {
      const term = compile(expression.term)
      return lookup => !term(lookup)
    }
    case 'and': {
      const terms = expression.terms.map(compile)
      return lookup => terms.every(term => term(lookup))
    }
    case 'or': {
      const terms = expression.terms.map(compile)
      return lookup => terms.some(term => term(lookup))
    }
  }
}

type Test = (value: Value) => boolean

const compileComparison = ({ path, operator, literal }: Comparison): ((lookup: Lookup) => boolean) => {
  const [column] = path
  const isOpposite = operator.startsWith('!')
  const test = createTest(operator, literal)
  return lookup => someAt(lookup(column) ?? null, path, 1, test) !== isOpposite
}

/** Whether something at the path, from one of its names on, passes. */
const someAt = (value: Value, path: FieldPath, at: number, test: Test): boolean => {
  if (Array.isArray(value)) {
    // An array without elements is something, and within it there is nothing.
    if (value.length === 0) return at < path.length && test(null)
    return value.some(element => someAt(element, path, at, test))
  }
  const name = path[at]
  if (name === undefined) return test(value)
  const key = toKey(name)
  return someAt((isObject(value) && Object.hasOwn(value, key) ? value[key] : null) ?? null, path, at + 1, test)
}

const createTest = (operator: Operator, literal: Literal): Test => {
  if (literal.kind === 'null') return value => value === null
  if (operator.endsWith('~')) return createContains(literal.text)
  const isWanted = wantedOrders[operator.replace('!', '')] ?? (() => false)
  const compare = createCompare(literal)
  return value => {
    const order = compare(value)
    return order !== undefined && isWanted(order)
  }
}

const wantedOrders: { readonly [operator: string]: (order: number) => boolean } = {
  '=': order => order === 0,
  '<': order => order < 0,
  '<=': order => order <= 0,
  '>': order => order > 0,
  '>=': order => order >= 0,
}

/** Below 0 where a value comes before a literal; undefined where they have no order. */
const createCompare = (literal: Exclude<Literal, { kind: 'null' }>): ((value: Value) => number | undefined) => {
  switch (literal.kind) {
    case 'boolean':
      return value => (value === literal.value || value === literal.text ? 0 : undefined)
    case 'number':
      return value => {
        const number = typeof value === 'string' ? toNumber(value) : value
        return number !== undefined && isOrdered(number) ? compareNumbers(number, literal.value) : undefined
      }
    case 'text': {
      const { text, instant } = literal
      return value => {
        if (typeof value !== 'string') return undefined
        const other = instant && toInstant(value)
        return instant && other ? compareInstants(other, instant) : compareTexts(value, text)
      }
    }
  }
}

/** Looks into texts, numbers and booleans as JSON shows them, and into all that objects hold. */
const createContains = (text: string): Test => {
  const wanted = text.toLowerCase()
  const contains = (value: Value): boolean => {
    if (typeof value === 'string') return value.toLowerCase().includes(wanted)
    if (value === null || value instanceof Uint8Array) return false
    if (Array.isArray(value)) return value.some(contains)
    if (isObject(value)) return Object.values(value).some(contains)
    return String(value).toLowerCase().includes(wanted)
  }
  return contains
}
