type Method = (...args: readonly unknown[]) => unknown

/**
 * What a process sees of a file system, of a disk, or of a file of one. Once it is dead its calls do nothing and never
 * end, as after `kill -9`; the thing itself keeps working for others.
 * @param isDead is asked at each call
 */
export const createMortalView = <T extends object>(target: T, isDead: () => boolean): T => {
  const call = (name: PropertyKey, method: Method, args: readonly unknown[]): unknown => {
    if (name === 'listStatus' || name === 'stream' || name === 'names') return iterate(method, args)
    if (isDead()) return new Promise<never>(() => {})
    const result: unknown = Reflect.apply(method, target, args)
    return result instanceof Promise ? result.then(toView) : result
  }
  const iterate = async function* (method: Method, args: readonly unknown[]): AsyncGenerator<unknown> {
    if (isDead()) await new Promise<never>(() => {})
    const all: unknown = Reflect.apply(method, target, args)
    if (isIterable(all)) yield* all
  }
  const toView = (value: unknown): unknown => (isFacet(value) ? createMortalView(value, isDead) : value)
  return new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name)
      if (!isMethod(value)) return toView(value)
      return (...args: readonly unknown[]) => call(name, value, args)
    },
  })
}

/** Whether it has calls of its own. */
const isFacet = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).some(member => typeof member === 'function')

const isMethod = (value: unknown): value is Method => typeof value === 'function'

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
