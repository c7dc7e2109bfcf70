import type { RequestIdentity } from '../batch.ts'
import { eventIdAt, eventIdBytes } from '../event-ids.ts'
import type { KnownKey } from '../spool.ts'

/** What identifies the requests whose batches are on their way to the disk. */
export type InFlight = {
  /** From now on until it has landed this is on its way. */
  begin(identity: RequestIdentity): Flight
  find(key: string): KnownKey | undefined
  /**
   * Resolves when none of the batches is on its way any more that have one of these ids now; to whether all of them
   * were kept. Undefined without such a batch.
   */
  ahead(ids: Uint8Array): Promise<boolean> | undefined
}

/** One batch on its way; its end is reported once, and frees what identifies it. */
export type Flight = { kept(): void; failed(error: unknown): void }

export const createInFlight = (): InFlight => {
  const keys = new Map<string, KnownKey>()
  const ids = new Map<string, Promise<boolean>>()

  return {
    begin: ({ idempotency, eventIds }) => {
      const { promise: outcome, resolve, reject } = Promise.withResolvers<void>()
      // There may be no waiter: the request itself reports the failure.
      const landing = outcome.then(
        () => true,
        () => false,
      )
      const held = eventIds ? toTexts(eventIds) : []
      for (const id of held) ids.set(id, landing)
      if (idempotency) {
        const { key, fingerprint } = idempotency
        const answer = outcome.then(() => idempotency.outcome)
        answer.catch(() => {})
        keys.set(key, { matches: other => other === fingerprint, isKept: false, outcome: answer })
      }
      const land = (): void => {
        if (idempotency) keys.delete(idempotency.key)
        for (const id of held) ids.delete(id)
      }
      return {
        kept: () => {
          land()
          resolve()
        },
        failed: error => {
          land()
          reject(error)
        },
      }
    },
    find: key => keys.get(key),
    ahead: wanted => {
      if (ids.size === 0) return undefined
      const landings = new Set<Promise<boolean>>()
      for (const id of toTexts(wanted)) {
        const landing = ids.get(id)
        if (landing) landings.add(landing)
      }
      return landings.size === 0 ? undefined : Promise.all(landings).then(all => all.every(isKept => isKept))
    },
  }
}

const toTexts = (ids: Uint8Array): string[] => {
  const texts: string[] = []
  for (let i = 0; i < ids.length / eventIdBytes; i++) {
    const text = eventIdAt(ids, i)
    if (text !== undefined) texts.push(text)
  }
  return texts
}
