/**
 * The value model that all formats share: plain JavaScript values, and a wrapper only where a plain value would lose
 * what was read: `1.0` is not `1`, a float is not a double, and some decimals fit no double.
 */

/**
 * A value read from, or to be written to, JSON, Smile or Thrift. A `number` without a fraction is an integer within
 * ±(2^53-1), any other `number` is a double; a `bigint` is an integer beyond that.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float64
  | Float32
  | Decimal
  | Uint8Array
  | Value[]
  | { [key: string]: Value }

/** Largest integer (and unscaled decimal) in bytes of two's complement: about 9 864 digits; more would cost its reader seconds. */
export const maxIntegerBytes = 4_096

/** Longest text of a number, in characters; longer than any number within {@link maxIntegerBytes} needs. */
export const maxNumberLength = 10_000

/** Deepest nesting of arrays and objects that the readers take: far from the end of the stack. */
export const maxDepth = 1_000

/** A double without a fraction (`1.0`, `1e3`, `-0`), or any other double, that stays a double when it is written again. */
export class Float64 {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  get bits(): 64 {
    return 64
  }

  valueOf(): number {
    return this.value
  }

  /** The shortest text that reads back as this double: `1.0`, `-0.0`, `1e+21`, `NaN`. */
  toString(): string {
    return withPoint(Object.is(this.value, -0) ? '-0' : String(this.value))
  }

  toJSON(): unknown {
    return Number.isFinite(this.value) ? JSON.rawJSON(this.toString()) : this.toString()
  }
}

/** A 32-bit float. */
export class Float32 {
  /** The float's exact value as a double. */
  readonly value: number

  /** @param value a double, rounded to the nearest float */
  constructor(value: number) {
    this.value = Math.fround(value)
  }

  get bits(): 32 {
    return 32
  }

  valueOf(): number {
    return this.value
  }

  /** The shortest text that reads back as this float: `0.1`, `1.0`, `NaN`; an integer with all its digits. */
  toString(): string {
    if (Object.is(this.value, -0)) return '-0.0'
    if (!Number.isFinite(this.value)) return String(this.value)
    // The shortest text of a large one has other last digits: 479056060 for 479056064.
    if (Number.isSafeInteger(this.value)) return `${this.value}.0`
    return withPoint(String(toShortest(this.value)))
  }

  toJSON(): unknown {
    return Number.isFinite(this.value) ? JSON.rawJSON(this.toString()) : this.toString()
  }
}

/** The double of the fewest digits that reads back as a float. */
export const toShortest = (float: number): number => {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(float.toPrecision(digits))
    if (Math.fround(short) === float) return short
  }
  return Number(float.toPrecision(9))
}

/** An exact decimal: `unscaled` × 10^-`scale`. */
export class Decimal {
  readonly unscaled: bigint
  /** A 32-bit integer; negative for trailing zeros that are not spelled out. */
  readonly scale: number

  /** @throws RangeError a scale beyond 32 bits, or not an integer */
  constructor(unscaled: bigint, scale: number) {
    if ((scale | 0) !== scale) throw new RangeError(`Cannot make a decimal of scale ${scale}: not a 32-bit integer`)
    this.unscaled = unscaled
    this.scale = scale
  }

  /** The nearest double. */
  valueOf(): number {
    return Number(this.toString())
  }

  /** Plain digits where they are few (`12.50`), else scientific (`1.5E+400`); Java's `BigDecimal` writes the same. */
  toString(): string {
    const { scale } = this
    const sign = this.unscaled < 0n ? '-' : ''
    const digits = (this.unscaled < 0n ? -this.unscaled : this.unscaled).toString()
    if (scale === 0) return sign + digits
    const exponent = digits.length - 1 - scale
    if (scale > 0 && exponent >= -6) {
      const padded = digits.padStart(scale + 1, '0')
      return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
    }
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits.charAt(0)}${fraction}E${exponent < 0 ? '' : '+'}${exponent}`
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.toString())
  }
}

/** What holds a number that a plain one would lose. */
export const isWrapped = (value: unknown): value is Float64 | Float32 | Decimal =>
  value instanceof Float64 || value instanceof Float32 || value instanceof Decimal

/** Whether a value is a number of any kind. */
export const isNumber = (value: unknown): value is number | bigint | Float64 | Float32 | Decimal =>
  typeof value === 'number' || typeof value === 'bigint' || isWrapped(value)

/** A 64-bit integer in the value model: a `number` where that is exact. */
export const toInteger = (value: number | bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

/** A double in the value model: wrapped where it would look like an integer. */
export const toDouble = (value: number): number | Float64 => (Number.isInteger(value) ? new Float64(value) : value)

/**
 * The value of a JSON number (RFC 8259 §6), exactly: an integer, a double (wrapped when it has no fraction), or a
 * {@link Decimal} when the text names another number than the nearest double's shortest text does.
 * @param text a well-formed JSON number
 * @throws RangeError beyond {@link maxNumberLength}, {@link maxIntegerBytes}, or an exponent beyond 32 bits
 */
export const parseNumber = (text: string): number | bigint | Float64 | Decimal => {
  const value = Number(text)
  if (text.length < 16 && /^-?\d+$/.test(text)) return Object.is(value, -0) ? new Float64(value) : value
  if (text.length > maxNumberLength) {
    throw new RangeError(`Cannot read a number of ${text.length} characters: at most ${maxNumberLength} are allowed`)
  }
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value) ? value : checkInteger(BigInt(text))
  if (Number.isFinite(value) && isSameNumber(text, Object.is(value, -0) ? '-0' : String(value))) {
    return Number.isInteger(value) ? new Float64(value) : value
  }
  const { sign, digits, exponent } = split(text)
  return new Decimal(checkInteger(BigInt(sign + digits)), 0 - exponent)
}

declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is: a number with more digits than a double has. */
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** -(2^(n-1)) … 2^(n-1)-1 is what n bits hold. */
const integerLimit = 1n << BigInt(maxIntegerBytes * 8 - 1)

const checkInteger = (value: bigint): bigint => {
  if (value < integerLimit && value >= -integerLimit) return value
  throw new RangeError(`Cannot read an integer of more than ${maxIntegerBytes} bytes`)
}

/** Digits alone would be read as an integer again. */
const withPoint = (text: string): string => (/^-?\d+$/.test(text) ? `${text}.0` : text)

/** Sign, all digits, and the power of ten of the last digit. */
const split = (text: string): { sign: string; digits: string; exponent: number } => {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  return { sign, digits: whole + fraction, exponent: Number(power) - fraction.length }
}

const isSameNumber = (a: string, b: string): boolean => a === b || normalized(a) === normalized(b)

const normalized = (text: string): string => {
  const { sign, digits, exponent } = split(text)
  const significant = digits.replace(/^0+/, '')
  if (significant === '') return `${sign}0`
  // Not a regular expression: one that looks for zeros at the end takes quadratic time on zeros in the middle.
  let end = significant.length
  while (significant.charCodeAt(end - 1) === 0x30) end -= 1
  return `${sign}${significant.slice(0, end)}e${exponent + significant.length - end}`
}
