import { describe, expect, test } from 'vitest'
import type { QuotaSender } from '../../../../src/collector/quota/quota.ts'
import { createSlowedSenders, maxListedSenders } from '../../../../src/collector/quota/slowed-senders.ts'

const start = () => {
  const clock = { ms: 1_000 }
  return { senders: createSlowedSenders(() => clock.ms), clock }
}
const address = (name: string): QuotaSender => ({ by: 'address', name })

describe('createSlowedSenders', () => {
  test('counts by sender, those with most requests first', () => {
    const { senders, clock } = start()
    senders.add(address('10.0.0.1'), 1)
    senders.add({ by: 'token', name: '10.0.0.1' }, 3)
    clock.ms = 2_000
    senders.add(address('10.0.0.1'), 1)
    expect(senders.list()).toEqual([
      { by: 'token', name: '10.0.0.1', requests: 3, since: 1_000, last: 1_000 },
      { by: 'address', name: '10.0.0.1', requests: 2, since: 1_000, last: 2_000 },
    ])
  })

  test('is bounded: many that come once make no room for one that comes all the time', () => {
    const { senders } = start()
    senders.add(address('loud'), 50)
    for (let i = 0; i < 10_000; i++) senders.add(address(`10.${i}`), 1)
    const names = senders.list().map(({ name }) => name)
    expect(names).toHaveLength(maxListedSenders)
    expect([names[0], names.includes('10.9999')]).toEqual(['loud', true])
  })

  test('two newcomers that come in turns do not push each other out of a list full of others', () => {
    const { senders, clock } = start()
    for (let i = 0; i < maxListedSenders; i++) senders.add(address(`10.${i}`), 50)
    clock.ms += 10_001
    for (let i = 0; i < 20; i++) senders.add(address(i % 2 === 0 ? 'a' : 'b'), 1)
    expect(senders.current().map(({ name, requests }) => [name, requests])).toEqual([
      ['a', 10],
      ['b', 10],
    ])
  })

  test('tells those apart that were refused a moment ago, ten at most', () => {
    const { senders, clock } = start()
    senders.add(address('before'), 100)
    clock.ms += 10_000
    for (let i = 0; i < 20; i++) senders.add(address(`10.${i}`), i + 1)
    expect(senders.current().map(({ name }) => name)).toEqual([
      'before',
      ...[19, 18, 17, 16, 15, 14, 13, 12, 11].map(i => `10.${i}`),
    ])
    clock.ms += 1
    expect(senders.current()[0]?.name).toBe('10.19')
    clock.ms += 10_000
    expect(senders.current()).toEqual([])
  })

  test('forgets after an hour, also the one with most requests', () => {
    const { senders, clock } = start()
    senders.add(address('old'), 1_000)
    clock.ms += 3_600_000
    senders.add(address('new'), 1)
    expect(senders.list()).toHaveLength(2)
    clock.ms += 1
    expect(senders.list().map(({ name }) => name)).toEqual(['new'])
  })
})
