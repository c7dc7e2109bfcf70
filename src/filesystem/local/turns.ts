/** Lets one at a time do its work for a key, in order of arrival. */
export type PathTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Remembers the keys of those only who work or wait. */
export const createPathTurns = (): PathTurns => {
  const last = new Map<string, Promise<void>>()
  return async (key, work) => {
    const before = last.get(key)
    const { promise: done, resolve } = Promise.withResolvers<void>()
    last.set(key, done)
    try {
      await before
      return await work()
    } finally {
      if (last.get(key) === done) last.delete(key)
      resolve()
    }
  }
}
