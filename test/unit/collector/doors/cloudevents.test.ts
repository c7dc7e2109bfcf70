import { describe, expect, test } from 'vitest'
import type { Value } from '../../../../src/formats/number.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { createTestCollector, D, now, outcomeOf, post, storedEvents, whole } from '../fakes.ts'

const encodeSmile = (value: Value): Uint8Array => {
  const writer = createSmileWriter()
  writer.write(value)
  return writer.take()
}

const structured = 'application/cloudevents+json'
const batch = 'application/cloudevents-batch+json'
const attributes = '"specversion":"1.0","id":"1","source":"/shop","type":"shop.order"'
const event = (more = ''): string => `{${attributes}${more}}`
/** An event as the JSON SDKs of CloudEvents send it. */
const dated = event(',"time":"2009-01-02T03:04:05.006Z","data":{"total":1.10,"big":12345678901234567890}')

const bodyOf = ({ spool }: ReturnType<typeof createTestCollector>): string =>
  spool.batches.map(({ body }) => Buffer.from(body).toString()).join('')

describe('CloudEvents: structured', () => {
  test.each([`${structured}; charset=utf-8`, structured.toUpperCase()])('%s', async type => {
    const made = createTestCollector()
    const response = await post(made.collector, dated, { type })
    expect(response.status).toBe(202)
    expect(await outcomeOf(response)).toEqual(whole(1))
    expect(storedEvents(made.spool)).toMatchObject([{ name: 'shop.order', date: D }])
    // Byte for byte, with numbers that no double has.
    expect(bodyOf(made)).toBe(`[{"eventName":"shop.order","payload":${dated}}]`)
    expect(made.spool.batches).toMatchObject([{ api: 'POST_CloudEvents_API' }])
  })

  const rows: [name: string, body: string, status: number, type?: string][] = [
    ['an empty body', '', 400],
    ['not JSON', 'x', 400],
    ['JSON that breaks off', dated.slice(0, -1), 400],
    ['something behind it', `${dated} 1`, 400],
    ['two', `${dated}${dated}`, 400],
    ['an array in place of an event', `[${dated}]`, 400],
    ['an event in place of an array', dated, 400, batch],
    ['a number that is none', event(',"data":01'), 400],
    ['a name without quotes', '{specversion:"1.0"}', 400],
    ['another version', dated.replace('1.0', '0.3'), 400],
    ['no id', dated.replace('"id"', '"ID"'), 400],
    ['an empty source', dated.replace('/shop', ''), 400],
    ['a type that is no text', dated.replace('"shop.order"', '1'), 400],
    ['an empty array', '[]', 202, batch],
    ['a number that nothing could hold', event(`,"data":${'9'.repeat(20_000)}`), 400],
    ['no data', event(), 202],
    ['data that is no object', event(',"data":"x"'), 202],
    ['white space', ` \n${dated}\n`, 202],
    ['a byte order mark', `\ufeff${dated}`, 202],
  ]
  test.each(rows)('%s', async (_, body, status, type = structured) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, body, { type })
    expect(response.status).toBe(status)
    if (status === 202) return
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toMatchObject({ code: 'bad-event' })
    expect(spool.batches).toEqual([])
  })

  test.each([
    ['no time', '', now],
    ['a time that is none', ',"time":"soon"', now],
    ['an offset', ',"time":"2009-01-02T05:04:05.006+02:00"', D],
    ['an eventDate beside it', `,"time":"2020-01-02T03:04:05Z","eventDate":${D}`, D],
  ])('the date: %s', async (_, more, date) => {
    const { collector, spool } = createTestCollector()
    await post(collector, event(more), { type: structured })
    expect(storedEvents(spool)).toMatchObject([{ date }])
  })

  test.each([
    ['a/b\\c\u0001', 'a_b_c_'],
    ['ü'.repeat(300), 'ü'.repeat(42)],
    ['.hidden', '.hidden'],
    ['  ', 'CloudEvent'],
  ])('a type that no event may have as its name: %j', async (type, name) => {
    const { collector, spool } = createTestCollector()
    await post(collector, dated.replace('"shop.order"', JSON.stringify(type)), { type: structured })
    expect(storedEvents(spool)).toMatchObject([{ name, payload: { type } }])
  })
})

describe('CloudEvents: batches', () => {
  test('each event has its own name and date', async () => {
    const { collector, spool } = createTestCollector()
    const body = `[ ${dated} , ${event().replace('shop.order', 'shop.refund')} ]`
    expect(await outcomeOf(await post(collector, body, { type: batch }))).toEqual(whole(2))
    expect(storedEvents(spool)).toMatchObject([
      { name: 'shop.order', date: D },
      { name: 'shop.refund', date: now },
    ])
  })

  test.each([
    ['short', ''],
    ['long', ' '.repeat(300_000)],
  ])('one that is refused makes it a 400, and the others are kept: %s', async (_, blanks) => {
    const { collector, spool } = createTestCollector()
    const response = await post(
      collector,
      `[${dated},7,{"x":1},${blanks}${event().replace('shop.order', 'shop.refund')}]`,
      { type: batch },
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      accepted: 2,
      rejected: 2,
      errors: [
        { index: 1, code: 'bad-event' },
        { index: 2, code: 'bad-event' },
      ],
    })
    expect(storedEvents(spool)).toHaveLength(2)
    expect(collector.counters.POST_CloudEvents_API).toMatchObject({ requests: 1, failures: 1 })
  })

  test('a long one is the same, in turns', async () => {
    const { collector, spool } = createTestCollector()
    const body = `[${Array.from({ length: 3_000 }, (_, id) => dated.replace('"1"', `"${id}"`)).join(',')}]`
    expect(await outcomeOf(await post(collector, body, { type: batch }))).toEqual(whole(3_000))
    expect(storedEvents(spool).map(({ payload }) => payload)).toMatchObject([
      { id: '0' },
      { id: '1' },
      { id: '2' },
      ...Array.from({ length: 2_997 }, () => ({})),
    ])
  })

  test('more events than a request may have', async () => {
    const { collector, spool } = createTestCollector({ maxEventsPerRequest: 2 })
    expect((await post(collector, `[${dated},${dated},${dated}]`, { type: batch })).status).toBe(413)
    expect(spool.batches).toEqual([])
  })
})

describe('CloudEvents: binary mode', () => {
  const headers = {
    'ce-specversion': '1.0',
    'ce-id': 'A%2010',
    'ce-source': '/shop',
    'ce-type': 'shop.order',
    'ce-time': '2009-01-02T03:04:05.006Z',
    'ce-customer': 'M%C3%BCller',
  }
  const rows: [name: string, body: string | Uint8Array, type: string, data: object][] = [
    ['an object', '{"n":1.10}', 'application/json', { data: { n: 1.1 } }],
    ['an array', '[1,2]', 'application/json; charset=utf-8', { data: [1, 2] }],
    ['a number', ' 5\n', 'application/vnd.shop+json', { data: 5 }],
    ['text', 'a "b"', 'text/plain', { data: 'a "b"' }],
    ['JSON that is called text', '{"a":1}', 'text/plain', { data: '{"a":1}' }],
    ['XML', '<a/>', 'application/xml', { data: '<a/>' }],
    ['text that is not UTF-8', Buffer.from([0xff]), 'text/plain', { data_base64: '/w==' }],
    ['bytes', Buffer.from([0, 1, 2]), 'image/png', { data_base64: 'AAEC' }],
    ['bytes of no type', Buffer.from([1]), 'application/octet-stream', { data_base64: 'AQ==' }],
    ['nothing', '', 'application/json', {}],
    ['CSV', 'a\n1', 'text/csv', { data: 'a\n1' }],
  ]
  test.each(rows)('%s', async (_, body, type, data) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, body, { type, headers })
    expect(response.status).toBe(202)
    expect(await outcomeOf(response)).toEqual(whole(1))
    const [stored] = storedEvents(spool)
    expect(stored).toMatchObject({ name: 'shop.order', date: D })
    expect(JSON.parse(JSON.stringify(stored?.payload))).toEqual({
      specversion: '1.0',
      id: 'A 10',
      source: '/shop',
      type: 'shop.order',
      time: '2009-01-02T03:04:05.006Z',
      customer: 'Müller',
      datacontenttype: type,
      ...data,
    })
  })

  test('without a type the only data are bytes', async () => {
    const { collector, spool } = createTestCollector()
    expect((await post(collector, '', { type: '', headers })).status).toBe(202)
    expect(storedEvents(spool)).toHaveLength(1)
  })

  test('numbers of the data stay exact', async () => {
    const made = createTestCollector()
    await post(made.collector, '{"n":1.10,"big":12345678901234567890}', { headers })
    expect(bodyOf(made)).toContain('"data":{"n":1.10,"big":12345678901234567890}}')
  })

  const E = '{"eventName":"A","payload":{"x":1}}'
  const own: [name: string, body: string | Uint8Array, type?: string][] = [
    ['an event', E],
    ['an event after other data', `{"total":12} ${E}`],
    ['a name with an escape', E.replace('eventName', '\\u0065ventName')],
    ['UTF-16', Buffer.from(E, 'utf16le')],
    ['damage before it', `{"a":} ${E}`],
    ['a long event', `{"eventName":"A","payload":{"text":"${'y'.repeat(300_000)}"}}`],
    ['Smile', encodeSmile({ eventName: 'A', payload: { x: 1 } }), 'application/json+smile'],
  ]
  test.each(own)("the collector's own form stays what it is: %s", async (_, body, type = 'application/json') => {
    const { collector, spool } = createTestCollector()
    expect((await post(collector, body, { type, headers })).status).toBe(202)
    expect(storedEvents(spool)).toMatchObject([{ name: 'A' }])
  })

  test('an eventName somewhere within the data is of no account', async () => {
    for (const text of ['', 'y'.repeat(300_000)]) {
      const { collector, spool } = createTestCollector()
      const body = `{"Records":[{"eventName":"ObjectCreated:Put"}],"text":"${text}"}`
      expect((await post(collector, body, { headers })).status).toBe(202)
      expect(storedEvents(spool)).toMatchObject([{ name: 'shop.order', payload: { data: { text } } }])
    }
  })

  const refused: [
    name: string,
    body: string | Uint8Array,
    more: Record<string, string>,
    status: number,
    type?: string,
  ][] = [
    ['data that would add attributes', '1,"type":"x"', {}, 400],
    ['two values', '1 2', {}, 400],
    ['data that breaks off', '{"a":', {}, 400],
    ['another version', '{}', { 'ce-specversion': '0.3' }, 400],
    ['no type', '{}', { 'ce-type': '' }, 400],
    ['a value that is not encoded', '{}', { 'ce-subject': '%zz' }, 400],
    ['Smile without an event', encodeSmile({ total: 12 }), {}, 415, 'application/json+smile'],
    ['data with too many values', `{"x":[${'1,'.repeat(200_000)}1]}`, {}, 400],
  ]
  test.each(refused)('%s', async (_, body, more, status, type = 'application/json') => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, body, { type, headers: { ...headers, ...more } })
    expect(response.status).toBe(status)
    expect(spool.batches).toEqual([])
  })
})

describe('CloudEvents: a door that is not open', () => {
  test.each([structured, batch])('%s', async type => {
    const { collector, spool } = createTestCollector({ doors: new Set(['ndjson']) })
    const response = await post(collector, dated, { type })
    expect(response.status).toBe(415)
    const detail = expect.stringMatching(/collector\.doors.*cloudevents/)
    expect(await response.json()).toMatchObject({ code: 'unsupported-media-type', detail })
    expect(spool.batches).toEqual([])
    expect(collector.counters.POST_CloudEvents_API).toMatchObject({ requests: 1, failures: 1 })
  })

  test('a type that no format has stays a 415', async () => {
    for (const doors of [[], ['cloudevents']] as const) {
      const { collector } = createTestCollector({ doors: new Set(doors) })
      const response = await post(collector, 'x', { type: 'image/png' })
      expect([response.status, (await response.text()).includes('cloudevents')]).toEqual([415, doors.length > 0])
    }
  })
})
