import { Buffer } from 'node:buffer'
import { isObject } from '../../../formats/members.ts'
import type { Value } from '../../../formats/number.ts'
import type { Row } from '../../../rows/row.ts'

/** What values of other kinds take, about. */
const valueBytes = 16

/** Shorter strings are copied by the engine itself. */
const minSlice = 13

/** A row that outlives its batch: its texts no longer hold on to those they were cut from. */
export const keepRow = ({ names, values }: Row): Row => ({ names, values: values.map(detach) })

/** Only texts of the top level are cut from a batch; all others were made from bytes one by one. */
export const detach = (value: Value): Value =>
  typeof value === 'string' && value.length >= minSlice ? Buffer.from(value, 'utf16le').toString('utf16le') : value

/** About how many bytes a row takes. */
export const weighRow = ({ values }: Row): number => values.reduce<number>((sum, value) => sum + weigh(value), 0)

const weigh = (value: Value): number => {
  if (typeof value === 'string') return valueBytes + 2 * value.length
  if (value instanceof Uint8Array) return valueBytes + value.length
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + weigh(one), valueBytes)
  return isObject(value) ? weigh(Object.values(value)) : valueBytes
}
