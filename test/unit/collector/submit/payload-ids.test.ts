/** Ids that payloads have: where the setting says. */
import { describe, expect, test } from 'vitest'
import { createRejections } from '../../../../src/collector/parsed.ts'
import type { CollectorSettings } from '../../../../src/collector/settings.ts'
import { withPayloadIds } from '../../../../src/collector/submit/payload-ids.ts'
import { runAtOnce } from '../../../../src/collector/work-turns.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { eventIdTextAt } from '../../../../src/spool/event-ids.ts'
import { writeArray } from '../../formats/smile/fixture.ts'
import { createTestCollector, type FakeSpool, post } from '../fakes.ts'

const idsOf = ({ batches }: FakeSpool): (string | undefined)[] =>
  batches.flatMap(({ eventIds, events }) => events.map((_, i) => eventIds && eventIdTextAt(eventIds, i)))

const take = async (
  body: string | Uint8Array,
  { settings = {}, ...init }: { settings?: Partial<CollectorSettings>; type?: string; query?: string } = {},
) => {
  const { collector, spool } = createTestCollector({ eventIdPath: 'order.id', ...settings })
  expect((await post(collector, body, init)).status).toBe(202)
  return idsOf(spool)
}

type Payload = { readonly [name: string]: Value }

const wrap = (...payloads: readonly Payload[]) => payloads.map(payload => ({ eventName: 'Click', payload }))

/** Which of them have one, and which of those have the same. */
const toPattern = (ids: readonly (string | undefined)[]): string =>
  ids.map(id => (id === undefined ? '-' : String(ids.indexOf(id)))).join(' ')

describe('an event has the id that its payload has at the path', () => {
  test.each<[string, readonly Payload[], string]>([
    ['a text', [{ order: { id: 'a' } }, { order: { id: 'b' } }], '0 1'],
    ['a whole number, or its text', [{ order: { id: 7 } }, { order: { id: 8 } }], '0 1'],
    ['another type', [{ order: { id: true } }, { order: { id: 1.5 } }, { order: { id: ['a'] } }], '- - -'],
    ['nothing', [{ order: 5 }, { id: 'a' }, { order: { id: '' } }, { 'order.id': 'a' }], '- - - -'],
    ['a long text', [{ order: { id: 'x'.repeat(512) } }, { order: { id: 'x'.repeat(513) } }], '0 -'],
  ])('of %s', async (_, payloads, pattern) => {
    expect(toPattern(await take(JSON.stringify(wrap(...payloads))))).toBe(pattern)
    expect(toPattern(await take(writeArray(wrap(...payloads)), { type: 'application/json+smile' }))).toBe(pattern)
  })

  test('in a long body, too', async () => {
    const payloads = Array.from({ length: 3_000 }, (_, i) => ({ order: { id: i }, text: 'x'.repeat(100) }))
    const ids = await take(JSON.stringify(wrap(...payloads)))
    expect(new Set(ids).size).toBe(3_000)
  })

  test('beside an event that is refused', async () => {
    const ids = await take(JSON.stringify([{ no: 'event' }, ...wrap({ order: { id: 'a' } }, { order: { id: 'b' } })]))
    expect(toPattern(ids)).toBe('0 1')
    expect(ids).toEqual(await take(JSON.stringify(wrap({ order: { id: 'a' } }, { order: { id: 'b' } }))))
  })

  test('and a repeat counts once', async () => {
    const { collector, spool } = createTestCollector({ eventIdPath: 'order.id' })
    for (const n of [1, 2]) await post(collector, JSON.stringify(wrap({ order: { id: 'a' }, n })))
    expect(spool.batches).toHaveLength(1)
  })
})

test('without the setting no event has one', async () => {
  const settings = { eventIdPath: undefined }
  expect(await take(JSON.stringify(wrap({ order: { id: 'a' } })), { settings })).toEqual([undefined])
})

test('an id that the sender gives otherwise counts', async () => {
  const event = (id: string) => ({ specversion: '1.0', source: 's', type: 'A', id, order: { id: 'a' } })
  const ids = await take(JSON.stringify([event('1'), event('2')]), { type: 'application/cloudevents-batch+json' })
  expect(toPattern(ids)).toBe('0 1')
})

test('and where only some events of a request have one, only the others have that of their payload', () => {
  const events = [0, 1].map(index => ({ index, name: 'Click', date: 0, granularity: 'HOURLY' as const }))
  const body = new TextEncoder().encode(JSON.stringify(wrap({ order: { id: 'a' } }, { order: { id: 'b' } })))
  const parsed = { format: 'json' as const, body, events, rejections: createRejections(), ids: ['own', undefined] }
  const { ids } = runAtOnce(withPayloadIds(parsed, 'order.id'))
  expect(ids).toEqual(['own', 'b'])
})
