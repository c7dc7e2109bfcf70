/** What was known a moment ago, of a few. */
export type Recent<T> = {
  /** Undefined where it is too long ago. */
  find(key: string): T | undefined
  /** @returns the value */
  add(key: string, value: T): T
  forget(key: string): void
}

/** Keys that are known at a time; the one that was added first makes room. */
const maxKeys = 256

/** @param nowMs monotonic */
export const createRecent = <T>(maxAgeMs: number, nowMs: () => number = () => performance.now()): Recent<T> => {
  const known = new Map<string, { readonly value: T; readonly until: number }>()
  return {
    find: key => {
      const one = known.get(key)
      return one !== undefined && nowMs() <= one.until ? one.value : undefined
    },
    add: (key, value) => {
      known.delete(key)
      known.set(key, { value, until: nowMs() + maxAgeMs })
      const [oldest] = known.keys()
      if (known.size > maxKeys && oldest !== undefined) known.delete(oldest)
      return value
    },
    forget: key => void known.delete(key),
  }
}
