import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { doorNames } from '../../../../src/collector/doors/door-names.ts'
import { findKey, maskTarget } from '../../../../src/collector/refused/mask-keys.ts'
import { createValidator } from '../../../../src/collector/validation/validator.ts'
import { type CallInit, createTestCollector, get, knock, post, refusedEvents, storedEvents } from '../fakes.ts'

const key = 'S3cret'
const open = { doors: new Set(doorNames) }
const form = (text: string | Buffer): string => `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`

/** What is stored of a request that is refused, in whole or in part: each row as text, and what it says was sent. */
const store = async (
  id: 'postSegment' | 'postPostHogEvent' | 'postFirehose',
  body: string | Uint8Array,
  { target = '', ...init }: CallInit & { target?: string; type?: string } = {},
) => {
  const shown: string[] = []
  const made = createTestCollector(open)
  const path = { postSegment: '/v1/batch', postPostHogEvent: '/i/v0/e/', postFirehose: '/firehose?name=x' }[id]
  expect((await knock(made.collector, id, `${path}${target}`, body, init)).status).toBeOneOf([400, 415])
  shown.push(...made.collector.live.recent().map(({ sent }) => Buffer.from(sent?.bytes ?? []).toString('latin1')))
  const rows = refusedEvents(made.spool).map(({ payload }) => Object(payload))
  expect(rows).not.toEqual([])
  return { rows, text: JSON.stringify(rows), shown: shown.join() }
}

const row = ({ rows }: Awaited<ReturnType<typeof store>>) => rows[0]
const sentOf = (one: { sent?: string; sentBase64?: string }): Buffer =>
  one.sentBase64 === undefined ? Buffer.from(one.sent ?? '') : Buffer.from(one.sentBase64, 'base64')

describe('the key of a refused body is not stored', () => {
  const rows: readonly (readonly [string, Parameters<typeof store>[0], string, string])[] = [
    ['beside a batch', 'postSegment', `{"writeKey":"${key}","batch":[7]}`, '{"writeKey":"(hidden)","batch":[7]}'],
    ['of a batch that is none', 'postSegment', `{"writeKey":"${key}","batch":7}`, '{"writeKey":"(hidden)","batch":7}'],
    ['in one of two', 'postSegment', `{"batch":[{"type":"page"},{"writeKey":"${key}"}]}`, '{"writeKey":"(hidden)"}'],
    ['of one', 'postSegment', `{ "writeKey" :\n "${key}" , "n":1.10}`, '{ "writeKey" :\n "(hidden)" , "n":1.10}'],
    ['in what is cut off', 'postSegment', `{"batch":[],"writeKey":"${key}`, '{"batch":[],"writeKey":"(hidden)'],
    ['in no JSON', 'postSegment', `x,"y,"writeKey":"${key}"\xff`, 'x,"y,"writeKey":"(hidden)"\xff'],
    ['with escapes', 'postSegment', `{"wr\\u0069te\\u004bey":"a\\"${key}\\\\"}`, '{"wr\\u0069te\\u004bey":"(hidden)"}'],
    ['with others', 'postSegment', `{"wr\\u0069te\\u004Bey":"a\\"${key}\\\\"}`, '{"wr\\u0069te\\u004Bey":"(hidden)"}'],
    [
      'in a text',
      'postSegment',
      JSON.stringify(`{"writeKey":"a\\"${key}\\\\","n":"x"}`),
      JSON.stringify('{"writeKey":"(hidden)","n":"x"}'),
    ],
    ['in a text that is cut off', 'postSegment', `"{\\"writeKey\\":\\"${key}`, '"{\\"writeKey\\":\\"(hidden)'],
    [
      'in a text in a text',
      'postSegment',
      JSON.stringify(JSON.stringify(`{"writeKey":"${key}"}`)),
      JSON.stringify(JSON.stringify('{"writeKey":"(hidden)"}')),
    ],
    ['in a form', 'postSegment', `a=1&writeKey=${key}`, 'a=1&writeKey=(hidden)'],
    ['in a form that escapes it', 'postSegment', `a=1&write%4Bey=${key}`, 'a=1&write%4Bey=(hidden)'],
    [
      'in JSON in a form',
      'postSegment',
      `a=1&b=${encodeURIComponent(`{"writeKey":"${key}"}`)}`,
      'a=1&b=%7B%22writeKey%22%3A%22(hidden)%22%7D',
    ],
    [
      'in a URL in a form',
      'postSegment',
      `a=${encodeURIComponent(`https://x.example/?writeKey=${key}&b`)}`,
      'a=https%3A%2F%2Fx.example%2F%3FwriteKey%3D(hidden)%26b',
    ],
    [
      'behind another field',
      'postPostHogEvent',
      `compression=none&${form(`{"token":"${key}"}`)}`,
      `compression=none&${form('{"token":"(hidden)"}')}`,
    ],
    ['twice', 'postSegment', `{"writeKey":"","writeKey":"${key}"}`, '{"writeKey":"","writeKey":"(hidden)"}'],
    ['beside events', 'postPostHogEvent', `{"api_key":"${key}","batch":{}}`, '{"api_key":"(hidden)","batch":{}}'],
    ['as a token', 'postPostHogEvent', `[{"token":"${key}"}]`, '[{"token":"(hidden)"}]'],
    ['of properties', 'postPostHogEvent', `{"properties":{"token":"${key}"}}`, '{"properties":{"token":"(hidden)"}}'],
    ['with a mark', 'postPostHogEvent', `\ufeff{"token":"${key}"}`, '{"token":"(hidden)"}'],
  ]
  test.each(rows)('%s', async (_, id, body, want) => {
    const stored = await store(id, body)
    expect(`${stored.text}${stored.shown}`).not.toContain(key)
    expect(stored.rows.at(-1)).toMatchObject({ sent: want, bytes: Buffer.byteLength(want), isCut: false })
  })

  const hidden = `{"properties":{"token":"${key}"}}`
  test.each([
    ['gzip', gzipSync(hidden), (sent: Buffer) => gunzipSync(sent)],
    ['a form', form(hidden), fromForm],
    ['a form behind a mark', `\ufeff${form(hidden)}`, fromForm],
    ['a form of gzip', form(gzipSync(hidden)), (sent: Buffer) => gunzipSync(fromForm(sent))],
  ] as const)('in %s, which it stays', async (_, body, open) => {
    const stored = await store('postPostHogEvent', body, { type: 'text/plain' })
    expect(open(sentOf(row(stored))).toString()).toBe(hidden.replace(key, '(hidden)'))
    expect(row(stored)).toMatchObject({ isCut: false, isReplayable: true })
  })

  test('in a form with line breaks, which is malformed', async () => {
    const lines = Buffer.from(hidden).toString('base64').replaceAll(/.{8}/g, '$&\r\n')
    const stored = await store('postPostHogEvent', `data=${encodeURIComponent(lines)}`)
    expect(fromForm(sentOf(row(stored))).toString()).toBe(hidden.replace(key, '(hidden)'))
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('in a long form, wherever it is cut off: %i', async length => {
    const text = `{"token":"${key}","a":"${'x'.repeat(length)}${'?'.repeat(50_000)}`
    const stored = await store('postPostHogEvent', form(text))
    expect(fromForm(sentOf(row(stored))).toString()).toMatch(/^\{"token":"\(hidden\)","a":"/)
    expect(row(stored)).toMatchObject({ isCut: true })
  })

  test.each([
    ['damaged gzip', gzipSync(hidden, { level: 0 }).subarray(0, -3), {}],
    ['an unknown encoding', hidden, { headers: { 'content-encoding': 'rot13' } }],
    ['a damaged encoding', gzipSync(hidden, { level: 0 }).subarray(0, -3), { headers: { 'content-encoding': 'gzip' } }],
  ] as const)('nothing is kept of what cannot be looked into: %s', async (_, body, init) => {
    const stored = await store('postPostHogEvent', body, init)
    expect(row(stored)).toMatchObject({ sent: '', bytes: body.length, isCut: true, isReplayable: false })
    expect(stored.shown).not.toContain(key)
  })

  test('a body that was encoded is kept decoded', async () => {
    const stored = await store('postSegment', gzipSync(`{"writeKey":"${key}","batch":7}`), {
      headers: { 'content-encoding': 'gzip' },
    })
    expect(row(stored)).toMatchObject({ sent: '{"writeKey":"(hidden)","batch":7}' })
  })

  test('in a long body, of which the beginning is stored', async () => {
    const stored = await store('postSegment', `{"writeKey":"${key}","a":"${'x'.repeat(70_000)}","writeKey":"${key}`)
    expect(stored.text).not.toContain(key)
    expect(row(stored)).toMatchObject({ isCut: true, isReplayable: false })
  })

  test('masks have room, however many there are', async () => {
    const stored = await store('postSegment', `[${'{"writeKey":"x"},'.repeat(4_000)}`)
    expect(row(stored).isCut).toBe(true)
    expect(sentOf(row(stored))).toHaveLength(65_536)
  })

  test.each([
    ['postSegment', '?a=1&writeKey=S3cret&wr%69teKey=S3cret', '/v1/batch?a=1&writeKey=(hidden)&wr%69teKey=(hidden)'],
    ['postPostHogEvent', '?token=S3cret&x', '/i/v0/e/?token=(hidden)&x'],
    ['postPostHogEvent', `?${form('{"api_key":"S3cret","é":1}')}`, `/i/v0/e/?${form('{"api_key":"(hidden)","é":1}')}`],
    [
      'postPostHogEvent',
      `?d=${encodeURIComponent('{"token":"S3cret"}')}`,
      '/i/v0/e/?d=%7B%22token%22%3A%22(hidden)%22%7D',
    ],
    ['postPostHogEvent', `?x#a&token=S3cret`, '/i/v0/e/?x#a&token=(hidden)'],
    [
      'postPostHogEvent',
      `?d=${encodeURIComponent(gzipSync('{"token":"S3cret"}', { level: 0 }).subarray(0, -3).toString('base64'))}`,
      '(hidden)',
    ],
    [
      'postFirehose',
      '&access_token=S3cret&Password=S3cret',
      '/firehose?name=x&access_token=(hidden)&Password=(hidden)',
    ],
  ] as const)('in the target of %s', async (id, target, want) => {
    const headers = {
      'x-amz-firehose-request-id': 'r',
      referer: `https://shop.example/?token=${key}&writeKey=${key}`,
      'user-agent': 'Nice/1',
    }
    const stored = await store(id, 'x', { target, headers: id === 'postSegment' ? {} : headers })
    expect(stored.text).not.toContain(`token=${key}`)
    expect(row(stored)).toMatchObject({ target: want })
  })

  test('in a form that is not base64', async () => {
    const stored = await store('postPostHogEvent', `data=%%%&api_key=${key}`)
    expect(row(stored)).toMatchObject({ sent: 'data=%%%&api_key=(hidden)' })
  })

  test.each([
    ['postSegment', { authorization: `Basic ${btoa(`${key}:`)}`, cookie: key }],
    ['postFirehose', { 'x-amz-firehose-access-key': key, 'x-amz-firehose-request-id': 'r' }],
  ] as const)('of the headers of %s', async (id, headers) => {
    const stored = await store(id, 'x', { headers })
    expect(stored.text).not.toMatch(new RegExp(`${key}|${btoa(key).slice(0, 6)}`))
  })
})

describe('a secret in a URL is stored in no row', () => {
  const schema = [{ id: 1, name: 'n', type: 'double' }]
  const misfit = '{"eventName":"Order","payload":{"n":"x"}}'
  const cases: readonly (readonly [string, 'reject' | 'set-aside', string])[] = [
    ['a request', 'reject', 'no JSON'],
    ['one of several', 'reject', '[{"eventName":"Fine","payload":{}},7]'],
    ['one that does not fit', 'reject', `[{"eventName":"Fine","payload":{}},${misfit}]`],
    ['one that is set aside', 'set-aside', misfit],
  ]
  const referer = (text: string) => ({ referer: `https://shop.example/?next=${encodeURIComponent(text)}&a=1` })
  test.each(cases)('%s', async (_, action, body) => {
    for (const name of ['access_token', 'token', 'password', 'secret', 'delegation', 'access%5Ftoken', 'TOKEN']) {
      const validate = createValidator({ lookup: type => (type === 'Order' ? schema : undefined), mode: () => action })
      const { collector, spool } = createTestCollector(open, { validate })
      await post(collector, body, { query: `?a=1&${name}=${key}`, headers: referer(`/x?${name}=${key}`) })
      const [first] = [...refusedEvents(spool), ...storedEvents(spool).filter(one => one.name.startsWith('/'))]
      expect(first).toBeDefined()
      expect(JSON.stringify(first)).not.toContain(key)
    }
  })

  test.each(['reject', 'set-aside'] as const)('nor the key of a door, of what does not fit (%s)', async action => {
    const validate = createValidator({ lookup: type => (type === 'Order' ? schema : undefined), mode: () => action })
    const { collector, spool } = createTestCollector(open, { validate })
    const event = `{"event":"Order","n":"x","api_key":"${key}","properties":{"token":"${key}"}}`
    await knock(collector, 'postPostHogBatch', '/batch/', `{"token":"${key}","batch":[{"event":"Fine"},${event}]}`)
    const rows = [...refusedEvents(spool), ...storedEvents(spool).filter(one => one.name.startsWith('/'))]
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(key)
  })

  test('the event of a GET stays, except for secret parameters', async () => {
    const { collector, spool } = createTestCollector(open)
    const inside = encodeURIComponent('https://x.example/?token=1')
    await get(collector, `/1?v=Order,${inside}&gr=NEVER&access_token=${key}`)
    expect(refusedEvents(spool)).toMatchObject([
      { payload: { target: `/1?v=Order,${inside}&gr=NEVER&access_token=(hidden)` } },
    ])
  })
})

test('a mask replaces the first key of a body, which tells its events from those of others', () => {
  const keyOf = (body: string | Uint8Array) => findKey('postPostHogEvent', { bytes: Buffer.from(body), length: 0 })
  expect(keyOf('{"a":1,"api_key":"k\\u00e9","token":"other"}')).toBe('ké')
  expect(keyOf(gzipSync('{"token":"é"}'))).toBe('é')
  expect(keyOf(form('{"token":"k"}'))).toBe('k')
  expect(keyOf('{"a":1}')).toBeUndefined()
  expect(keyOf(gzipSync('{"token":"k"}').subarray(0, -3))).toBeUndefined()
  expect(findKey('postEvent', { bytes: Buffer.from('{"token":"k"}'), length: 0 })).toBeUndefined()
})

test.each([
  ['/e/?a=1&api%5Fkey=S3cret', '/e/?a=1&api%5Fkey=(hidden)'],
  ['/e/?a=1&%74oken=S3cret&api_keys=x', '/e/?a=1&%74oken=(hidden)&api_keys=x'],
])('names are compared as they mean: GET %s', (target, want) => {
  expect(maskTarget('postPostHogEvent', { method: 'GET', target })).toBe(want)
})

test('members that are not keys of their door are stored unchanged', async () => {
  const body = '{"api_key":"a","token":"b","batch":7}'
  expect(row(await store('postSegment', body))).toMatchObject({ sent: body })
})

test.each(['\\\\', 'x', '"token":"'])('a long one is found: %j again and again', async text => {
  const stored = await store('postPostHogEvent', gzipSync(`{"token":"${text.repeat(400_000)}${key}`))
  expect(gunzipSync(sentOf(row(stored))).includes(key)).toBe(false)
})

function fromForm(sent: Buffer): Buffer {
  return Buffer.from(new URLSearchParams(sent.toString()).get('data') ?? '', 'base64')
}
