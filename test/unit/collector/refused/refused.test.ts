import { describe, expect, test } from 'vitest'
import { doorNames } from '../../../../src/collector/doors/door-names.ts'
import { doorFormats } from '../../../../src/collector/formats/doors.ts'
import { intakeFormats } from '../../../../src/collector/formats/formats.ts'
import type { IntakeFormat } from '../../../../src/collector/formats/intake-format.ts'
import { createValidator } from '../../../../src/collector/validation/validator.ts'
import { SluiceError } from '../../../../src/errors.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { toUnauthenticated } from '../../../../src/http/auth/token-callers.ts'
import { toAwaitable } from '../../../../src/http/call/answer.ts'
import { apis } from '../../../../src/spool/apis.ts'
import {
  createCall,
  createFakeSpool,
  createTestCollector,
  get,
  knock,
  post,
  refusedEvents,
  storedEvents,
} from '../fakes.ts'

type Made = ReturnType<typeof createTestCollector>

const good = '{"eventName":"Order","payload":{"total":1.5}}'
const bad = '{"eventName":"Order","payload":{"total":"much"}}'
const broken = '{"eventName":"Order","payload":7}'

const fields = [{ id: 1, name: 'total', type: 'double' }]
const validate = createValidator({ lookup: name => (name === 'Order' ? fields : undefined), mode: () => 'reject' })

const smile = (...values: readonly Parameters<ReturnType<typeof createSmileWriter>['write']>[0][]) => {
  const writer = createSmileWriter()
  writer.startArray()
  for (const value of values) writer.write(value)
  writer.endArray()
  return writer.take()
}

const books = ({ counters, refused }: ReturnType<typeof createTestCollector>['collector']) => {
  for (const api of apis) {
    const { received, accepted, filtered, rejected, unknown } = counters[api]
    expect(received).toBe(accepted + filtered + rejected + unknown)
  }
  return refused
}

describe('a refused request', () => {
  test.each([
    ['no JSON', 'no JSON', {}, { sent: 'no JSON', type: '', code: 'bad-event', isReplayable: true }],
    ['a single event', broken, {}, { sent: broken, type: 'Order', isReplayable: true }],
    ['one that its contract refuses', bad, {}, { sent: bad, type: 'Order', code: 'schema-mismatch' }],
    ['nothing of several', `[${bad},${broken}]`, {}, { sent: `[${bad},${broken}]`, events: 2, type: 'Order' }],
    [
      'an unknown type',
      good,
      { type: 'image/png' },
      { sent: good, contentType: 'image/png', code: 'unsupported-media-type' },
    ],
    [
      'an unknown encoding',
      good,
      { headers: { 'content-encoding': 'rot13' } },
      { contentEncoding: 'rot13', sent: good },
    ],
    ['a broken encoding', good, { headers: { 'content-encoding': 'gzip' } }, { contentEncoding: 'gzip', sent: good }],
    ['a bad parameter', good, { query: '?date=never' }, { target: '/rest/1.0/event?date=never' }],
    ['bytes that are no text', new Uint8Array([0xff, 1]), {}, { sentBase64: '/wE=', bytes: 2 }],
    ['its key', 'no', { headers: { 'idempotency-key': 'k' } }, { requestKey: 'k' }],
    ['more than 64 KiB', `"${'é'.repeat(40_000)}`, {}, { bytes: 80_001, isCut: true, isReplayable: false }],
  ])('is stored: %s', async (_, body, init, row) => {
    const { collector, spool } = createTestCollector({}, { validate })
    await post(collector, body, init)
    expect(refusedEvents(spool)).toMatchObject([{ payload: row }])
    expect(storedEvents(spool)).toEqual([])
    expect(books(collector)).toMatchObject({ beyondLimit: 0, failed: 0 })
  })

  test('of GET: the target says it all', async () => {
    const { collector, spool } = createTestCollector()
    await get(collector, '/1?v=Order,x')
    expect(refusedEvents(spool)).toMatchObject([
      { payload: { method: 'GET', target: '/1?v=Order,x', isReplayable: true } },
    ])
  })

  test.each([
    ['getEventV1', '/1?v=Order,x', {}],
    ['getSnowplow', '/i?eid=1', { requestKey: 'k' }],
  ] as const)('has its key where its operation takes one: %s', async (id, target, want) => {
    const { collector, spool } = createTestCollector({ doors: new Set(doorNames) })
    const init = { method: 'GET', headers: { 'idempotency-key': 'k' } }
    await (id === 'getEventV1' ? get(collector, target, init) : knock(collector, id, target, '', init))
    const [event] = refusedEvents(spool)
    expect(event).toMatchObject({ payload: want })
    if (!('requestKey' in want)) expect(event?.payload).not.toHaveProperty('requestKey')
  })

  test.each([
    ['postPostHogFlags', 'POST', '/flags'],
    ['postPostHogDecide', 'POST', '/decide'],
    ['getSegmentSettings', 'GET', '/v1/projects/S3cret/settings'],
    ['getRudderStackSettings', 'GET', '/sourceConfig?writeKey=S3cret'],
    ['getPostHogSettings', 'GET', '/array/S3cret/config'],
    ['getPostHogSettings', 'GET', '/array/%'],
    ['getSegmentSettings', 'HEAD', '/v1/projects/%'],
  ])('is none where no event can come: %s', (id, method, target) => {
    const { collector, spool } = createTestCollector({ doors: new Set(doorNames) })
    const call = createCall(target, { method, ...(method === 'POST' && { body: '{"api_key":"S3cret"}' }) })
    const error = new SluiceError('bad-parameter', 'no')
    expect(() => collector.refuse(error, call.withOperation(id, {}))).toThrow(error.message)
    for (const api of apis) expect(collector.counters[api]).toMatchObject({ requests: 0, failures: 0, malformed: 0 })
    expect([...refusedEvents(spool), ...collector.live.recent()]).toEqual([])
  })

  test.each(['/v1/%', '/v1/%ff', `/v1/${'x'.repeat(65)}`, '/v1/;/../batch'])(
    'is counted alone where nothing takes events at its path: %s',
    async target => {
      const { collector, spool } = createTestCollector({ doors: new Set(doorNames) })
      expect((await knock(collector, 'postSegment', target, '{"type":"page"}')).status).toBeOneOf([400, 404])
      expect(refusedEvents(spool)).toEqual([])
      expect(collector.counters.POST_Segment_API).toMatchObject({ requests: 1, failures: 1, malformed: 1, received: 1 })
      books(collector)
    },
  )

  test('holds nothing that proves who somebody is', async () => {
    const { collector, spool } = createTestCollector()
    const headers = { authorization: 'Bearer hush', cookie: 'hush', 'x-api-key': 'hush', 'user-agent': 'Nice/1' }
    await post(collector, 'no', { headers })
    const [event] = refusedEvents(spool)
    expect(JSON.stringify(event)).not.toContain('hush')
    expect(event).toMatchObject({ payload: { headers: '{"user-agent":"Nice/1"}' } })
  })

  test.each([
    [
      'postFirehose',
      '/firehose?name=x',
      {
        'x-amz-firehose-request-id': 'r',
        'x-amz-firehose-access-key': 'hush',
        'x-amz-firehose-common-attributes': '{"commonAttributes":{"a":"b"}}',
      },
      { 'x-amz-firehose-request-id': 'r', 'x-amz-firehose-common-attributes': '{"commonAttributes":{"a":"b"}}' },
    ],
    [
      'postSnowplow',
      '/com.snowplowanalytics.snowplow/tp2',
      { 'sp-anonymous': '*', cookie: 'a=hush; sp=me;spx=hush; =hush; session', 'x-amz-firehose-request-id': 'r' },
      { 'sp-anonymous': '*', cookie: 'sp=me' },
    ],
    ['getSnowplow', '/i?eid=1', { cookie: 'sp=me; session=hush' }, { cookie: 'sp=me' }],
    ['postSegment', '/v1/batch', { cookie: 'sp=hush', 'sp-anonymous': '*' }, {}],
  ] as const)('has the headers that its door makes events of: %s', async (id, target, headers, want) => {
    const { collector, spool } = createTestCollector({ doors: new Set(doorNames) })
    const method = id === 'getSnowplow' ? 'GET' : 'POST'
    expect((await knock(collector, id, target, method === 'GET' ? '' : 'no', { headers, method })).status).toBe(400)
    const [event] = refusedEvents(spool)
    expect(JSON.parse(String(Object(event?.payload).headers))).toEqual(want)
    expect(JSON.stringify(event)).not.toContain('hush')
  })

  test('an event alone has what its door made of headers, and not the headers', async () => {
    const { collector, spool } = createTestCollector({ doors: new Set(doorNames) }, { validate })
    const records = [{ data: btoa('{"total":1}') }, { data: btoa('{"total":"much"}') }]
    const headers = {
      'x-amz-firehose-request-id': 'r',
      'x-amz-firehose-common-attributes': '{"stage":"a"}',
      'user-agent': 'Nice/1',
    }
    await knock(collector, 'postFirehose', '/firehose?name=Order', JSON.stringify({ records }), { headers })
    expect(refusedEvents(spool)).toMatchObject([
      { payload: { headers: '{"user-agent":"Nice/1"}', sent: expect.stringContaining('"stage":"a"') } },
    ])
  })

  test('no door keeps a header or a cookie that may prove who somebody is', () => {
    const formats: readonly IntakeFormat[] = [...Object.values(doorFormats), ...intakeFormats]
    const kept = formats.flatMap(({ headers = [], cookies = [] }) => [...headers, ...cookies])
    expect(kept).toContain('sp')
    expect(kept.filter(name => /auth|cookie|key|token|secret|session|password|forwarded/i.test(name))).toEqual([])
    expect(kept).toEqual(kept.map(name => name.toLowerCase()))
  })

  test.each([
    ['too large', 413, { maxBodyBytes: 1 }, good],
    ['overloaded', 503, { maxInflightBytes: 1 }, good],
  ])('is counted alone: %s', async (_, status, settings, body) => {
    const { collector, spool } = createTestCollector(settings)
    expect((await post(collector, body)).status).toBe(status)
    expect(refusedEvents(spool)).toEqual([])
  })
})

describe('events refused within a 202', () => {
  test('each is a row, with its place, its reason and its bytes alone', async () => {
    const { collector, spool } = createTestCollector({}, { validate })
    const response = await post(collector, `[${good},${broken},${good},${bad},7]`)
    expect(response.status).toBe(202)
    expect(refusedEvents(spool)).toMatchObject([
      { name: '/Order', payload: { position: 1, sent: broken, code: 'bad-event', events: 1, isReplayable: true } },
      { name: '/Order', payload: { position: 3, sent: bad, code: 'schema-mismatch', type: 'Order' } },
      { name: '/', payload: { position: 4, sent: '7', contentType: 'application/json' } },
    ])
    expect(storedEvents(spool)).toHaveLength(2)
    expect(books(collector)).toEqual({ kept: 3, beyondLimit: 0, failed: 0 })
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 5, accepted: 2, rejected: 3 })
  })

  test.each([
    ['damage between them', `${good} ,, {"eventName": ${good}`],
    ['a long body', `[${good},${broken.replace('7', `"${'x'.repeat(300_000)}"`)},${broken},${good}]`],
  ])('%s', async (_, body) => {
    const { collector, spool } = createTestCollector()
    expect((await post(collector, body)).status).toBe(202)
    const { rejected } = collector.counters.POST_Json_API
    expect(rejected).toBeGreaterThan(0)
    const events = refusedEvents(spool)
    expect(events).toHaveLength(rejected)
    if (body.length > 256 * 1024) expect(events.at(-1)).toMatchObject({ name: '/Order', payload: { sent: broken } })
  })

  test.each([
    ['that cannot be read', broken, 'bad-event'],
    ['that do not fit', bad, 'schema-mismatch'],
  ])('all are in the books, also where they are more than a request tells of: %s', async (_, one, code) => {
    const { collector, spool } = createTestCollector({}, { validate })
    await post(collector, `[${[good, ...Array.from({ length: 250 }, () => one), '7'].join()}]`)
    const rows = refusedEvents(spool).map(({ payload }) => Object(payload) as Record<string, unknown>)
    expect(rows).toHaveLength(101)
    const rest = { kind: 'rest', code, events: 151, isReplayable: false }
    expect(rows.filter(({ kind }) => kind === 'rest')).toMatchObject([rest])
    expect(rows.at(-1)).not.toHaveProperty('position')
    expect(books(collector)).toEqual({ kept: 251, beyondLimit: 0, failed: 0 })
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 252, accepted: 1, rejected: 251 })
  })

  test('a request that is sent again by its key is stored once', async () => {
    const { collector, spool } = createTestCollector()
    const headers = { 'idempotency-key': 'k' }
    await post(collector, `[${good},7]`, { headers })
    await post(collector, `[${good},7]`, { headers })
    expect(refusedEvents(spool)).toHaveLength(1)
  })

  describe('a crash between what is accepted and what is refused', () => {
    const door = '{"batch":[{"event":"Fine","uuid":"1"},{"event":"Order","total":"much","uuid":"2"},7]}'
    const sends: readonly (readonly [string, (collector: Made['collector'], headers: object) => Promise<Response>])[] =
      [
        ['JSON', (collector, headers) => post(collector, `[${good},${broken},${bad}]`, { headers: { ...headers } })],
        [
          'a door',
          (collector, headers) => knock(collector, 'postPostHogBatch', '/batch/', door, { headers: { ...headers } }),
        ],
      ]
    test.each(sends)('leaves the rows to the next try, which stores them once: %s', async (_, send) => {
      const headers = { 'idempotency-key': 'k' }
      const spool = createFakeSpool()
      const append = spool.append.bind(spool)
      let appends = 0
      // The second record of the first process is never written.
      spool.append = batch => (++appends === 2 ? new Promise(() => {}) : append(batch))
      const start = () => createTestCollector({ doors: new Set(doorNames) }, { validate, spool }).collector
      void send(start(), headers)
      await expect.poll(() => appends).toBe(2)
      expect([storedEvents(spool).length, refusedEvents(spool).length]).toEqual([1, 0])
      const collector = start()
      for (let attempt = 0; attempt < 3; attempt++) await send(collector, headers)
      expect(storedEvents(spool)).toHaveLength(1)
      expect(refusedEvents(spool)).toMatchObject(
        [expect.anything(), expect.anything()].map(() => ({ payload: { sent: expect.any(String) } })),
      )
      expect(collector.refused).toEqual({ kept: 2, beyondLimit: 0, failed: 0 })
    })
  })

  test('tries at the same time store their rows once, and one that fails leaves them to the next', async () => {
    const { collector, spool } = createTestCollector()
    const headers = { 'idempotency-key': 'k' }
    const append = spool.append.bind(spool)
    let appends = 0
    spool.append = batch => (++appends === 1 ? Promise.reject(new SluiceError('unavailable', 'disk')) : append(batch))
    await Promise.all(Array.from({ length: 5 }, () => post(collector, 'no', { headers })))
    expect(refusedEvents(spool)).toHaveLength(1)
    expect(collector.refused).toEqual({ kept: 1, beyondLimit: 0, failed: 1 })
    await post(collector, 'no', { headers: { 'idempotency-key': 'other' } })
    await post(collector, 'not', { headers })
    await post(collector, 'not')
    await post(collector, 'not')
    expect(refusedEvents(spool)).toHaveLength(5)
  })

  describe('a request that is sent again by its key', () => {
    const headers = { 'idempotency-key': 'k' }
    const item = bad.replace('Order', 'Item')
    const payloads = ({ spool }: Made) => refusedEvents(spool).map(({ payload }) => payload)
    const refusing = (...names: readonly string[]) => {
      const types = new Set(names)
      const made = createTestCollector(
        {},
        {
          validate: createValidator({
            lookup: name => (types.has(name) ? fields : undefined),
            mode: () => 'reject',
          }),
        },
      )
      const send = (body: string): Promise<Response> => post(made.collector, body, { headers })
      return { ...made, types, send }
    }

    const long = bad.replace('}}', `,"x":"${'x'.repeat(70_000)}"}}`)
    test.each([
      ['whole', bad, 1],
      ['by its events', long, 2],
    ])('has rows for what is refused of it still when a part is taken: it was stored %s', async (_, one, rows) => {
      const made = refusing('Order', 'Item')
      await made.send(`[${one},${item}]`)
      expect(payloads(made).map(payload => Object(payload).requestKey)).toEqual(Array.from({ length: rows }, () => 'k'))
      made.types.delete('Order')
      await made.send(`[${one},${item}]`)
      await made.send(`[${one},${item}]`)
      expect(payloads(made)).toHaveLength(rows + 1)
      expect(payloads(made).at(-1)).toMatchObject({ sent: item, position: 1, events: 1, isReplayable: true })
      expect(payloads(made).at(-1)).not.toHaveProperty('requestKey')
    })

    test('has a row that can be sent in where its key was taken by another one meanwhile', async () => {
      const made = refusing('Order')
      for (const body of [`[${bad}]`, good, `[${bad}]`, `[${bad}]`]) await made.send(body)
      expect(payloads(made)).toMatchObject([{ requestKey: 'k' }, { code: 'key-reused', isReplayable: true }])
      expect(payloads(made)[1]).not.toHaveProperty('requestKey')
    })

    test('has the bytes of the events that were refused, whatever contracts say by then', async () => {
      const made = refusing('Order', 'Item')
      const append = made.spool.append.bind(made.spool)
      let appends = 0
      made.spool.append = batch =>
        ++appends === 2 ? Promise.reject(new SluiceError('unavailable', 'disk')) : append(batch)
      await made.send(`[${bad},${good},${item}]`)
      expect(payloads(made)).toEqual([])
      made.types.delete('Order')
      await made.send(`[${bad},${good},${item}]`)
      expect(payloads(made)).toMatchObject([
        { position: 2, sent: item, type: 'Item' },
        { kind: 'rest', events: 1 },
      ])
    })

    test.each([1, 2])(
      'has no rows for events that were kept although they do not fit: stored by try %i',
      async first => {
        const made = createTestCollector(
          {},
          { validate: createValidator({ lookup: () => fields, mode: () => 'warn' }) },
        )
        const { spool, collector } = made
        const { append, recall } = { append: spool.append.bind(spool), recall: spool.recall.bind(spool) }
        let appends = 0
        // As it is remembered: no more than that.
        spool.recall = key => {
          const known = recall(key)
          const short = known?.outcome.then(({ accepted, rejected, errors }) => ({ accepted, rejected, errors }))
          return known && short && { ...known, outcome: short }
        }
        const isLost = (): boolean => ++appends === 2 && first === 2
        spool.append = batch => (isLost() ? Promise.reject(new SluiceError('unavailable', 'disk')) : append(batch))
        for (let attempt = 0; attempt < 3; attempt++) await post(collector, `[${bad},7]`, { headers })
        expect(storedEvents(spool)).toHaveLength(1)
        expect(payloads(made)).toMatchObject([{ position: 1, sent: '7' }])
      },
    )
  })

  test('of Smile: an event alone is a body', async () => {
    const { collector, spool } = createTestCollector({}, { validate })
    const event = (total: number | string) => ({ eventName: 'Order', payload: { total } })
    await post(collector, smile(event(1.5), event('much'), event(2.5)), { type: 'application/smile' })
    const [first] = refusedEvents(spool)
    expect(first).toMatchObject({ name: '/Order', payload: { position: 1, contentType: 'application/json+smile' } })
    const { sent, sentBase64 } = Object(first?.payload) as { sent?: string; sentBase64?: string }
    const alone = sent === undefined ? Buffer.from(sentBase64 ?? '', 'base64') : Buffer.from(sent)
    const again = createTestCollector()
    expect((await post(again.collector, alone, { type: 'application/smile' })).status).toBe(202)
    expect(storedEvents(again.spool)).toMatchObject([{ name: 'Order', payload: { total: 'much' } }])
  })
})

describe('collector.refused.max-bytes-per-hour', () => {
  test('beyond it they are counted; what is set aside is stored all the same', async () => {
    const aside = createValidator({ lookup: name => (name === 'Order' ? fields : undefined), mode: () => 'set-aside' })
    const { collector, spool } = createTestCollector({ maxRefusedBytesPerHour: 0 }, { validate: aside })
    await post(collector, 'no')
    expect(books(collector)).toEqual({ kept: 0, beyondLimit: 1, failed: 0 })
    await post(collector, `[${bad},${good}]`)
    expect(storedEvents(spool)).toMatchObject([
      { name: '/Order', payload: { kind: 'set-aside', sent: bad } },
      { name: 'Order', payload: { total: 1.5 } },
    ])
    expect(refusedEvents(spool)).toEqual([])
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 3, accepted: 2, malformed: 1 })
  })

  test('what the spool does not take is counted, and the answer stays', async () => {
    const { collector, spool } = createTestCollector()
    spool.failure = new SluiceError('unavailable', 'disk')
    expect((await post(collector, 'no')).status).toBe(400)
    expect(books(collector)).toEqual({ kept: 0, beyondLimit: 0, failed: 1 })
  })

  test.each([
    ['what cannot be read', {}],
    ['a parameter that is not known, refused before its handler', { query: '?gr=x' }],
    ['one that its handler refuses', { query: '?date=never' }],
    ['another type', { type: 'image/png' }],
  ])('the answer waits for the disk: %s', async (_, init) => {
    const { collector, spool } = createTestCollector()
    const gate = Promise.withResolvers<void>()
    spool.gate = gate.promise
    let isAnswered = false
    const answered = post(collector, 'no', init).then(() => {
      isAnswered = true
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    gate.resolve()
    await answered
    expect(refusedEvents(spool)).toMatchObject([{ payload: { sent: 'no' } }])
  })

  test.each([
    ['unauthenticated', toUnauthenticated('no token')],
    ['denied', new SluiceError('denied', 'no role')],
  ])('nothing of a refused caller is read or waited for: %s', (code, error) => {
    const { collector, spool } = createTestCollector()
    spool.gate = new Promise(() => {})
    const call = createCall('/rest/1.0/event', { method: 'POST', body: good }).withOperation('postEvent', {})
    expect(() => collector.refuse(error, call)).toThrow(expect.objectContaining({ code }))
    expect(collector.counters.POST_ThriftLegacy_API).toMatchObject({ requests: 1, failures: 1, received: 0 })
    const inQuery = createCall('/1?v=Order,hush').withOperation('getEventV1', {})
    expect(() => collector.refuse(error, inQuery)).toThrow(expect.objectContaining({ code }))
    expect(collector.live.recent().flatMap(({ sent }) => sent ?? [])).toEqual([])
  })

  test.each([
    ['503', new SluiceError('unavailable', 'no tokens now'), false],
    ['404', new SluiceError('not-found', 'no door'), false],
    ['a stranger where senders are known', new SluiceError('bad-parameter', 'gr'), true],
  ])('no body is read for what is counted alone: %s', async (_, error, knowsCallers) => {
    const { collector, spool } = createTestCollector({ knowsCallers })
    let reads = 0
    const made = createCall('/rest/1.0/event', { method: 'POST', body: good, headers: { 'content-length': '9' } })
    const call = { ...made.withOperation('postEvent', {}), bytes: async () => Buffer.alloc(reads++) }
    await expect((async () => toAwaitable(collector.refuse(error, call)))()).rejects.toMatchObject({ code: error.code })
    expect([reads, refusedEvents(spool)]).toEqual([0, []])
  })
})
