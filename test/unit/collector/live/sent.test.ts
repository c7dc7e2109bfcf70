import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { Collector } from '../../../../src/collector/collector.ts'
import type { LiveEvent } from '../../../../src/collector/live/feed.ts'
import { createTestCollector, D, post } from '../fakes.ts'
import { openTestScribe, toCall, toFrame, toLog } from '../scribe/calls.ts'

const look = (collector: Pick<Collector, 'live'>) => {
  const events: LiveEvent[] = []
  collector.live.watch({}, { onEvent: event => void events.push(event), onFigures: () => {}, onEnd: () => {} })
  return events
}

const toSentText = (event: LiveEvent | undefined): string =>
  event?.kind === 'rejected' && event.sent ? new TextDecoder().decode(event.sent.bytes) : ''

const good = `{"eventName":"Good","payload":{"text":"${'x'.repeat(300_000)}"}}`

test.each([
  { name: 'a short body', body: '{"eventName":"Order"' },
  { name: 'a packed body', body: '{"eventName":"Order"', headers: { 'content-encoding': 'gzip' } },
  { name: 'a short body that is refused in part', body: '[{"eventName":"Order"},{"eventName":"Good","payload":{}}]' },
  { name: 'a long body that is refused in part', body: `[{"eventName":"Order"},${good}]` },
])('shows what was sent: $name', async ({ body, headers = {} }) => {
  const { collector } = createTestCollector()
  const events = look(collector)
  const sent = 'content-encoding' in headers ? gzipSync(body) : body
  await post(collector, sent, { headers })
  const refused = events.find(({ kind }) => kind === 'rejected')
  expect(toSentText(refused)).toBe(body.slice(0, 4_096))
})

test('Scribe: an entry with its client, and a call that cannot be read', async () => {
  const scribe = await openTestScribe({ callLimits: () => ({ maxEvents: 2, maxValues: 100_000 }) })
  onTestFinished(() => scribe.close())
  const events = look(scribe.collector)
  const client = await scribe.connect()
  client.send(toFrame(toLog([{ category: 'c', message: `${D}:a` }])))
  await client.answer()
  client.send(toFrame(toCall('Log', writer => writer.fieldHeader(15, 1))))
  await client.answer()
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
  expect(events.filter(({ kind }) => kind === 'accepted')).toMatchObject([
    { peer: '127.0.0.1', type: 'c', api: 'SCRIBE_API' },
  ])
  expect(events.filter(({ kind }) => kind === 'rejected')).toMatchObject([
    { peer: '127.0.0.1', events: 1, sent: undefined },
  ])
})
