import { parseJson, stringifyJson } from '../json.ts'
import { isObject, toName } from '../members.ts'
import type { Value } from '../number.ts'
import { isList, isStruct, type Kind } from './kind.ts'

/** The text that a mixed column has for a value: texts as they are, so that readers find them; others as JSON. */
export const toMixed = (value: NonNullable<Value>): string => {
  if (typeof value === 'string') return value
  const json = stringifyJson(value)
  // Binary, NaN and the infinities are texts in JSON.
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}

/** The value for which a mixed column has a text, if {@link isAmbiguous} was false for it. */
export const fromMixed = (text: string): Value => {
  if (!mayBeJson.test(text)) return text
  try {
    const value = parseJson(text)
    return typeof value === 'string' ? text : value
  } catch {
    return text
  }
}

const mayBeJson = /^[\t\n\r ]*[-\d[{tfn]/

/** Whether a value holds a text that {@link fromMixed} would take for another value, such as `"5"`. */
export const isAmbiguous = (kind: Kind, value: Value): boolean => {
  if (kind === 'mixed') return typeof value === 'string' && fromMixed(value) !== value
  if (isList(kind)) return Array.isArray(value) && value.some(element => isAmbiguous(kind.list, element))
  if (!isStruct(kind) || !isObject(value)) return false
  for (const key in value) {
    const member = kind.struct.get(toName(key))
    if (member !== undefined && isAmbiguous(member, value[key] ?? null)) return true
  }
  return false
}

/** Whether a column, or a part of it, is mixed. */
export const hasMixed = (kind: Kind): boolean => {
  if (isList(kind)) return hasMixed(kind.list)
  return isStruct(kind) ? kind.struct.values().some(hasMixed) : kind === 'mixed'
}
