import { expect, onTestFinished, test, vi } from 'vitest'
import { createCatalogService } from '../../../../src/gateway/tables/catalog-service.ts'
import { type CatalogFault, startFakeCatalog } from '../../../suites/fake-rest-catalog.ts'

const { signal } = new AbortController()

const open = async (fail: () => CatalogFault | undefined) => {
  const fake = await startFakeCatalog({ fail })
  let now = 0
  const service = createCatalogService({
    settings: {
      uri: fake.url,
      namespace: ['events'],
      warehouse: undefined,
      prefix: undefined,
      token: undefined,
      credential: undefined,
      oauth2ServerUri: undefined,
      scope: 'catalog',
    },
    fileSystem: {
      mountPoints: ['/', '/same'],
      mountOf: path => (path.startsWith('/same/') ? '/same' : '/'),
      urlOf: () => 'hdfs://nn',
    },
    directory: '/events',
    monotonicMs: () => now,
  })
  const pass = (ms: number): void => {
    now += ms
  }
  return { fake, service, pass }
}

test('a catalog decides about tables of events, by each way to them', async () => {
  const { service } = await open(() => undefined)
  const paths = ['/events/A', '/same/events/A', '/events', '/events/A/B', '/lake/A', '/same/A', '/']
  expect(paths.filter(service.decides)).toEqual(['/events/A', '/same/events/A'])
})

test('one that hangs is waited for five seconds, and not asked for as long: a walk through many tables waits once', async () => {
  let hangs = true
  const { service, fake, pass } = await open(() => (hangs ? 'hangs' : undefined))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = expect(service.ask('/events/A', signal)).rejects.toMatchObject({
    code: 'unavailable',
    about: 'catalog-away',
    message: `The catalog ${fake.url} is needed for "/events/A": it has not answered for 5 s`,
  })
  vi.advanceTimersByTime(5_000)
  await first
  hangs = false
  pass(4_999)
  await expect(service.ask('/events/B', signal)).rejects.toThrow('"/events/B": it has not answered')
  pass(1)
  expect(await service.ask('/events/B', signal)).toMatchObject({ table: undefined })
})

test('a caller who goes away waits no longer, and others are not told that the catalog is away', async () => {
  const { service } = await open(() => undefined)
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(service.ask('/events/A', gone)).rejects.toThrow('gone')
  expect(await service.ask('/events/A', signal)).toMatchObject({ table: undefined })
})
