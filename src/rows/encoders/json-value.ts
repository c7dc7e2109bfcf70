import { stringifyJson } from '../../formats/json.ts'
import { Decimal, Float32, Float64, type Value } from '../../formats/number.ts'

/** One column's value as JSON text. */
export const encodeJsonValue = (value: Value): string => {
  switch (typeof value) {
    case 'string':
      return needsEscape.test(value) ? JSON.stringify(value) : `"${value}"`
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      if (value === null) return 'null'
      if (value instanceof Float64 || value instanceof Float32) {
        return Number.isFinite(value.value) ? value.toString() : `"${value.toString()}"`
      }
      return value instanceof Decimal ? value.toString() : stringifyJson(value)
  }
}

/** Quotes, backslashes, control characters, and lone surrogates, for which UTF-8 has no bytes. */
const needsEscape = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
