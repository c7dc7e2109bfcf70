// node:fs
import { type Dirent, lstat, type Stats } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { compareNames } from '../path.ts'

/** Names that are read at once: few enough that taking them over does not keep the event loop. */
const namesAtOnce = 4_096

/** Entries that are looked at at the same time. */
const looksAtOnce = 32

/**
 * The names in a directory that come behind `startAfter`, in any order. By callbacks: a promise for each would cost as much
 * as the reading.
 */
export const readNames = async (directory: string, startAfter: string | undefined): Promise<string[]> => {
  const opened = await opendir(directory, { bufferSize: namesAtOnce })
  try {
    return await new Promise((resolve, reject) => {
      const names: string[] = []
      const take = (error: Error | null, entry: Dirent | null): void => {
        if (error) reject(error)
        else if (entry === null) resolve(names)
        else {
          if (startAfter === undefined || compareNames(entry.name, startAfter) > 0) names.push(entry.name)
          opened.read(take)
        }
      }
      opened.read(take)
    })
  } finally {
    await opened.close()
  }
}

/** What `look` finds of each name, in their order and some at a time; the next ones are looked at while these are taken. */
export async function* lookAtAll<T>(
  runs: Iterable<readonly string[]>,
  look: (name: string) => Promise<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  let current: Promise<readonly T[]> | undefined
  for (const names of runs) {
    for (let at = 0; at < names.length; at += looksAtOnce) {
      const next = Promise.all(names.slice(at, at + looksAtOnce).map(look))
      // Fails when its turn comes, or never, when nobody wants the rest.
      next.catch(() => {})
      if (current) yield await current
      current = next
    }
  }
  if (current) yield await current
}

/** As that of `node:fs/promises`, which takes half as long again. */
export const lookAtEntry: (path: string) => Promise<Stats> = promisify(lstat)
