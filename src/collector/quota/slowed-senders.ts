import type { QuotaSender } from './quota.ts'

/** A sender that was over its quota. */
export type SlowedSender = QuotaSender & {
  /** Requests of it that were refused for that. */
  readonly requests: number
  /** When the first and the last of these arrived, ms since the epoch. */
  readonly since: number
  readonly last: number
}

/**
 * Senders over the quota in the last hour: at most {@link maxListedSenders}: those of now, and of the others those with
 * the most refused requests.
 */
export type SlowedSenders = {
  add(sender: QuotaSender, requests: number): void
  /** Those with most refused requests first. */
  list(): readonly SlowedSender[]
  /** Those of them that were refused in the last ten seconds, at most ten. */
  current(): readonly SlowedSender[]
}

/** The most senders known by name. */
export const maxListedSenders = 100

const hourMs = 3_600_000
const currentMs = 10_000
const maxCurrent = 10

/** @param now wall clock, in ms */
export const createSlowedSenders = (now: () => number): SlowedSenders => {
  const senders = new Map<string, SlowedSender>()
  const forgetOld = (): void => {
    const until = now() - hourMs
    for (const [key, { last }] of senders) if (last < until) senders.delete(key)
  }
  /** Those that are not slowed now go first, so that two who are do not push each other out; of these, who was refused least. */
  const makeRoom = (): void => {
    forgetOld()
    if (senders.size < maxListedSenders) return
    const from = now() - currentMs
    const goesBefore = (a: SlowedSender, b: SlowedSender): boolean => {
      const isCurrent = a.last >= from
      return isCurrent === b.last >= from ? a.requests < b.requests : !isCurrent
    }
    let least: readonly [string, SlowedSender] | undefined
    for (const one of senders) if (least === undefined || goesBefore(one[1], least[1])) least = one
    if (least !== undefined) senders.delete(least[0])
  }
  const list = (): readonly SlowedSender[] => {
    forgetOld()
    return [...senders.values()].sort((a, b) => b.requests - a.requests)
  }
  return {
    add({ by, name }, requests) {
      const key = `${by} ${name}`
      const known = senders.get(key)
      if (known === undefined && senders.size >= maxListedSenders) makeRoom()
      const last = now()
      senders.set(key, { by, name, requests: (known?.requests ?? 0) + requests, since: known?.since ?? last, last })
    },
    list,
    current() {
      const from = now() - currentMs
      return list()
        .filter(({ last }) => last >= from)
        .slice(0, maxCurrent)
    },
  }
}
