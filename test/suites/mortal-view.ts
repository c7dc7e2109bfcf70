type Method = (...args: readonly unknown[]) => unknown

/**
 * What a process sees of a file system, of a disk, or of a file of one. Once it is dead its calls do nothing and never
 * end, as after `kill -9`; the thing itself keeps working for others.
 * @param isDead is asked at each call
 */
export const createMortalView = <T extends object>(target: T, isDead: () => boolean): T =>
  createSleepyView(target, () => (isDead() ? new Promise<never>(() => {}) : undefined))

/**
 * What a process sees that is stopped for a while before a call, as a machine that is suspended.
 * @param sleep is asked at each call; undefined: it continues at once
 */
export const createSleepyView = <T extends object>(target: T, sleep: () => Promise<void> | undefined): T => {
  const call = (name: PropertyKey, method: Method, args: readonly unknown[]): unknown => {
    if (name === 'listStatus' || name === 'stream' || name === 'names') return iterate(method, args)
    const run = (): unknown => Reflect.apply(method, target, args)
    const asleep = sleep()
    const result = asleep ? asleep.then(run) : run()
    return result instanceof Promise ? result.then(toView) : result
  }
  const iterate = async function* (method: Method, args: readonly unknown[]): AsyncGenerator<unknown> {
    await sleep()
    const all: unknown = Reflect.apply(method, target, args)
    if (isIterable(all)) yield* all
  }
  const toView = (value: unknown): unknown => (isFacet(value) ? createSleepyView(value, sleep) : value)
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
