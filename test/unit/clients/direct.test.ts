import { describe, expect, test } from 'vitest'
import { createDirectTracker, type DirectOptions, field, NotTaken } from '../../../clients/tracker/index.ts'

const createDirect = (statuses: (number | 'away')[], options: Partial<DirectOptions> = {}) => {
  const urls: string[] = []
  const pauses: number[] = []
  const tracker = createDirectTracker({
    url: 'http://collector.test',
    fetch: async url => {
      urls.push(url)
      const status = statuses.shift() ?? 202
      if (status === 'away') throw new TypeError('fetch failed')
      return new Response(null, { status })
    },
    sleep: async ms => void pauses.push(ms),
    ...options,
  })
  return { tracker, urls, pauses }
}

const event = { eventName: 'A', fields: [field.i32(65)], date: 0 }

describe('createDirectTracker', () => {
  test.each([
    { version: 1 as const, want: 'http://collector.test/1?v=A%2C465&date=1970-01-01T00%3A00%3A00.000Z' },
    { version: 2 as const, want: 'http://collector.test/2?v=A%2C400&date=1970-01-01T00%3A00%3A00.000Z' },
  ])('sends by GET /$version', async ({ version, want }) => {
    const { tracker, urls } = createDirect([], { version })
    await tracker.track(event)
    expect(urls).toEqual([want])
  })

  test('retries when the server is busy or away', async () => {
    const { tracker, urls, pauses } = createDirect([503, 'away'])
    await tracker.track(event)
    expect(urls).toHaveLength(3)
    expect(pauses).toHaveLength(2)
  })

  test.each([
    { name: 'is busy too often', statuses: [503, 503], code: 'unavailable' },
    { name: 'refuses', statuses: [400], code: 'http-400' },
    { name: 'finds the URL too long', statuses: [414], code: 'http-414' },
  ])('tells when the server $name', async ({ statuses, code }) => {
    const { tracker } = createDirect(statuses, { maxAttempts: 2 })
    const error = await tracker.track(event).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NotTaken)
    expect(error).toMatchObject({ code })
  })

  test('gives up when it is closed', async () => {
    const { tracker, urls } = createDirect(['away'])
    await tracker.close()
    await expect(tracker.track(event)).rejects.toMatchObject({ code: 'unavailable' })
    expect(urls).toHaveLength(1)
  })
})
