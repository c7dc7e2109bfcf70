import { Float64 } from './number.ts'

/** A 64-bit integer in the value model: a `number` where that is exact. */
export const toInteger = (value: number | bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

/** A double in the value model: wrapped where it would look like an integer. */
export const toDouble = (value: number): number | Float64 => (Number.isInteger(value) ? new Float64(value) : value)
