import { fromMembers, isObject, toName } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'

/** Of one text, in characters. */
const maxTextChars = 1_000
/** Of one array. */
const maxElements = 50
/** Values, and characters of all texts and names together. */
const maxValues = 500
const maxChars = 16_384
const maxDepth = 8
/** Marks an omission. */
const mark = '…'

/** A value for people to look at: the beginning of what is long, with `…` where something was left out. */
export const cutValue = (value: Value): { readonly value: Value; readonly isCut: boolean } => {
  let values = maxValues
  let chars = maxChars
  let isCut = false
  const leaveOut = (): string => {
    isCut = true
    return mark
  }
  const takeText = (text: string): string => {
    const most = Math.min(maxTextChars, chars)
    chars -= Math.min(text.length, most)
    return text.length <= most ? text : text.slice(0, most) + leaveOut()
  }
  const take = (one: Value, depth: number): Value => {
    if (values-- <= 0 || depth > maxDepth) return leaveOut()
    if (typeof one === 'string') return takeText(one)
    if (one instanceof Uint8Array) {
      if (one.length <= maxTextChars) return one
      leaveOut()
      return one.subarray(0, maxTextChars)
    }
    if (Array.isArray(one)) {
      const taken = one.slice(0, maxElements).map(element => take(element, depth + 1))
      return one.length <= maxElements ? taken : [...taken, leaveOut()]
    }
    return isObject(one) ? takeMembers(one, depth) : one
  }
  const takeMembers = (object: { readonly [name: string]: Value }, depth: number): Value => {
    const members: [string, Value][] = []
    for (const name in object) {
      if (values <= 0 || chars <= 0) {
        members.push([mark, leaveOut()])
        break
      }
      members.push([takeText(toName(name)), take(object[name] ?? null, depth + 1)])
    }
    return fromMembers(members)
  }
  const taken = take(value, 0)
  return { value: taken, isCut }
}
