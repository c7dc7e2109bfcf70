import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import { announcedBytesOf, arrivedBytesOf } from '../../http/body/arrived-bytes.ts'
import type { Call, Identity } from '../../http/call/call.ts'
import { smallBodyBytes } from '../../http/edge/linger.ts'
import { replayOf } from '../refused/replay.ts'
import { toSenderAddress } from '../refused/tell-refused.ts'
import type { CollectorSettings } from '../settings.ts'
import type { Quota, QuotaShare } from './quota.ts'

/** What says whose quota an HTTP request is in. */
export type QuotaParts = {
  readonly quota: Quota
  readonly settings: Current<Pick<CollectorSettings, 'clientAddress' | 'knowsCallers'>>
}

/** Lets a request in, and charges its sender for what it announces. @throws SluiceError `rate-limited` */
export const admitToQuota = (
  parts: QuotaParts,
  call: Call<unknown>,
  caller: Identity | undefined,
  announced = call.method === 'GET' ? call.target.length : announcedBytesOf(call),
): QuotaShare | undefined => parts.quota.admit(caller, () => toSenderAddress(parts, call), announced)

/** For a request that costs nothing. @throws SluiceError `rate-limited` */
export const lookAtQuota = (parts: QuotaParts, call: Call<unknown>): void => {
  const share = admitToQuota(parts, call, call.caller, 0)
  if (share) parts.quota.pay(share, 0, 0)
}

/**
 * Lets a request in that was refused before its route saw it, and charges it as one event.
 * @returns what it is refused with: `rate-limited` where its sender is over its quota
 */
export const payRefused = (parts: QuotaParts, call: Call<unknown>, error: unknown): unknown => {
  if (!isMistake(error) || replayOf(call)) return error
  try {
    admitToQuota(parts, call, call.caller, toDiscardedBytes(call))
    return error
  } catch (limited) {
    return limited
  }
}

/** What came with a request and may hold events: its query or its body. */
export const sentBytesOf = (call: Call<unknown>): number =>
  call.method === 'GET' ? call.target.length : arrivedBytesOf(call)

/** Of a body that is not read a small one comes all the same, and a large one no further than that. */
const toDiscardedBytes = (call: Call<unknown>): number =>
  sentBytesOf(call) || Math.min(announcedBytesOf(call), smallBodyBytes)

/** Whether a request is refused for what it is. */
export const isMistake = (error: unknown): boolean =>
  error instanceof SluiceError && error.status < 500 && error.code !== 'rate-limited'
