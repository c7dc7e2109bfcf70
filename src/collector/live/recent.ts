import type { LiveRejected, Sent } from './feed.ts'

/** Refused requests that are kept. */
export const maxRecent = 200

/** Bytes of what was sent that are kept of each in memory. */
export const maxSentBytes = 4_096

/** Bytes of what was sent that are stored of a refused request, or of one event of it. */
export const maxStoredBytes = 65_536

/** The newest refused requests, oldest first; what they take of memory is bounded. */
export type RecentRefusals = {
  add(rejected: LiveRejected): void
  list(): readonly LiveRejected[]
}

/** Keeps the newest {@link maxRecent}. */
export const createRecentRefusals = (): RecentRefusals => {
  const ring: LiveRejected[] = []
  let next = 0
  return {
    add: rejected => {
      ring[next] = rejected
      next = (next + 1) % maxRecent
    },
    list: () => [...ring.slice(next), ...ring.slice(0, next)],
  }
}

/** What is shown of it. A copy: the rest must not stay in memory. */
export const toShown = (sent: Sent | undefined): Sent | undefined =>
  sent && { bytes: new Uint8Array(sent.bytes.subarray(0, maxSentBytes)), length: sent.length }

/** The beginning of a request: a copy, since its memory is used again. */
export const toSent = (sent: string | Uint8Array): Sent => {
  const bytes = typeof sent === 'string' ? new TextEncoder().encode(sent) : sent
  // Not with its own `slice`: that of a Buffer copies nothing.
  return { bytes: new Uint8Array(bytes.subarray(0, maxStoredBytes)), length: bytes.length }
}
