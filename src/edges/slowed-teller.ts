import type { QuotaSender, TellSlowed } from '../collector/quota/quota.ts'
import { startTimeout } from '../runtime/timers.ts'

/** Senders that were over their quota, and how many requests of each were refused. */
export type SlowedRequests = readonly (readonly [QuotaSender, requests: number])[]

/** A message for each refusal would cost more than the refusal. */
const tellEveryMs = 100

/** Senders reported at a time: each is seen again soon. */
const maxTold = 1_000

/** Counts for a while who is over the quota, before it reports. */
export const createSlowedTeller = (tell: (slowed: SlowedRequests) => void): TellSlowed => {
  let slowed = new Map<string, [QuotaSender, requests: number]>()
  const tellAll = (): void => {
    const told = [...slowed.values()]
    slowed = new Map()
    tell(told)
  }
  return sender => {
    const key = `${sender.by} ${sender.name}`
    const known = slowed.get(key)
    if (known !== undefined) known[1]++
    else if (slowed.size < maxTold) {
      if (slowed.size === 0) startTimeout(tellAll, tellEveryMs).unref()
      slowed.set(key, [sender, 1])
    }
  }
}
