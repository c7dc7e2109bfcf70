import { SluiceError, toErrorHeaders, toProblem } from '../../errors.ts'
import { createFixedResponse } from '../../http/answers/fixed-response.ts'
import { refusalHeaders } from '../doors/intake-headers.ts'
import type { QuotaSettings } from './quota-settings.ts'
import type { Owed } from './sender-buckets.ts'

/** The refusal of a sender that owes so much; undefined for one that has something left of its quota. */
export type ToRateLimited = (owed: Owed) => SluiceError | undefined

/** Refusals that are kept: a sender over its quota asks often, and hears of the same few seconds. */
const maxKept = 1_000

export const createToRateLimited = (quota: QuotaSettings): ToRateLimited => {
  const kept = new Map<string, SluiceError>()
  const { eventsPerSecond, bytesPerSecond, burstSeconds } = quota
  const policies: readonly Policy[] = [
    ...toPolicy('events', 'events', eventsPerSecond, burstSeconds),
    ...toPolicy('bytes', 'content-bytes', bytesPerSecond, burstSeconds),
  ]
  return owed => {
    const waits = policies.map(({ of }) => toWaitSeconds(owed[of], burstSeconds))
    if (waits.every(seconds => seconds === 0)) return undefined
    const key = waits.join()
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make(policies, waits)
    if (kept.size < maxKept) kept.set(key, made)
    return made
  }
}

/** A limit, as `RateLimit-Policy` has it. */
type Policy = {
  readonly of: keyof Owed
  readonly text: string
  readonly sentence: string
}

const toPolicy = (of: keyof Owed, unit: string, perSecond: number | undefined, seconds: number): readonly Policy[] =>
  perSecond === undefined
    ? []
    : [
        {
          of,
          text: `"${of}";q=${Math.min(perSecond * seconds, largestInteger)};w=${seconds};qu="${unit}"`,
          sentence: `More than ${perSecond} ${of} a second (collector.quota.${of}-per-second) came from this sender`,
        },
      ]

/** Of structured fields (RFC 9651, section 3.3.1). */
const largestInteger = 999_999_999_999_999

/** Whole seconds until a bucket has something again, at least one; 0 where it has. */
const toWaitSeconds = (owedNs: number, burstSeconds: number): number =>
  Math.max(0, Math.floor(owedNs / 1e9 - burstSeconds) + 1)

/** The headers are those of draft-ietf-httpapi-ratelimit-headers-11. */
const make = (policies: readonly Policy[], waits: readonly number[]): SluiceError => {
  const exceeded = policies.flatMap((policy, i) => {
    const seconds = waits[i] ?? 0
    return seconds === 0 ? [] : [{ ...policy, seconds }]
  })
  const seconds = Math.max(...waits)
  const headers = {
    ...refusalHeaders,
    'retry-after': String(seconds),
    ratelimit: exceeded.map(one => `"${one.of}";r=0;t=${one.seconds}`).join(', '),
    'ratelimit-policy': policies.map(({ text }) => text).join(', '),
  }
  const message = `${exceeded.map(({ sentence }) => sentence).join('. ')}; nothing of the request was stored. Send it again in ${seconds} s`
  const plain = new SluiceError('rate-limited', message, { headers })
  const response = createFixedResponse(
    plain.status,
    { ...toErrorHeaders(plain, plain.status), 'content-type': 'application/problem+json' },
    JSON.stringify(toProblem(plain)),
  )
  return new SluiceError('rate-limited', message, { headers, response })
}
