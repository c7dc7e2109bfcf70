/**
 * How values compare. An unquoted literal that is a number compares with numbers, and with texts that are numbers, as
 * in CSV; one that is an ISO time compares with texts that are times. Everything else compares as text (binary as the
 * base64 that rows show, NaN and the infinities as their words), except that a quoted time and a text that is a time
 * compare as times. Values that cannot be compared are neither equal, nor before, nor after each other. `!=` is always
 * the opposite of `=`, and `!~` that of `~`. One matching element of an array is enough, and an absent value is null.
 */
import { isObject, toKey, toName } from '../../formats/members.ts'
import { Decimal, isNumber, type Value } from '../../formats/number.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { compareTexts } from '../../text/text-order.ts'
import { createSearch } from './contains.ts'
import { compareNumbers, isOrdered } from './decimal-order.ts'
import type { Comparison, Expression, FieldPath, Operator } from './expression.ts'
import { areComparable, compareInstants, toInstant } from './instant.ts'
import { createLike } from './like.ts'
import { type Literal, toNumberLiteral } from './literal.ts'
import type { Steps } from './steps.ts'

/** The values of the row that is looked at. */
export type FieldLookup = {
  /** The value of a column; undefined if the row lacks it. */
  readonly find: (column: string) => Value | undefined
  readonly all: () => readonly Value[]
}

/** Notes whether the values within columns have what is asked about. */
export type PathWatch = {
  /** A value is at the path. */
  readonly find: () => void
  /** The field does not exist: the object has other names, or the value has no parts. */
  readonly lack: (at: number, names: () => readonly string[]) => void
}

/**
 * Makes the question of an expression.
 * @param steps counts what it takes, and ends it with a LimitError
 * @param watch is asked for each path that leads into a column
 */
export const compile = (
  expression: Expression,
  steps: Steps,
  watch: (path: FieldPath) => PathWatch | undefined,
): ((lookup: FieldLookup) => boolean) => {
  switch (expression.kind) {
    case 'comparison':
      return compileComparison(expression, steps, watch(expression.path))
    case 'anywhere': {
      const contains = createContains(expression.text, steps)
      return lookup => lookup.all().some(contains)
    }
    case 'not': {
      const term = compile(expression.term, steps, watch)
      return lookup => !term(lookup)
    }
    case 'and': {
      const terms = expression.terms.map(term => compile(term, steps, watch))
      return lookup => terms.every(term => term(lookup))
    }
    case 'or': {
      const terms = expression.terms.map(term => compile(term, steps, watch))
      return lookup => terms.some(term => term(lookup))
    }
  }
}

type Test = (value: Value) => boolean

const compileComparison = (
  { path, operator, literal }: Comparison,
  steps: Steps,
  watch: PathWatch | undefined,
): ((lookup: FieldLookup) => boolean) => {
  const [column] = path
  const isOpposite = operator.startsWith('!')
  const test = createTest(operator, literal, steps)
  const someAt = createSomeAt(path, test, steps, watch)
  return lookup => someAt(lookup.find(column) ?? null, 1) !== isOpposite
}

/** Whether something at a path, from one of its names on, passes. */
const createSomeAt = (path: FieldPath, test: Test, steps: Steps, watch: PathWatch | undefined) => {
  const someAt = (value: Value, at: number): boolean => {
    steps.take(1)
    if (Array.isArray(value)) {
      // An array without elements is something, and within it there is nothing.
      if (value.length === 0) return at < path.length && test(null)
      return value.some(element => someAt(element, at))
    }
    const name = path[at]
    if (name === undefined) {
      watch?.find()
      return test(value)
    }
    if (!isObject(value)) {
      if (value !== null) watch?.lack(at, noNames)
      return test(null)
    }
    const key = toKey(name)
    if (Object.hasOwn(value, key)) return someAt(value[key] ?? null, at + 1)
    watch?.lack(at, () => Object.keys(value).map(toName))
    return test(null)
  }
  return someAt
}

const noNames = (): readonly string[] => []

const createTest = (operator: Operator, literal: Literal, steps: Steps): Test => {
  if (literal.kind === 'null') return value => value === null
  if (operator.endsWith('~')) return createContains(literal.text, steps)
  if (operator === 'like') {
    const isLike = createLike(literal.text, steps)
    return value => {
      const text = toPlainText(value)
      if (text === undefined) return false
      steps.take(text.length)
      return isLike(text)
    }
  }
  const isWanted = wantedOrders[operator.replace('!', '')] ?? (() => false)
  const compare = createCompare(literal, steps)
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

/** Below 0 if a value is before a literal; undefined where they have no order. */
const createCompare = (
  literal: Exclude<Literal, { kind: 'null' }>,
  steps: Steps,
): ((value: Value) => number | undefined) => {
  switch (literal.kind) {
    case 'boolean':
      return value => (value === literal.value || value === literal.text ? 0 : undefined)
    case 'number':
      return value => {
        const number = typeof value === 'string' ? toNumberLiteral(value) : value
        return number !== undefined && isOrdered(number) ? compareNumbers(number, literal.value) : undefined
      }
    case 'time': {
      const { text, instant } = literal
      return value => {
        const shown = toText(value)
        if (shown === undefined) return undefined
        steps.take(Math.min(shown.length, text.length))
        const other = toInstant(shown)
        return other && areComparable(other, instant) ? compareInstants(other, instant) : undefined
      }
    }
    case 'text': {
      const { text, instant } = literal
      return value => {
        const shown = toText(value)
        if (shown === undefined) return undefined
        steps.take(Math.min(shown.length, text.length))
        const other = instant && toInstant(shown)
        return instant && other && areComparable(other, instant)
          ? compareInstants(other, instant)
          : compareTexts(shown, text)
      }
    }
  }
}

/** What JSON shows as a text: texts, binary, and numbers that JSON does not have. */
const toText = (value: Value): string | undefined => {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return toBuffer(value).toString('base64')
  // Decimals and integers are finite, also beyond a double.
  if (!isNumber(value) || typeof value === 'bigint' || value instanceof Decimal) return undefined
  return Number.isFinite(Number(value)) ? undefined : String(value)
}

/** A value without parts as JSON shows it, without its quotes. */
const toPlainText = (value: Value): string | undefined => {
  const text = toText(value)
  if (text !== undefined) return text
  return isNumber(value) || typeof value === 'boolean' ? String(value) : undefined
}

/** Looks into texts, numbers and booleans as JSON shows them, and into all that objects hold. */
const createContains = (text: string, steps: Steps): Test => {
  const isIn = createSearch(text.toLowerCase())
  const contains = (value: Value): boolean => {
    steps.take(1)
    const text = toText(value)
    if (text !== undefined) {
      steps.take(text.length)
      return isIn(text.toLowerCase())
    }
    if (value === null) return false
    if (Array.isArray(value)) return value.some(contains)
    if (isObject(value)) return Object.values(value).some(contains)
    return isIn(String(value).toLowerCase())
  }
  return contains
}
