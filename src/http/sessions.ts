import { hash, randomBytes } from 'node:crypto'
import type { TokenEntry } from './token-file.ts'

/** The logins of browsers: in memory, so that they end with the process. */
export type Sessions = {
  /** @returns the id, 256 random bits, for the cookie */
  open(entry: TokenEntry): string
  /** With which token it was opened; nothing for an unknown id, or one that was not used for too long. */
  find(id: string): TokenEntry | undefined
  end(id: string): void
}

/** A login that is not used for so long has ended. */
export const maxIdleMs = 12 * 3_600_000
/** Logins with one token; the one that was unused for longest makes room. There are at most 1 000 tokens. */
export const maxSessionsOfToken = 100

/** @param now monotonic, in ms */
export const createSessions = (now: () => number): Sessions => {
  /** By the hash of the id, so that how long a search takes says nothing of one; the least recently used first. */
  const sessions = new Map<string, { readonly entry: TokenEntry; readonly usedAt: number }>()
  const touch = (key: string, entry: TokenEntry): void => {
    sessions.delete(key)
    sessions.set(key, { entry, usedAt: now() })
  }
  /** What came before is older still. */
  const reap = (): void => {
    for (const [key, { usedAt }] of sessions) {
      if (now() - usedAt < maxIdleMs) return
      sessions.delete(key)
    }
  }
  return {
    open: entry => {
      reap()
      const own = [...sessions].filter(one => one[1].entry === entry)
      if (own.length >= maxSessionsOfToken && own[0]) sessions.delete(own[0][0])
      const id = randomBytes(32).toString('base64url')
      touch(toKey(id), entry)
      return id
    },
    find: id => {
      reap()
      const key = toKey(id)
      const entry = sessions.get(key)?.entry
      if (entry !== undefined) touch(key, entry)
      return entry
    },
    end: id => void sessions.delete(toKey(id)),
  }
}

const toKey = (id: string): string => hash('sha256', id, 'base64')
