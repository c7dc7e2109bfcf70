import { eventIdBytes } from '../event-ids.ts'
import type { KnownKey } from '../spool.ts'
import type { KeyStore } from './key-store.ts'

/**
 * The requests and the events of spools that were set aside, until it is known who has them. They count as on their way: a sender that
 * repeats one of them is asked to retry, for it is neither certain that it was kept nor that it was not.
 */
export type Undecided = {
  /** @param theirs what such a spool knows @returns what ends that */
  add(theirs: Pick<KeyStore, 'find' | 'hasId'>): () => void
  find(key: string): KnownKey | undefined
  /** Resolves to false, as those do that were not kept, where one of these ids is among them; undefined where none is. */
  ahead(ids: Uint8Array): Promise<boolean> | undefined
}

export const createUndecided = (): Undecided => {
  const all = new Set<Pick<KeyStore, 'find' | 'hasId'>>()
  const isAmong = (ids: Uint8Array): boolean => {
    for (const theirs of all) for (let i = 0; i < ids.length / eventIdBytes; i++) if (theirs.hasId(ids, i)) return true
    return false
  }
  return {
    add: theirs => {
      all.add(theirs)
      return () => void all.delete(theirs)
    },
    find: key => {
      for (const theirs of all) {
        const found = theirs.find(key)
        if (!found) continue
        const outcome = Promise.reject(new Error('It is not known yet who has this request'))
        outcome.catch(() => {})
        return { matches: fingerprint => found.matches(fingerprint), isKept: false, outcome }
      }
      return undefined
    },
    ahead: ids => (isAmong(ids) ? Promise.resolve(false) : undefined),
  }
}
