import { hash, randomBytes } from 'node:crypto'
import type { CallerRule } from './caller-rule.ts'
import type { TokenEntry } from './token-file.ts'

/** The logins of browsers: in memory, so that they end with the process. */
export type Sessions = {
  /** @returns the id, 256 random bits, for the cookie */
  open(holder: Holder): string
  /** Whose it is; nothing for an unknown id, or one that was not used for too long, or is of a ticket and too old. */
  find(id: string): Holder | undefined
  end(id: string): void
}

/** Whose a session is: of a token, or of a subject whom a rule made a caller. */
export type Holder = TokenEntry | { readonly subject: string; readonly rule: CallerRule }

/** A login that is not used for so long has ended. */
export const maxIdleMs = 12 * 3_600_000
/**
 * A session with a ticket ends after this long, used or not: a principal that the KDC no longer knows has to lose
 * access. The same as in Hadoop.
 */
export const maxTicketSessionMs = 10 * 3_600_000
/** Logins with one token, or of one subject; the one that was unused for longest makes room. */
export const maxSessionsOfOne = 100
/** Of all; the same goes for them. */
export const maxSessions = 20_000

type Session = { readonly holder: Holder; readonly openedAt: number; readonly usedAt: number }

/** @param now monotonic, in ms */
export const createSessions = (now: () => number): Sessions => {
  /** By the hash of the id, so that how long a search takes says nothing of one; the least recently used first. */
  const sessions = new Map<string, Session>()
  /** The same keys, in the same order, for each holder. */
  const keysOf = new Map<TokenEntry | string, Set<string>>()

  const put = (key: string, session: Session): void => {
    sessions.set(key, session)
    const owner = toOwner(session.holder)
    const keys = keysOf.get(owner) ?? new Set()
    keysOf.set(owner, keys.add(key))
  }
  const remove = (key: string): void => {
    const session = sessions.get(key)
    if (session === undefined) return
    sessions.delete(key)
    const owner = toOwner(session.holder)
    const keys = keysOf.get(owner)
    keys?.delete(key)
    if (keys?.size === 0) keysOf.delete(owner)
  }
  /** Earlier ones are older still. */
  const reap = (): void => {
    for (const [key, { usedAt }] of sessions) {
      if (now() - usedAt < maxIdleMs) return
      remove(key)
    }
  }
  const makeRoom = (keys: Map<string, unknown> | Set<string>, most: number): void => {
    const [oldest] = keys.keys()
    if (keys.size >= most && oldest !== undefined) remove(oldest)
  }
  return {
    open: holder => {
      reap()
      makeRoom(keysOf.get(toOwner(holder)) ?? new Set(), maxSessionsOfOne)
      makeRoom(sessions, maxSessions)
      const id = randomBytes(32).toString('base64url')
      put(toKey(id), { holder, openedAt: now(), usedAt: now() })
      return id
    },
    find: id => {
      reap()
      const key = toKey(id)
      const session = sessions.get(key)
      if (session === undefined) return undefined
      remove(key)
      if ('rule' in session.holder && now() - session.openedAt >= maxTicketSessionMs) return undefined
      put(key, { ...session, usedAt: now() })
      return session.holder
    },
    end: id => remove(toKey(id)),
  }
}

const toOwner = (holder: Holder): TokenEntry | string => ('rule' in holder ? holder.subject : holder)

const toKey = (id: string): string => hash('sha256', id, 'base64')
