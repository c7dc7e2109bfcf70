import { expect, test } from 'vitest'
import type { CollectorService } from '../../../src/app/collector.ts'
import type { GatewayService } from '../../../src/app/gateway.ts'
import { createRoutes, type Routes } from '../../../src/app/routes.ts'
import type { Shared } from '../../../src/app/shared.ts'
import { loadConfig } from '../../../src/config/config.ts'
import type { Handlers, OperationId } from '../../../src/contract/operations.ts'
import { openAuth } from '../../../src/http/auth/auth.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { contract, createHandlers } from '../contract/fixture.ts'

/** The handlers of the operations with one of these tags. */
const pick = (...tags: readonly string[]): Partial<Handlers> => {
  const all = createHandlers()
  const ids = contract.operations.filter(({ tag }) => tags.includes(tag)).map(({ id }) => id as OperationId)
  return Object.fromEntries(ids.map(id => [id, all[id]]))
}

const { getHealth, getReadiness } = createHandlers()
const guardOf = () => ({ authorize: undefined })
const doors = { tags: ['doors'], handlers: pick('doors'), guardOf }
const status = { getHealth, getReadiness }
const collector = { tags: ['events'], handlers: pick('events'), guardOf, doors, status }
const gateway = { tags: ['files', 'pages'], handlers: pick('files', 'pages'), guardOf }

/** Makes routes; parts that are not needed here are left out. */
const create = (services: readonly ('collector' | 'gateway')[], ...set: readonly string[]): Routes => {
  const argv = set.flatMap(one => ['--set', one])
  const { settings } = loadConfig({ argv, env: {}, cwd: '/nowhere', readFile: () => '' })
  const shared = { settings, logger: silentLogger, auth: openAuth } as unknown as Shared
  return createRoutes({
    listeners: () => [],
    ...shared,
    collector: services.includes('collector') ? (collector as unknown as CollectorService) : undefined,
    gateway: services.includes('gateway') ? (gateway as unknown as GatewayService) : undefined,
  })
}

/** Tags of the operations that a listener knows, and whether the health report is among them. */
const served = async (fetch: Routes['fetch'] | undefined): Promise<readonly string[]> => {
  const found = new Set<string>()
  for (const { id, path, tag } of contract.operations) {
    const response = await fetch?.(new Request(`http://localhost${path}`, { method: 'OPTIONS' }))
    if (response?.status === 204) found.add(id === 'getHealth' ? id : tag)
  }
  return [...found].sort()
}

test.each<
  [services: readonly ('collector' | 'gateway')[], set: readonly string[], want: readonly (readonly string[])[]]
>([
  [
    ['collector', 'gateway'],
    [],
    [['doors', 'events', 'files', 'getHealth', 'pages', 'server'], [], ['getHealth', 'server']],
  ],
  [
    ['collector', 'gateway'],
    ['gateway.port=0'],
    [
      ['doors', 'events', 'getHealth', 'server'],
      ['files', 'pages', 'server'],
      ['getHealth', 'server'],
    ],
  ],
  [['collector'], ['gateway.port=0'], [['doors', 'events', 'getHealth', 'server'], [], ['getHealth', 'server']]],
  [['gateway'], [], [['files', 'pages', 'server'], [], ['server']]],
])(
  'with %j and %j the listeners of server, gateway and management have what the tags say',
  async (services, set, want) => {
    const { fetch, gatewayFetch, besideAdmin } = create(services, ...set)
    expect(await Promise.all([fetch, gatewayFetch, besideAdmin].map(served))).toEqual(want)
  },
)

test.each([
  ['GET', '/1?v=A', true],
  ['GET', '/2', true],
  ['GET', '/1/', true],
  ['POST', '/rest/1.0/event', true],
  ['POST', '/e/?ip=1', true],
  ['POST', '/v1/track', true],
  ['GET', '/v1/projects/KEY/settings', true],
  ['GET', '/livez', false],
  ['GET', '/1//', false],
  ['GET', '/12?v=A', false],
  ['GET', '/v1/track', false],
  ['POST', '/v1', false],
  ['HEAD', '/1?v=A', false],
  ['GET', '/rest/1.0/json?path=/', false],
])('the lane has the events, those of doors too, and nothing else: %s %s', (method, target, isTaken) => {
  const { lane } = create(['collector', 'gateway'])
  expect(lane?.(method, target) !== undefined).toBe(isTaken)
})
