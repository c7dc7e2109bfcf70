/**
 * The list of logs, the keeper of each and the counter that the keeper raises, in small objects that are overwritten. They
 * are hints: a write may arrive late, or never. The head of the journal decides.
 */

import { isRecord } from '../../is-record.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import { baseName } from '../path.ts'
import { inOnePiece } from '../publish/in-one-piece.ts'
import { temporaryName } from '../temporary-name.ts'
import type { ObjectStore } from './objects.ts'

export type Hint = { readonly keeper: string; readonly counter: number }

/** A hint, as it is in the store; one that is damaged says only that there may be a log. */
export type FoundHint = Partial<Hint> & {
  readonly id: string
  /** Modification time in the store, ms since the epoch. */
  readonly changedAt: number
}

export type Hints = {
  /** Undefined where the store has no hint. */
  read(id: string): Promise<FoundHint | undefined>
  write(id: string, hint: Hint): Promise<void>
  list(): Promise<readonly FoundHint[]>
  delete(id: string): Promise<void>
}

/** Hints that are read at a time. */
const atOnce = 8

/** @param directory that has them */
export const createHints = (store: ObjectStore, directory: string): Hints => {
  const pathOf = (id: string): string => `${directory}/${id}`

  const read = async (id: string): Promise<FoundHint | undefined> => {
    try {
      const { modificationTime } = await store.getFileStatus(pathOf(id))
      const bytes = Buffer.concat(await Array.fromAsync(await store.open(pathOf(id))))
      return { id, ...parseHint(bytes.toString()), changedAt: modificationTime }
    } catch (error) {
      if (hasCode(error, 'not-found')) return undefined
      throw error
    }
  }

  const ids = async (): Promise<readonly string[]> => {
    try {
      const entries = (await Array.fromAsync(store.listStatus(directory))).flat()
      const names = entries.flatMap(({ path, isDirectory }) => (isDirectory ? [] : [baseName(path)]))
      return names.filter(name => /^[\da-f]{32}$/.test(name))
    } catch (error) {
      if (hasCode(error, 'not-found')) return []
      throw error
    }
  }

  return {
    read,
    write: async (id, { keeper, counter }) => {
      const bytes = new TextEncoder().encode(`${JSON.stringify({ keeper, counter })}\n`)
      const attempt = { temporary: `${directory}/${temporaryName()}`, length: bytes.length, note: async () => {} }
      try {
        await store.publish(pathOf(id), inOnePiece(bytes), { attempt, overwrite: true })
      } catch (error) {
        // Callers take `not-found` as a log that was taken.
        if (hasCode(error, 'not-found')) throw refusal('unavailable', pathOf(id), 'create', 'the store is away', error)
        throw error
      }
    },
    list: async () => {
      const found: FoundHint[] = []
      const all = await ids()
      for (let first = 0; first < all.length; first += atOnce) {
        const lot = await Promise.all(all.slice(first, first + atOnce).map(read))
        found.push(...lot.filter(hint => hint !== undefined))
      }
      return found
    },
    delete: async id => void (await store.delete(pathOf(id))),
  }
}

const parseHint = (text: string): Partial<Hint> => {
  const { keeper, counter } = toRecord(text)
  return typeof keeper === 'string' && typeof counter === 'number' ? { keeper, counter } : {}
}

const toRecord = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
