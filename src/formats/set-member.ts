import type { Value } from './number.ts'

/** Sets an own member, the last of equal names; `__proto__` is a name like any other, as for `JSON.parse`. */
export const setMember = (object: { [key: string]: Value }, name: string, value: Value): void => {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}
