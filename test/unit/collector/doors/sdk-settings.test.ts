import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { doorNames } from '../../../../src/collector/doors/door-names.ts'
import type { DoorHandlers } from '../../../../src/collector/doors/routes.ts'
import { createTestCollector, knock } from '../fakes.ts'

type Id = keyof DoorHandlers

const ask = (
  id: Id,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  doors: readonly string[] = doorNames,
) => {
  const open = new Set(doorNames.filter(name => doors.includes(name)))
  const { collector } = createTestCollector({ doors: open })
  return knock(collector, id, target, '', { method: 'GET', headers: { host: 'sluice.example.org', ...headers } })
}

describe('Segment: the SDK for browsers', () => {
  test.each([
    ['the host that was asked', {}, 'http', 'sluice.example.org/v1'],
    ['with its port', { host: 'localhost:8080' }, 'http', 'localhost:8080/v1'],
    ['behind a proxy with TLS', { 'x-forwarded-proto': 'https' }, 'https', 'sluice.example.org/v1'],
    ['a browser says that it came by TLS', { 'sec-fetch-site': 'cross-site' }, 'https', 'sluice.example.org/v1'],
    ['never a host that is none', { host: 'a"b' }, 'http', 'localhost/v1'],
  ])('sends to %s', async (_, headers, protocol, apiHost) => {
    const response = await ask('getSegmentSettings', '/v1/projects/KEY%2d1/settings?x=1', headers)
    expect([response.status, await response.json()]).toEqual([
      200,
      { integrations: { 'Segment.io': { apiKey: 'KEY-1', apiHost, protocol } }, metrics: { sampleRate: 0 } },
    ])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('RudderStack: the SDK for browsers has no other destinations, and reports nothing', async () => {
  const response = await ask('getRudderStackSettings', '/sourceConfig/?writeKey=KEY')
  expect(await response.json()).toMatchObject({
    source: { id: 'sluice', destinations: [], config: { statsCollection: { errors: { enabled: false } } } },
  })
})

describe('PostHog: SDKs', () => {
  test.each([
    ['postPostHogFlags', '/flags/?v=2'],
    ['postPostHogDecide', '/decide/?v=3'],
  ] as const)('%s: there are no flags', async (id, target) => {
    const response = await ask(id, target)
    expect(await response.json()).toMatchObject({ flags: {}, featureFlags: {}, errorsWhileComputingFlags: false })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('have nothing to do but to send, as JSON and as a script', async () => {
    const config = await (await ask('getPostHogSettings', '/array/phc_K-1/config?ip=0')).json()
    expect(config).toMatchObject({ token: 'phc_K-1', hasFeatureFlags: false, sessionRecording: false })
    const script = await ask('getPostHogSettings', '/array/phc_K-1/config.js')
    expect(script.headers.get('content-type')).toBe('text/javascript')
    const page = createContext({ window: {} })
    runInContext(await script.text(), page)
    expect(JSON.parse(JSON.stringify(page['window']))).toEqual({
      _POSTHOG_REMOTE_CONFIG: { 'phc_K-1': { config, siteApps: [] } },
    })
  })
})

const nowhere: readonly (readonly [id: Id, target: string])[] = [
  ['getSegmentSettings', '/v1/projects/KEY'],
  ['getSegmentSettings', '/v1/projects/KEY/plan'],
  ['getSegmentSettings', '/v1/projects//settings'],
  ['getSegmentSettings', '/v1/projects/a/b/settings'],
  ['getPostHogSettings', '/array/KEY/array.js'],
  ['getPostHogSettings', '/array/KEY'],
  ['getPostHogSettings', '/array/%3Cscript%3E/config.js'],
  ['getPostHogSettings', '/array/K%22/config'],
]
test.each(nowhere)('%s: %s is nowhere', async (id, target) => {
  const response = await ask(id, target)
  expect(response.status).toBe(404)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
})

const settings: readonly (readonly [id: Id, target: string, door: string])[] = [
  ['getSegmentSettings', '/v1/projects/KEY/settings', 'segment'],
  ['getRudderStackSettings', '/sourceConfig', 'segment'],
  ['getPostHogSettings', '/array/KEY/config', 'posthog'],
  ['postPostHogFlags', '/flags', 'posthog'],
  ['postPostHogDecide', '/decide', 'posthog'],
]
test.each(settings)('%s: with the door closed the answer names it', async (id, target, door) => {
  expect((await ask(id, target, {}, [door])).status).toBe(200)
  const response = await ask(id, target, {}, [])
  expect([response.status, await response.json()]).toMatchObject([404, { detail: expect.stringContaining(door) }])
})

test.each([...settings, ['getPostHogSettings', '/array/KEY/config.js', 'posthog'] as const])(
  '%s: no browser takes the answer for something else (%s)',
  async (id, target) => {
    for (const { headers } of [await ask(id, target), await ask(id, target, {}, [])])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
  },
)
