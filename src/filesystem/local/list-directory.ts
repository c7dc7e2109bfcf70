// node:fs
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { compareNames } from '../path.ts'

/** Names that are read at once: few enough that taking them over does not keep the event loop. */
const namesAtOnce = 4_096

/** Entries that are looked at at the same time: few at first, so that these are there soon, */
const firstLooks = 32
/** and then more, as long as taking what was found of them over does not keep the event loop. */
const looksAtOnce = 128

/**
 * The names in a directory that sort after `startAfter`, in any order. By callbacks: a promise for each would cost as
 * much as the reading.
 */
export const readEntryNames = async (directory: string, startAfter: string | undefined): Promise<string[]> => {
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

/** Looks up one name, and reports what it finds, if anything; by a callback, for the same reason. */
export type Look<T> = (name: string, found: (error: unknown, entry?: T) => void) => void

/** What `look` finds of each name, in their order and some at a time; the next ones are looked at while these are taken. */
export async function* lookAtAll<T>(
  runs: Iterable<readonly string[]>,
  look: Look<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  let current: Promise<readonly T[]> | undefined
  let atOnce = firstLooks
  for (const names of runs) {
    for (let at = 0; at < names.length; at += atOnce) {
      atOnce = current ? looksAtOnce : firstLooks
      const next = lookAtSome(names.slice(at, at + atOnce), look)
      // Fails at its turn, or never, if the rest is not wanted.
      next.catch(() => {})
      if (current) yield await current
      current = next
    }
  }
  if (current) yield await current
}

const lookAtSome = <T>(names: readonly string[], look: Look<T>): Promise<readonly T[]> =>
  new Promise((resolve, reject) => {
    const entries: (T | undefined)[] = []
    let left = names.length
    for (const [at, name] of names.entries()) {
      look(name, (error, entry) => {
        if (error) return reject(error)
        entries[at] = entry
        if (--left === 0) resolve(entries.filter(found => found !== undefined))
      })
    }
  })
