import { describe, expect, test, vi } from 'vitest'
import { createLink, firstWaitMs, maxWaitMs } from '../../../src/realtime/link.ts'
import { createFakeBroker } from '../../suites/fake-broker.ts'

/** A link whose waits are over when the test says so. */
const setUp = () => {
  const broker = createFakeBroker()
  const waits: number[] = []
  const go: (() => void)[] = []
  const warnings: string[] = []
  const onUp = vi.fn()
  const link = createLink({
    broker,
    onUp,
    log: { info: () => {}, warn: (_, message) => warnings.push(message) },
    wait: (ms, signal) => {
      waits.push(ms)
      return new Promise<void>((done, fail) => {
        go.push(done)
        signal.addEventListener('abort', () => fail(signal.reason))
      })
    },
  })
  const waitsAre = (count: number): Promise<void> => expect.poll(() => waits).toHaveLength(count)
  return { broker, link, waits, waitsAre, go: () => go.pop()?.(), onUp, warnings }
}

describe('createLink', () => {
  test('waits twice as long after each failure, up to a limit, and warns once', async () => {
    const { broker, link, waits, waitsAre, go, warnings } = setUp()
    broker.away = 'ECONNREFUSED'
    link.start()
    for (let count = 1; count <= 12; count++) {
      await waitsAre(count)
      go()
    }
    await waitsAre(13)
    expect(waits.slice(0, 3)).toEqual([firstWaitMs, firstWaitMs * 2, firstWaitMs * 4])
    expect(waits.slice(-2)).toEqual([maxWaitMs, maxWaitMs])
    expect(link.problem()).toBe('ECONNREFUSED')
    expect(warnings).toHaveLength(1)
    await link.stop()
  })

  test('connects when the broker comes, and again when it was lost', async () => {
    const { broker, link, waits, waitsAre, go, onUp } = setUp()
    broker.away = 'not yet'
    link.start()
    link.start()
    await waitsAre(1)
    expect(link.connection()).toBeUndefined()
    broker.away = ''
    go()
    await expect.poll(() => onUp).toHaveBeenCalledTimes(1)
    expect(link.connection()).toBeDefined()
    expect(link.problem()).toBe('')
    link.works()
    broker.lose('gone')
    await waitsAre(2)
    expect(waits).toEqual([firstWaitMs, firstWaitMs])
    expect([link.connection(), link.problem()]).toEqual([undefined, 'gone'])
    go()
    await expect.poll(() => onUp).toHaveBeenCalledTimes(2)
    await link.stop()
    expect(link.connection()).toBeUndefined()
  })

  test('a broker that takes connections and nothing else is asked ever more rarely', async () => {
    const { broker, link, waits, waitsAre, go, onUp } = setUp()
    link.start()
    for (let count = 1; count <= 3; count++) {
      await expect.poll(() => onUp).toHaveBeenCalledTimes(count)
      broker.lose('no')
      await waitsAre(count)
      go()
    }
    expect(waits).toEqual([firstWaitMs, firstWaitMs * 2, firstWaitMs * 4])
    await link.stop()
  })

  test('stopped while it connects it lets the connection go', async () => {
    const { broker, link, onUp } = setUp()
    link.start()
    await link.stop()
    await expect.poll(() => broker.attempts()).toBe(1)
    expect([link.connection(), onUp.mock.calls]).toEqual([undefined, []])
    link.start()
    await expect.poll(() => onUp).toHaveBeenCalledTimes(1)
    await link.stop()
  })
})
