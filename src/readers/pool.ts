// node-only: child processes
import type { Reader } from './reader.ts'

/** Readers that share the work; each is started when it is needed first, and another one when it has ended. */
export type Pool = {
  /** The one that has least to do; of those that have the same, always the same for a path, because it knows its rows. */
  choose(path: string): Reader
  close(): Promise<void>
}

/** Makes a pool of `count` readers. @param start starts one */
export const createPool = (count: number, start: () => Reader): Pool => {
  const readers: (Reader | undefined)[] = Array.from({ length: count }, () => undefined)
  let isClosed = false

  const open = (index: number): Reader => {
    const known = readers[index]
    if (known) return known
    const reader = start()
    readers[index] = reader
    void reader.ended.then(() => {
      readers[index] = undefined
      // The next request is not to wait for it; one that cannot start is not to start all the time, but when it is asked.
      reader.ready.then(
        () => {
          if (!isClosed) open(index)
        },
        () => {},
      )
    })
    return reader
  }
  return {
    choose: path => {
      const first = toNumber(path) % count
      const order = Array.from({ length: count }, (_, index) => (first + index) % count)
      const readsOf = (index: number): number => readers[index]?.reads ?? 0
      return open(order.reduce((least, index) => (readsOf(index) < readsOf(least) ? index : least)))
    },
    close: async () => {
      isClosed = true
      await Promise.all(readers.map(async reader => await reader?.close()))
    },
  }
}

/** Some number for a text, always the same. */
const toNumber = (text: string): number => {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 1_000_003
  return sum
}
