import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import type { Identity } from '../../http/call/call.ts'
import { toBlock } from './address-block.ts'
import type { QuotaBy, QuotaSettings } from './quota-settings.ts'
import { createToRateLimited, type ToRateLimited } from './rate-limited.ts'
import { createQuotaMemory, createSenderBuckets, type Owed } from './sender-buckets.ts'

/** Whose share of the collector events take: a token, or a block of addresses. */
export type QuotaSender = { readonly by: QuotaBy; readonly name: string }

/** What a request takes of its sender's quota, from its admission on. */
export type QuotaShare = {
  readonly sender: QuotaSender
  /** Of the buckets of its sender. */
  readonly key: string
  /** The limits at its admission. */
  readonly quota: QuotaSettings
  /** By how much more its sender owes since then. */
  readonly owed: Owed
}

/** Hears that a request of a sender was refused, because it is over its quota. */
export type TellSlowed = (sender: QuotaSender) => void

/**
 * What one sender may send, over all threads. A sender is let in while it has anything left, before its body is read, and is
 * charged at once for what it announces: so requests at the same time do not all have the same rest. When its events are known
 * it is charged for those instead, whatever becomes of them. So a request is never cut, and one that is larger than what is left is
 * taken as a whole: its sender owes the rest, for a minute at most.
 */
export type Quota = {
  /**
   * Whose events these will be; undefined where senders are not limited.
   * @param caller the owner of the token, if there was one
   * @param addressOf the client's address; empty for a call within the process, which is not limited
   * @param announced bytes; 0 where that is not known. It counts as one event; undefined charges nothing yet
   * @throws SluiceError `rate-limited`
   */
  admit(caller: Identity | undefined, addressOf: () => string, announced: number | undefined): QuotaShare | undefined
  /**
   * Charges the actual size in place of the announced one.
   * @param bytes decompressed where they were
   * @returns the share with that
   * @throws SluiceError `rate-limited` where that is more, and other requests have used up meanwhile what was left: it
   *   pays as one event then
   */
  settle(share: QuotaShare, events: number, bytes: number): QuotaShare
  /** The same of a request that is refused: it pays, whatever is left. */
  pay(share: QuotaShare, events: number, bytes: number): void
  /**
   * The same of one that is over a quota, be it that of this share or of another one.
   * @returns the refusal, which counts in what is paid: a sender that waits as it says is let in
   */
  payRefused(share: QuotaShare, events: number, bytes: number, refusal: unknown): unknown
  /** Senders that still owed something when others took their places in the table, since the start. */
  readonly forgotten: number
}

/** Whatever a sender sent, it waits no longer than this until it is let in again. */
const maxWaitSeconds = 60

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
  /** Without what the request itself was charged for. @throws SluiceError `rate-limited` */
  const look = ({ sender, key, quota, owed }: QuotaShare): void => {
    const { events, bytes } = buckets.owedBy(key, nowNs())
    const error = refusalsOf(quota)({ events: events - owed.events, bytes: bytes - owed.bytes })
    if (error === undefined) return
    tellSlowed(sender)
    throw error
  }
  const charge = ({ key, quota, owed }: QuotaShare, cost: Owed): Owed =>
    buckets.charge(key, nowNs(), {
      cost: { events: cost.events - owed.events, bytes: cost.bytes - owed.bytes },
      most: (quota.burstSeconds + maxWaitSeconds) * 1e9,
    })
  const pay = (share: QuotaShare, events: number, bytes: number): void =>
    void charge(share, toCost(share.quota, events, bytes))
  const payRefused = (share: QuotaShare, events: number, bytes: number, refusal: unknown): unknown => {
    pay(share, events, bytes)
    return laterOf(refusal, refusalsOf(share.quota)(buckets.owedBy(share.key, nowNs())))
  }
  return {
    admit(caller, addressOf, announced) {
      const { quota } = settings()
      if (quota === undefined) return undefined
      const sender = findSender(quota, caller, addressOf)
      if (sender === undefined) return undefined
      const share: QuotaShare = { sender, key: toText(quota, sender), quota, owed: nothing }
      look(share)
      return announced === undefined ? share : { ...share, owed: charge(share, toCost(quota, 1, announced)) }
    },
    settle(share, events, bytes) {
      const { quota, owed } = share
      const cost = toCost(quota, events, bytes)
      if (cost.events > owed.events || cost.bytes > owed.bytes) {
        try {
          look(share)
        } catch (refusal) {
          throw payRefused(share, 1, bytes, refusal)
        }
      } else if (cost.events === owed.events && cost.bytes === owed.bytes) return share
      const more = charge(share, cost)
      return { ...share, owed: { events: owed.events + more.events, bytes: owed.bytes + more.bytes } }
    },
    pay,
    payRefused,
    get forgotten() {
      return buckets.forgotten
    },
  }
}

/** Of two refusals the one that says to wait longer. */
const laterOf = (refusal: unknown, other: SluiceError | undefined): unknown =>
  other === undefined || waitOf(refusal) >= waitOf(other) ? refusal : other

const waitOf = (refusal: unknown): number =>
  refusal instanceof SluiceError ? Number(refusal.headers['retry-after'] ?? 0) : Number.POSITIVE_INFINITY

const nothing: Owed = { events: 0, bytes: 0 }

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

/** With other limits it starts over: its debt is a time, by the old limits. */
const toText = ({ eventsPerSecond, bytesPerSecond, burstSeconds }: QuotaSettings, { by, name }: QuotaSender): string =>
  `${eventsPerSecond} ${bytesPerSecond} ${burstSeconds} ${by} ${name}`

/** The time in which the share of a sender makes good for this. */
const toCost = ({ eventsPerSecond, bytesPerSecond }: QuotaSettings, events: number, bytes: number): Owed => ({
  events: toNs(events, eventsPerSecond),
  bytes: toNs(bytes, bytesPerSecond),
})

const toNs = (amount: number, perSecond: number | undefined): number =>
  perSecond === undefined ? 0 : Math.ceil((amount / perSecond) * 1e9)
