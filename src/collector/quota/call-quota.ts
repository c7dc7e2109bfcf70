import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import { announcedBytesOf, arrivedBytesOf } from '../../http/body/arrived-bytes.ts'
import type { Call, Identity } from '../../http/call/call.ts'
import { keysOf } from '../formats/doors.ts'
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
): QuotaShare | undefined =>
  admit(parts, call, caller, hasKeyWithin(parts, call, caller) ? undefined : announcedOf(call))

/** For a request that costs nothing. @throws SluiceError `rate-limited` */
export const lookAtQuota = (parts: QuotaParts, call: Call<unknown>): void => {
  admit(parts, call, call.caller, undefined)
}

const admit = (
  parts: QuotaParts,
  call: Call<unknown>,
  caller: Identity | undefined,
  announced: number | undefined,
): QuotaShare | undefined => parts.quota.admit(caller, () => toSenderAddress(parts, call), announced)

/** Only the body will say who sends it: many senders behind one address would share one quota meanwhile. */
const hasKeyWithin = ({ settings }: QuotaParts, call: Call<unknown>, caller: Identity | undefined): boolean =>
  caller === undefined && settings().knowsCallers && keysOf(call.operationId).length > 0

const announcedOf = (call: Call<unknown>): number =>
  call.method === 'GET' ? call.target.length : announcedBytesOf(call)

/** The part of a request that may hold events: its query or its body. */
export const sentBytesOf = (call: Call<unknown>): number =>
  call.method === 'GET' ? call.target.length : arrivedBytesOf(call)

/** Whether a request is refused for what it is. */
export const isMistake = (error: unknown): boolean =>
  error instanceof SluiceError && error.status < 500 && error.code !== 'rate-limited'
