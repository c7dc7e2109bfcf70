import type { Current } from '../../current.ts'
import type { Identity } from '../../http/call/call.ts'
import { toBlock } from './address-block.ts'
import type { QuotaBy, QuotaSettings } from './quota-settings.ts'
import { createToRateLimited, type ToRateLimited } from './rate-limited.ts'
import { createQuotaMemory, createSenderBuckets } from './sender-buckets.ts'

/** Whose share of the collector events take: a token, or a block of addresses. */
export type QuotaSender = { readonly by: QuotaBy; readonly name: string }

/** Hears that a request of a sender was refused, because it is over its quota. */
export type TellSlowed = (sender: QuotaSender) => void

/**
 * What one sender may send, over all threads. A sender is let in while it has anything left, before its body is read, and is
 * charged when its events are known, whatever becomes of them. So a request is never cut, one that is larger than what
 * is left is taken as a whole, and its sender owes the rest: it is refused until that time is over.
 */
export type Quota = {
  /**
   * Whose events these will be; undefined where senders are not limited.
   * @param caller who has shown a token, if anybody has
   * @param addressOf the client's address; empty for a call within the process, which is not limited
   * @throws SluiceError `rate-limited`
   */
  admit(caller: Identity | undefined, addressOf: () => string): QuotaSender | undefined
  /** @param bytes that came, decompressed where they were */
  charge(sender: QuotaSender, events: number, bytes: number): void
  /** Senders that still owed something when others took their places in the table, since the start. */
  readonly forgotten: number
}

export type QuotaOptions = {
  readonly settings: Current<{ readonly quota: QuotaSettings | undefined }>
  /** As of `createQuotaMemory`, of all threads. @default of this thread alone */
  readonly memory?: SharedArrayBuffer | undefined
  readonly tellSlowed: TellSlowed
  /** Monotonic, the same in all threads, in ns. @default the system's */
  readonly nowNs?: (() => bigint) | undefined
}

export const createQuota = ({ settings, memory, tellSlowed, nowNs = systemNs }: QuotaOptions): Quota => {
  const buckets = createSenderBuckets(memory ?? createQuotaMemory())
  let made: { readonly of: QuotaSettings; readonly toRateLimited: ToRateLimited } | undefined
  const refusalsOf = (quota: QuotaSettings): ToRateLimited => {
    if (made?.of !== quota) made = { of: quota, toRateLimited: createToRateLimited(quota) }
    return made.toRateLimited
  }
  return {
    admit(caller, addressOf) {
      const { quota } = settings()
      if (quota === undefined) return undefined
      const sender = findSender(quota, caller, addressOf)
      if (sender === undefined) return undefined
      const error = refusalsOf(quota)(buckets.owedBy(toText(quota, sender), nowNs()))
      if (error === undefined) return sender
      tellSlowed(sender)
      throw error
    },
    charge(sender, events, bytes) {
      const { quota } = settings()
      if (quota === undefined) return
      const cost = { events: toNs(events, quota.eventsPerSecond), bytes: toNs(bytes, quota.bytesPerSecond) }
      buckets.charge(toText(quota, sender), nowNs(), cost)
    },
    get forgotten() {
      return buckets.forgotten
    },
  }
}

const systemNs = (): bigint => process.hrtime.bigint()

/** An unchecked key says nothing: without a token the address counts. */
const findSender = (
  quota: QuotaSettings,
  caller: Identity | undefined,
  addressOf: () => string,
): QuotaSender | undefined => {
  if (quota.by === 'token' && caller !== undefined) return { by: 'token', name: caller.name }
  const address = addressOf()
  return address === '' ? undefined : { by: 'address', name: toBlock(address, quota) }
}

/** With other limits it begins anew: what it owes is time, by the old ones. */
const toText = ({ eventsPerSecond, bytesPerSecond }: QuotaSettings, { by, name }: QuotaSender): string =>
  `${eventsPerSecond} ${bytesPerSecond} ${by} ${name}`

/** The time in which a share of so much a second makes good for this. */
const toNs = (amount: number, perSecond: number | undefined): number =>
  perSecond === undefined ? 0 : (amount / perSecond) * 1e9
