import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withIntakeHeaders } from '../../../../src/collector/answers.ts'
import { createQuota, type QuotaSender, type QuotaShare } from '../../../../src/collector/quota/quota.ts'
import type { QuotaSettings } from '../../../../src/collector/quota/quota-settings.ts'
import { createQuotaMemory } from '../../../../src/collector/quota/sender-buckets.ts'
import { SluiceError } from '../../../../src/errors.ts'
import { toIdentity } from '../../../../src/http/auth/token-callers.ts'
import { parseList } from '../../../suites/structured-fields.ts'
import { usualQuota } from './usual-quota.ts'

const shop = toIdentity({ name: 'shop', roles: new Set(['send']), sha256: '' })

const start = (settings: Partial<QuotaSettings> = {}) => {
  let quota: QuotaSettings | undefined = { ...usualQuota, ...settings }
  let ms = 0
  const slowed: QuotaSender[] = []
  const made = createQuota({
    settings: () => ({ quota }),
    memory: createQuotaMemory(64),
    tellSlowed: sender => void slowed.push(sender),
    nowNs: () => 10n ** 18n + BigInt(ms) * 1_000_000n,
  })
  const orError = <T>(act: () => T): T | SluiceError => {
    try {
      return act()
    } catch (error) {
      if (error instanceof SluiceError) return error
      throw error
    }
  }
  const admit = (announced = 0, address = '10.0.0.1', caller?: typeof shop): SluiceError | QuotaShare | undefined =>
    orError(() => made.admit(caller, () => address, announced))
  const look = (address?: string, caller?: typeof shop): SluiceError | QuotaShare | undefined => {
    const share = admit(0, address, caller)
    if (share && !(share instanceof SluiceError)) made.pay(share, 0, 0)
    return share
  }
  return {
    quota: made,
    slowed,
    look,
    orError,
    /** This many requests at the same time, before any of them is read; those that are let in. */
    begin: (count: number, announced: number): QuotaShare[] =>
      Array.from({ length: count }, () => admit(announced)).flatMap(one =>
        one === undefined || one instanceof SluiceError ? [] : [one],
      ),
    /** What they turn out to be; whether each is taken. */
    settle: (shares: readonly QuotaShare[], events: number, bytes: number): boolean[] =>
      shares.map(share => !(orError(() => made.settle(share, events, bytes)) instanceof SluiceError)),
    /** Sends, and says whether that was let in. */
    send: (events: number, bytes = 0, ...from: Parameters<typeof look>): boolean => {
      const share = admit(0, ...from)
      if (share === undefined || share instanceof SluiceError) return false
      made.settle(share, events, bytes)
      return true
    },
    later: (more: number) => {
      ms += more
    },
    set: (next: Partial<QuotaSettings> | undefined) => {
      quota = next && { ...usualQuota, ...next }
    },
  }
}

describe('a quota', () => {
  test('lets in at once what is allowed in the time of a burst, and then as much as is allowed', () => {
    const { send, later } = start({ eventsPerSecond: 10, burstSeconds: 5 })
    const sent = (): number => Array.from({ length: 100 }, () => send(1)).filter(Boolean).length
    expect(sent()).toBe(50)
    later(1_000)
    expect(sent()).toBe(10)
    later(2_050)
    expect(sent()).toBe(21)
    later(3_600_000)
    expect(sent()).toBe(50)
  })

  test('takes a request as a whole; its sender owes the rest', () => {
    const { send, later } = start({ eventsPerSecond: 10, burstSeconds: 5 })
    expect(send(500)).toBe(true)
    later(44_999)
    expect(send(1)).toBe(false)
    later(1)
    expect(send(1)).toBe(false)
    later(1)
    expect(send(1)).toBe(true)
  })

  test('refuses no sender for longer than a minute, whatever was sent', () => {
    const { send, look, later } = start({ eventsPerSecond: 1, bytesPerSecond: 1, burstSeconds: 5 })
    expect(send(1_000_000, 1_000_000_000)).toBe(true)
    expect(look()).toMatchObject({ headers: { 'retry-after': '61', ratelimit: '"events";r=0;t=61, "bytes";r=0;t=61' } })
    later(60_001)
    expect(send(1_000_000)).toBe(true)
    expect(look()).toMatchObject({ headers: { 'retry-after': '61' } })
  })

  describe('requests at the same time', () => {
    test('have what is left together, as far as they announce what they are', () => {
      const { begin, settle, look } = start({ eventsPerSecond: undefined, bytesPerSecond: 1_000, burstSeconds: 10 })
      const shares = begin(1_000, 4_000)
      expect(shares).toHaveLength(3)
      expect(settle(shares, 1, 4_000)).toEqual([true, true, true])
      expect(look()).toMatchObject({ headers: { 'retry-after': '3' } })
    })

    test('are refused when they are read, where others have used up meanwhile what was left', () => {
      const { begin, settle, slowed } = start({ eventsPerSecond: 10, burstSeconds: 5 })
      const shares = begin(1_000, 0)
      expect(shares).toHaveLength(50)
      slowed.length = 0
      expect(settle(shares, 100, 0)).toEqual([true, ...Array.from({ length: 49 }, () => false)])
      expect(slowed).toHaveLength(49)
    })

    test('cost what they are in the end, and nothing more', () => {
      const { begin, quota, look, send } = start({ bytesPerSecond: 1_000, burstSeconds: 10 })
      // Longer than a minute is not owed, nor given back.
      const [announcing] = begin(1, 64_000_000)
      expect(look()).toBeInstanceOf(SluiceError)
      if (announcing) quota.pay(announcing, 1, 10)
      expect(begin(48, 0)).toHaveLength(48)
      expect(send(1)).toBe(true)
      expect(begin(1, 0)).toHaveLength(0)
    })

    const step = fc.record({
      announced: fc.integer({ min: 0, max: 200 }),
      events: fc.integer({ min: 0, max: 60 }),
      bytes: fc.integer({ min: 0, max: 200 }),
      /** How many others begin before it is settled. */
      others: fc.nat(5),
      isRefused: fc.boolean(),
      waitMs: fc.nat(3_000),
    })
    test('take never more together than what is left and one of them', () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 80 }), steps => {
          const limits = { eventsPerSecond: 10, bytesPerSecond: 20, burstSeconds: 5 }
          const { begin, settle, quota, later } = start(limits)
          const open: (QuotaShare & { readonly step: (typeof steps)[number] })[] = []
          let ms = 0
          const taken = { events: 0, bytes: 0 }
          const largest = { events: 0, bytes: 0 }
          for (const one of steps) {
            open.push(...begin(1, one.announced).map(share => ({ ...share, step: one })))
            while (open.length > one.others) {
              const [share] = open.splice(0, 1)
              if (!share) break
              const { events, bytes, isRefused } = share.step
              largest.events = Math.max(largest.events, events)
              largest.bytes = Math.max(largest.bytes, bytes, share.step.announced)
              if (isRefused) quota.pay(share, 1, 0)
              else if (settle([share], events, bytes)[0]) {
                taken.events += events
                taken.bytes += bytes
              }
            }
            expect(taken.events).toBeLessThanOrEqual((5 + ms / 1_000) * 10 + largest.events)
            expect(taken.bytes).toBeLessThanOrEqual((5 + ms / 1_000) * 20 + largest.bytes)
            later(one.waitMs)
            ms += one.waitMs
          }
        }),
      )
    })
  })

  describe('a sender that waits as long as a refusal says is let in', () => {
    const limits = fc.record({
      eventsPerSecond: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      bytesPerSecond: fc.integer({ min: 1, max: 50 }),
      burstSeconds: fc.integer({ min: 1, max: 5 }),
    })
    const step = fc.record({
      announced: fc.nat(200),
      events: fc.nat(60),
      bytes: fc.nat(2_000),
      others: fc.nat(5),
      waitMs: fc.nat(3_000),
    })
    const waitOf = (refusal: unknown): number =>
      Number(refusal instanceof SluiceError ? refusal.headers['retry-after'] : Number.NaN)

    test('whatever was sent before, and at the same time', () => {
      fc.assert(
        fc.property(limits, fc.array(step, { maxLength: 40 }), (settings, steps) => {
          const { begin, settle, quota, later, orError } = start(settings)
          for (const { announced, events, bytes, others, waitMs } of steps) {
            const begun = (meanwhile: () => void) =>
              orError(() => {
                const share = quota.admit(undefined, () => '10.0.0.1', announced)
                meanwhile()
                return share && quota.settle(share, events, bytes)
              })
            const first = begun(() => settle(begin(others, announced), events, bytes))
            if (first instanceof SluiceError) {
              later(waitOf(first) * 1_000)
              expect(begun(() => {})).not.toBeInstanceOf(SluiceError)
            }
            later(waitMs)
          }
        }),
      )
    })

    test('also where a key in the body is over its quota, and its address pays', () => {
      const events = fc.nat(2_000)
      fc.assert(
        fc.property(limits, events, events, events, (settings, ofAddress, ofKey, count) => {
          const { send, quota, later, orError } = start(settings)
          send(ofAddress, 10 * ofAddress)
          send(ofKey, 10 * ofKey, '10.0.0.2', shop)
          const knock = () =>
            orError(() => {
              const share = quota.admit(undefined, () => '10.0.0.1', undefined)
              const own = orError(() => quota.admit(shop, () => '10.0.0.1', 0))
              if (own instanceof SluiceError && share) throw quota.payRefused(share, count, count, own)
              return own && !(own instanceof SluiceError) && quota.settle(own, count, count)
            })
          const first = knock()
          if (!(first instanceof SluiceError)) return
          later(waitOf(first) * 1_000)
          let next = knock()
          // Before the body was read, only the address was known.
          if (next instanceof SluiceError) {
            later(waitOf(next) * 1_000)
            next = knock()
          }
          expect(next).not.toBeInstanceOf(SluiceError)
        }),
      )
    })
  })

  test('what is paid is given back as a whole', () => {
    const { begin, quota, look, send } = start({ bytesPerSecond: 1_000, burstSeconds: 10 })
    for (const share of begin(3, 100)) quota.pay(quota.settle(share, 2_000, 9_000_000), 0, 0)
    expect(look()).not.toBeInstanceOf(SluiceError)
    expect(send(50)).toBe(true)
    expect(look()).toBeInstanceOf(SluiceError)
  })

  test('counts events and bytes apart, and the first that is used up refuses', () => {
    const { send, look, later } = start({ eventsPerSecond: 10, bytesPerSecond: 1_000, burstSeconds: 5 })
    expect(send(1, 7_000)).toBe(true)
    const refused = look()
    expect(refused).toBeInstanceOf(SluiceError)
    expect(refused).toMatchObject({
      code: 'rate-limited',
      status: 429,
      message:
        'More than 1000 bytes a second (collector.quota.bytes-per-second) came from this sender; nothing of the request was stored. Send it again in 3 s',
      headers: {
        'retry-after': '3',
        ratelimit: '"bytes";r=0;t=3',
        'ratelimit-policy': '"events";q=50;w=5;qu="events", "bytes";q=5000;w=5;qu="content-bytes"',
      },
    })
    later(2_001)
    expect(send(100, 9_000)).toBe(true)
    expect(look()).toMatchObject({ headers: { 'retry-after': '9', ratelimit: '"events";r=0;t=6, "bytes";r=0;t=9' } })
    for (const name of ['ratelimit', 'ratelimit-policy']) parseList((look() as SluiceError).headers[name] ?? '')
  })

  test('waits are whole seconds, and at their end something is left', () => {
    const { send, look, later } = start({ eventsPerSecond: 3, burstSeconds: 1 })
    send(7)
    const { headers } = look() as SluiceError
    later(Number(headers['retry-after']) * 1_000)
    expect(send(1)).toBe(true)
  })

  test('is one of each token, or of each address', () => {
    const { send } = start({ burstSeconds: 1 })
    expect([send(5), send(1), send(1, 0, '10.0.0.2')]).toEqual([true, false, true])
    expect([send(5, 0, '10.0.0.1', shop), send(1, 0, '10.0.0.3', shop)]).toEqual([true, false])
    // A token may be called as an address is.
    expect(send(1, 0, 'shop')).toBe(true)
  })

  test('by address, tokens make no difference', () => {
    const { send } = start({ burstSeconds: 1, by: 'address' })
    expect([send(5, 0, '10.0.0.1', shop), send(1), send(1, 0, '10.0.0.2', shop)]).toEqual([true, false, true])
  })

  test('by block, neighbours share', () => {
    const { send } = start({ burstSeconds: 1 })
    expect([send(5, 0, '2001:db8::1'), send(1, 0, '2001:DB8:0:0:9::'), send(1, 0, '2001:db8:0:1::1')]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('is not asked for, and costs nothing, without limits and for calls within the process', () => {
    const { look, set } = start()
    expect(look('')).toBeUndefined()
    set(undefined)
    expect(look()).toBeUndefined()
  })

  test('starts over with other limits, and continues with the same', () => {
    const { send, set } = start({ burstSeconds: 1 })
    send(100)
    set({ burstSeconds: 1 })
    expect(send(1)).toBe(false)
    for (const next of [{ burstSeconds: 2 }, { eventsPerSecond: 6 }, { bytesPerSecond: 6 }]) {
      set(next)
      expect(send(1)).toBe(true)
    }
  })

  test('tells whom it refuses, and makes the same answer once', () => {
    const { look, send, slowed } = start({ burstSeconds: 1 })
    send(100)
    const first = look()
    expect(first).toMatchObject({ response: { status: 429 } })
    expect(look()).toBe(first)
    expect(withIntakeHeaders(first)).toBe(first)
    expect(slowed).toEqual([
      { by: 'address', name: '10.0.0.1' },
      { by: 'address', name: '10.0.0.1' },
    ])
  })

  test('limits that are larger than the numbers of a header are the largest of these', () => {
    const { look, begin } = start({ eventsPerSecond: 1e9, bytesPerSecond: 1e12, burstSeconds: 3_600 })
    begin(3_601, 1e12)
    const policy = parseList((look() as SluiceError).headers['ratelimit-policy'] ?? '')
    expect(policy.map(({ params }) => params['q'])).toEqual([3_600_000_000_000, 999_999_999_999_999])
  })
})
