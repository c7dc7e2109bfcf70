import { isObject, toName } from '../formats/members.ts'
import { Decimal, isWrapped } from '../formats/number.ts'
import { toBuffer } from '../formats/to-buffer.ts'

/**
 * A value of the value model as schemas are held against it: plain JSON, in which an integer beyond 2^53 is a bigint and
 * a number with a fraction the double that is nearest to it. Binary is its base64 text, as in JSON that is written of it.
 * What is plain already is given back as it is.
 */
export const toJudged = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (isWrapped(value)) return value instanceof Decimal ? toNumber(value) : value.value
  if (value instanceof Uint8Array) return toBuffer(value).toString('base64')
  if (Array.isArray(value)) return toJudgedList(value)
  return isObject(value) ? toJudgedObject(value) : value
}

const toJudgedList = (list: readonly unknown[]): readonly unknown[] => {
  const judged = list.map(toJudged)
  return judged.every((one, index) => one === list[index]) ? list : judged
}

const toJudgedObject = (object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  let other: Record<string, unknown> | undefined
  for (const key in object) {
    const judged = toJudged(object[key])
    const name = toName(key)
    if (other === undefined && judged === object[key] && name === key) continue
    // From the first that differs on: the members before it are as they were.
    other ??= { ...object }
    if (name !== key) delete other[key]
    setOwn(other, name, judged)
  }
  return other ?? object
}

/** Sets a member whatever its name is: `__proto__` is one like any other. */
export const setOwn = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** Zeros of a whole decimal beyond which it is only as exact as a double: as many as the largest double has digits. */
const maxZeros = 400

const toNumber = (decimal: Decimal): number | bigint => {
  const { unscaled, scale } = decimal
  if (Math.abs(scale) > maxZeros) return decimal.valueOf()
  const power = 10n ** BigInt(Math.abs(scale))
  if (scale <= 0) return toSafe(unscaled * power)
  return unscaled % power === 0n ? toSafe(unscaled / power) : decimal.valueOf()
}

const toSafe = (whole: bigint): number | bigint => {
  const number = Number(whole)
  return Number.isSafeInteger(number) ? number : whole
}
