import { stringifyJson } from '../../../src/formats/json.ts'
import { isWrapped, type Value } from '../../../src/formats/number.ts'

/** A value of a row for people, on one line: as the file has it, no number rounded. */
export const toCellText = (value: Value): string => {
  if (value === null) return '–'
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every(isScalar)) return value.map(toCellText).join(', ')
  return stringifyJson(value)
}

const isScalar = (value: Value): boolean => typeof value !== 'object' || value === null || isWrapped(value)
