import { stringifyJson } from '../../../src/formats/json.ts'
import { isWrapped, type Value } from '../../../src/formats/number.ts'

/** A value of a row for people, on one line: as the file has it, no number rounded. */
export const toCellText = (value: Value): string => {
  if (value === null) return '–'
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every(isScalar)) return value.map(toCellText).join(', ')
  return stringifyJson(value)
}

/** Whether a value is a number or a time, as text too, as CSV has them: a part of it would look like another one. */
export const isNumberOrTime = (value: Value): boolean =>
  typeof value === 'string' ? numberOrTime.test(value) : isScalar(value) && value !== null && typeof value !== 'boolean'

/** `-1.5e3`; `2026-11-25`, `2026-11-25T10:20:30.5Z`. */
const numberOrTime =
  /^(?:[+-]?\d[\d.]{0,80}(?:[eE][+-]?\d{1,9})?|\d{4}-\d\d-\d\d(?:[T ][\d:.,]{4,20}(?:Z|[+-]\d\d:?\d\d)?)?)$/

const isScalar = (value: Value): boolean => typeof value !== 'object' || value === null || isWrapped(value)
