import { isWrapped, type Value } from '../../src/formats/number.ts'

/** Far deeper than events are, and far from the end of the stack. */
const maxDepth = 200

/**
 * A copy in the value model of the formats: Dates in ms, members and elements that are undefined left out or null,
 * objects with `toJSON` as that says.
 * @throws TypeError a function, symbol, invalid Date, NaN or infinity, or more than 200 levels; `where` leads to it
 */
export const toValue = (value: unknown, where: string, depth = 0): Value => {
  if (depth > maxDepth) throw new TypeError(`Cannot send ${where}: it is nested deeper than ${maxDepth} levels`)
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new TypeError(`Cannot send ${where}: ${value} is not a number that JSON has`)
    case 'object':
      return value === null ? null : toObject(value, where, depth)
    default:
      throw new TypeError(`Cannot send ${where}: it is a ${typeof value}`)
  }
}

const toObject = (value: object, where: string, depth: number): Value => {
  if (value instanceof Uint8Array || isWrapped(value)) return value
  if (value instanceof Date) return toValue(value.getTime(), where, depth)
  if (Array.isArray(value)) {
    return value.map((element: unknown, index) => toValue(element ?? null, `${where}[${index}]`, depth + 1))
  }
  if (value instanceof Map || value instanceof Set) throw new TypeError(`Cannot send ${where}: it is a Map or Set`)
  if ('toJSON' in value && typeof value.toJSON === 'function') return toValue(value.toJSON(), where, depth + 1)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  // fromEntries defines own members, so that one named __proto__ stays a member.
  return Object.fromEntries(members.map(([name, member]) => [name, toValue(member, `${where}.${name}`, depth + 1)]))
}
