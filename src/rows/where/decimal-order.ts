/**
 * The order of numbers of all kinds, exact: of each the decimal counts that its shortest text names, so that a double,
 * a float and a decimal of 0.1 are equal, and 64-bit integers and decimals keep all their digits.
 */
import { type Decimal, Float32, Float64, isNumber, type Value } from '../../formats/number.ts'

/** Any number of the value model. */
export type AnyNumber = Extract<Value, number | bigint | Float64 | Float32 | Decimal>

/** Whether a value is a number with a place in the order, which NaN lacks. */
export const isOrdered = (value: Value): value is AnyNumber => isNumber(value) && !isNaNumber(value)

const isNaNumber = (value: AnyNumber): boolean =>
  Number.isNaN(value instanceof Float64 || value instanceof Float32 ? value.value : value)

/** Below 0, 0 or above, as `sort` has it. @param a ordered, as `b` */
export const compareNumbers = (a: AnyNumber, b: AnyNumber): number => {
  const [left, right] = [toPlain(a), toPlain(b)]
  if (typeof left === 'number' && typeof right === 'number') return sign(left, right)
  if (typeof left === 'bigint' && typeof right === 'bigint') return sign(left, right)
  return compareDecimals(toDigits(a), toDigits(b))
}

/** Doubles and integers are what they are: their own order is that of their texts. */
const toPlain = (value: AnyNumber): number | bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return value instanceof Float64 ? value.value : undefined
}

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** ± 0.d₁d₂d₃… × 10^`exponent`; zero has no digits, and an infinity an infinite exponent. */
type Digits = { readonly sign: -1 | 0 | 1; readonly digits: string; readonly exponent: number }

const toDigits = (value: AnyNumber): Digits => {
  const text = String(value)
  const [, minus, whole = '', fraction = '', power = '0'] = numberText.exec(text) ?? []
  if (whole === '') return { sign: text.startsWith('-') ? -1 : 1, digits: '', exponent: Number.POSITIVE_INFINITY }
  const all = whole + fraction
  const digits = all.replace(/^0+/, '')
  if (digits === '') return { sign: 0, digits, exponent: 0 }
  return { sign: minus === '-' ? -1 : 1, digits, exponent: Number(power) + whole.length - (all.length - digits.length) }
}

const numberText = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

const compareDecimals = (a: Digits, b: Digits): number => {
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -a.sign : a.sign
  const length = Math.max(a.digits.length, b.digits.length)
  const [left, right] = [a.digits.padEnd(length, '0'), b.digits.padEnd(length, '0')]
  return left === right ? 0 : left < right ? -a.sign : a.sign
}
