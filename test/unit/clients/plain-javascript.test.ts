import { describe, expect, test, vi } from 'vitest'
import { createBeacon } from '../../../clients/beacon/beacon.ts'
import { createGatewayClient } from '../../../clients/gateway/gateway-client.ts'
import { createSluiceClient } from '../../../clients/generated/client.ts'
import {
  createDirectTracker,
  createGetSender,
  createPostSender,
  createScribeSender,
  createTracker,
} from '../../../clients/tracker/index.ts'
import { createRefusalLog } from '../../../clients/tracker/refusal-log.ts'
import { createFakeSender, makeDirectory, openTracker, settled } from './world.ts'

/** What a program without types gives: no type fits it. */
const plain = (value?: unknown): never => value as never
const url = 'http://127.0.0.1:1'

describe('what is missing is a TypeError that names it, at once', () => {
  const post = createPostSender({ url })
  const scribe = createScribeSender({ host: 'h' })
  const rows: [name: string, call: () => unknown, says: RegExp][] = [
    ['POST', () => createPostSender(plain()), /url of the sender is missing/],
    ['POST without url', () => createPostSender(plain({})), /url of the sender is missing/],
    [
      'POST, a bare host',
      () => createPostSender({ url: 'localhost:8080' }),
      /url of the sender is "localhost:8080"; expected/,
    ],
    ['GET', () => createGetSender(plain({ url: '' })), /url of the sender is empty/],
    ['direct', () => createDirectTracker(plain({})), /url of the sender is missing/],
    ['Scribe', () => createScribeSender(plain()), /host of the Scribe sender is missing/],
    ['Scribe, port', () => createScribeSender({ host: 'h', port: Number.NaN }), /port of the Scribe sender is NaN/],
    ['gateway', () => createGatewayClient(plain()), /host of the gateway is missing/],
    ['gateway without port', () => createGatewayClient(plain({ host: 'h' })), /port of the gateway is missing/],
    ['gateway, port 0', () => createGatewayClient({ host: 'h', port: 0 }), /port of the gateway is 0/],
    ['client', () => createSluiceClient(plain({})), /baseUrl of the client is missing/],
    ['event name of POST', () => post.encode(plain({ payload: {} }), 0), /eventName of the event is missing/],
    ['no event', () => post.encode(plain(), 0), /eventName of the event is missing/],
    ['event name of Scribe', () => scribe.encode(plain({ fields: [] }), 0), /eventName of the event is missing/],
    ['event name of GET', () => createGetSender({ url }).encode(plain({ fields: [] }), 0), /event name undefined/],
    ['event name of a beacon', () => createBeacon().send(plain(), {}), /eventName is missing/],
    [
      'event name of a beacon by GET',
      () => createBeacon({ fetch: async () => {} }).get(plain()),
      /event name undefined/,
    ],
  ]
  test.each(rows)('%s', (_, call, says) => {
    expect(call).toThrow(TypeError)
    expect(call).toThrow(says)
  })
  test.each([
    [{ sender: post }, /directory of the tracker is missing/],
    [{ directory: 'd' }, /sender of the tracker is missing/],
  ])('tracker %#', async (options, says) => {
    await expect(createTracker(plain(options))).rejects.toThrow(says)
  })
})

describe('a tracker without onRejected', () => {
  test('tells of refused events on the console, with code and count', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const refused = { index: 0, code: 'bad-event', detail: 'payload is 7' }
    const { sender } = createFakeSender({ ...settled, rejected: [refused, { ...refused, index: 1 }] } as typeof settled)
    const tracker = await createTracker({ sender, directory: makeDirectory() })
    await tracker.track('a')
    await tracker.track('b')
    await tracker.close()
    const lines = warn.mock.calls.flatMap(([line]) => (typeof line === 'string' ? line : []))
    warn.mockRestore()
    expect(lines).toEqual([
      expect.stringMatching(/1 event was refused for good \(bad-event: payload is 7\)/),
      expect.stringMatching(/1 event was refused/),
    ])
  })

  test('once a minute, and the rest at the end', () => {
    const lines: string[] = []
    let now = 0
    const log = createRefusalLog(
      () => now,
      line => lines.push(line),
    )
    const refused = { code: 'bad-event', detail: 'x', event: undefined, count: 1 }
    for (; now < 59_000; now += 1_000) log.record(refused)
    expect(lines).toHaveLength(1)
    now = 60_000
    log.record({ ...refused, count: 5 })
    expect(lines[1]).toContain('63 events were refused for good (bad-event: x)')
    log.record({ ...refused, code: 'too-large' })
    log.end()
    log.end()
    expect(lines).toHaveLength(3)
    expect(lines[2]).toContain('1 event was refused for good (too-large: x)')
  })

  test('with onRejected nothing is on the console', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const refused = { index: 0, code: 'bad-event', detail: 'x' }
    const { sender } = createFakeSender({ ...settled, rejected: [refused] } as typeof settled)
    const { tracker, rejected } = await openTracker({ sender, directory: makeDirectory() })
    await tracker.track('a')
    await tracker.close()
    expect(rejected).toHaveLength(1)
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })
})
