/** Ids of events hashed with a secret: who knows an id cannot know its hash, and what was hashed before stays what it is. */
import { createHash, createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createCollector } from '../../../../src/collector/collector.ts'
import { defaultCollectorSettings } from '../../../../src/collector/settings.ts'
import { toEventIdKey, toEventIds, toSender } from '../../../../src/collector/submit/event-ids.ts'
import { eventIdBytes } from '../../../../src/spool/event-ids.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { openRefusedServer } from '../../../suites/refused-server.ts'
import { openTestSpool } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'
import { post } from '../fakes.ts'

const secret = 'a secret of 32 bytes for tests__'
const other = 'another one of 32 bytes for test'
const apis = ['POST_CloudEvents_API', 'POST_Segment_API'] as const

type Of = {
  readonly api?: (typeof apis)[number]
  readonly sender?: string
  readonly name?: string
  readonly id?: string
  readonly key?: string | undefined
  readonly kept?: Uint8Array
}

const shop = toSender(undefined, 'shop')

/** The one id of a request, as its bytes in hex. */
const hashOf = ({ api = apis[0], sender = shop, name = 'A', id = 'i', key, kept }: Of): string => {
  const events = [{ index: 0, name, date: 1, granularity: 'HOURLY' as const }]
  const parsed = { events, ids: [id] } as never
  const replay = kept && { eventIds: kept, toRest: () => undefined }
  const ids = toEventIds({ api, sender, parsed, idKey: toEventIdKey(key), replay }, events)
  return Buffer.from(ids ?? []).toString('hex')
}

describe('the hash of an id', () => {
  const text = JSON.stringify([apis[0], shop, 'A', 'i'])

  test('is HMAC-SHA256 with the key of the setting, cut to 128 bits', () => {
    expect(eventIdBytes).toBe(16)
    expect(hashOf({ key: secret })).toBe(createHmac('sha256', secret).update(text).digest('hex').slice(0, 32))
  })

  test('is what it always was without a key: spools remember such, and tables have them', () => {
    expect(hashOf({})).toBe(createHash('sha256').update(text).digest('hex').slice(0, 32))
    const pinned = { sender: 's', name: 'Order', id: '4711' }
    expect(hashOf(pinned)).toBe('801b1442fb83e6eb95db042229dffc3f')
  })

  test('is another one where any of type, door, sender, id and key is, and the same where all are the same', () => {
    const seen = new Map<string, string>()
    for (const key of [undefined, secret, other, secret.slice(1)])
      for (const api of apis)
        for (const sender of [shop, toSender(undefined, undefined), 's', ''])
          for (const name of ['A', 'B', 'A","i'])
            for (const id of ['i', 'j', '']) {
              const of = { key, api, sender, name, id }
              const hash = hashOf(of)
              expect(hash).toMatch(/^[\da-f]{32}$/)
              expect(hashOf(of)).toBe(hash)
              seen.set(hash, JSON.stringify(of))
            }
    expect(seen.size).toBe(4 * 2 * 4 * 3 * 3)
  })

  test('of a replay is that of its arrival, whatever the key is by then', () => {
    const kept = Buffer.alloc(eventIdBytes, 7)
    for (const key of [undefined, secret, other]) expect(hashOf({ key, kept })).toBe(kept.toString('hex'))
  })
})

const event = (n: number) => JSON.stringify({ specversion: '1.0', type: 'A', source: '/s', id: 'i', data: { n } })
const type = 'application/cloudevents+json'

describe('a key that changes', () => {
  test('makes a repeat across it a new event, once; with the old one again both are known', async () => {
    const fileSystem = createMemoryFileSystem()
    let disk = createTearingDisk()
    const accepted: number[] = []
    // As after a restart each time, or a takeover by a collector with another key: what is remembered are hashes.
    for (const key of [undefined, undefined, secret, secret, other, secret, undefined]) {
      const { spool } = await openTestSpool({ disk, fileSystem })
      const settings = { ...defaultCollectorSettings, eventIdKey: toEventIdKey(key) }
      const collector = createCollector({ spool, settings: () => settings })
      for (const n of [1, 2]) expect((await post(collector, event(n), { type })).status).toBe(202)
      accepted.push(collector.counters.POST_CloudEvents_API.accepted)
      disk = disk.kill()
    }
    expect(accepted).toEqual([1, 0, 1, 0, 1, 0, 0])
  })

  test('leaves refused events what they are: each is in once, whichever key its replay meets', async () => {
    const server = await openRefusedServer(`collector.event-ids.key=${secret}`)
    const track = () => server.post('{"event":"Order","messageId":"m","total":"x"}', {}, '/v1/track')
    await track()
    server.clock.ms++
    await track()
    await server.flush()
    const ids = (await server.list(['Order'])).rows.map(({ id }) => id)
    expect(ids).toHaveLength(2)
    server.set('collector.validation=off', `collector.event-ids.key=${other}`)
    expect((await server.replay(...ids)).map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'duplicate'])
    await server.flush()
    expect(await server.stored('Order')).toHaveLength(1)
    expect((await server.list(['Order'])).rows).toMatchObject([{ isReplayed: true }, { isReplayed: true }])
  })
})

test('S5: what the collector has of the key prints nothing of it', () => {
  const key = toEventIdKey(secret)
  expect(`${inspect({ key }, { showHidden: true, depth: 9 })} ${JSON.stringify({ key })}`).not.toContain(secret)
  expect(toEventIdKey(undefined)).toBeUndefined()
})
