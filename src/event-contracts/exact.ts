/** Numbers of judged values compared by what they are: a number is a double or an integer within 2^53, a bigint any other integer. */

/** A number of a schema or of a judged value. */
export type ExactNumber = number | bigint

/** Whether JSON text with other digits may have been read as this double. */
export const mayBeRounded = (value: unknown): boolean =>
  typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)

/** Whether a number is whole. */
export const isWhole = (value: ExactNumber): boolean => typeof value === 'bigint' || Number.isInteger(value)

/** Whether one number is a multiple of another, both as the decimals that their digits name. */
export const isMultipleOf = (value: ExactNumber, of: ExactNumber): boolean => {
  if (typeof value === 'number' && typeof of === 'number') {
    if (!Number.isFinite(value)) return false
    if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0
  }
  const [a, aPower] = toDecimal(value)
  const [b, bPower] = toDecimal(of)
  // a × 10^aPower over b × 10^bPower is whole.
  const shift = BigInt(Math.abs(aPower - bPower))
  return aPower >= bPower ? (a * 10n ** shift) % b === 0n : a % (b * 10n ** shift) === 0n
}

/** Digits, and the power of ten of the last one: within the range of doubles. */
const toDecimal = (value: ExactNumber): readonly [digits: bigint, power: number] => {
  if (typeof value === 'bigint') return [value, 0]
  const [, sign = '', whole = '0', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? []
  return [BigInt(sign + whole + fraction), Number(power) - fraction.length]
}

/**
 * A text that two judged values share exactly when they are equal: names in order, numbers by their value.
 * @param visit hears of each value
 */
export const toValueKey = (value: unknown, visit: (value: unknown) => void): string => {
  visit(value)
  if (Array.isArray(value)) return `[${value.map(one => toValueKey(one, visit)).join()}]`
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${toValueKey(one, visit)}`).join()}}`
}
