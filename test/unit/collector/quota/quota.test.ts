import { describe, expect, test } from 'vitest'
import { withIntakeHeaders } from '../../../../src/collector/answers.ts'
import { createQuota, type QuotaSender } from '../../../../src/collector/quota/quota.ts'
import type { QuotaSettings } from '../../../../src/collector/quota/quota-settings.ts'
import { createQuotaMemory } from '../../../../src/collector/quota/sender-buckets.ts'
import { SluiceError } from '../../../../src/errors.ts'
import { toIdentity } from '../../../../src/http/auth/token-callers.ts'
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
  const look = (address = '10.0.0.1', caller?: typeof shop): SluiceError | QuotaSender | undefined => {
    try {
      return made.admit(caller, () => address)
    } catch (error) {
      if (error instanceof SluiceError) return error
      throw error
    }
  }
  return {
    quota: made,
    slowed,
    look,
    /** Sends, and says whether that was let in. */
    send: (events: number, bytes = 0, ...from: Parameters<typeof look>): boolean => {
      const sender = look(...from)
      if (sender === undefined || sender instanceof SluiceError) return false
      made.charge(sender, events, bytes)
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
    expect(send(1_000)).toBe(true)
    later(94_999)
    expect(send(1)).toBe(false)
    later(1)
    expect(send(1)).toBe(false)
    later(1)
    expect(send(1)).toBe(true)
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

  test('begins anew with other limits, and goes on with the same', () => {
    const { send, set } = start({ burstSeconds: 1 })
    send(100)
    set({ burstSeconds: 2 })
    expect(send(1)).toBe(false)
    set({ eventsPerSecond: 6 })
    expect(send(1)).toBe(true)
    set({ bytesPerSecond: 6 })
    expect(send(1)).toBe(true)
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
})
