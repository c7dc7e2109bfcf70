import type { KeptKey } from './ledger-state.ts'

/** How many idempotency keys are remembered, how much memory they may take, and for how long. */
const maxKeys = 100_000
const maxBytes = 64 << 20
const maxAgeMs = 24 * 3_600_000

/** The idempotency keys of the recent past; the oldest make room for new ones. */
export type KeyWindow = {
  add(key: KeptKey): void
  find(key: string, now: number): KeptKey | undefined
  values(): KeptKey[]
}

export const createKeyWindow = (): KeyWindow => {
  // A map remembers the order of insertion: its first key is the oldest.
  const keys = new Map<string, KeptKey>()
  let bytes = 0

  const remove = (key: KeptKey): void => {
    keys.delete(key.key)
    bytes -= sizeOf(key)
  }
  return {
    add: key => {
      const known = keys.get(key.key)
      if (known) remove(known)
      keys.set(key.key, key)
      bytes += sizeOf(key)
      for (const oldest of keys.values()) {
        if (keys.size <= maxKeys && bytes <= maxBytes && key.at - oldest.at <= maxAgeMs) break
        remove(oldest)
      }
    },
    find: (key, now) => {
      const known = keys.get(key)
      return known && now - known.at <= maxAgeMs ? known : undefined
    },
    values: () => [...keys.values()],
  }
}

const sizeOf = ({ key, fingerprint, outcome }: KeptKey): number =>
  200 + key.length + fingerprint.length + outcome.errors.reduce((sum, error) => sum + 100 + error.detail.length, 0)
