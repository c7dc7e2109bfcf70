import { describe, expect, test } from 'vitest'
import { createTestCollector, D, get, now, post, storedEvents } from './fakes.ts'

const date = '&date=2009-01-02T03:04:05.006Z'

describe('GET /1: values (reference vectors G1–G28, R1–R6)', () => {
  const rows: [given: string, want: Record<string, unknown> | 400, note?: string][] = [
    ['Hello,sWorld', { 1: 'World' }],
    ['event-name,b0,b1,b0', { 1: false, 2: true, 3: false }],
    ['E,b', { 1: false }, 'G3: an empty value is permitted by the specification'],
    ['E,b2', 400],
    ['E,b-2', 400],
    ['E,ba-string', 400],
    ['E,btrue', 400],
    ['E,11,12,1127,1-128', { 1: 1, 2: 2, 3: 127, 4: -128 }],
    ['E,1128', 400],
    ['E,1-129', 400],
    ['E,1a-string', 400],
    ['E,21,22,2127,2-128,232767,2-32768', { 1: 1, 2: 2, 3: 127, 4: -128, 5: 32767, 6: -32768 }],
    ['E,232768', 400],
    ['E,2-32769', 400],
    ['E,2a-string', 400],
    ['E,42147483647,4-2147483648', { 1: 2147483647, 2: -2147483648 }],
    ['E,42147483648', 400],
    ['E,4-2147483649', 400],
    ['E,810000000000,8-20000000000', { 1: 10000000000n, 2: -20000000000n }],
    ['E,89223372036854775807', { 1: 9223372036854775807n }],
    ['E,8-9223372036854775808', { 1: -9223372036854775808n }],
    ['E,89223372036854775808', 400],
    ['E,d1.0,d1,d0,d-1,d-2.72,d3.14', { 1: 1, 2: 1, 3: 0, 4: -1, 5: -2.72, 6: 3.14 }],
    ['E,da-string', 400],
    ['E,d1_0', 400],
    [
      'E,dNaN,dInfinity,d1e3,d%201.5%20,d1.5f,d0x1p3,d1e999,d-Infinity',
      { 1: Number.NaN, 2: Infinity, 3: 1000, 4: 1.5, 5: 1.5, 6: 8, 7: Infinity, 8: -Infinity },
    ],
    ['E,1,2,4,8,d,s', { 1: 0, 2: 0, 3: 0, 4: 0n, 5: 0, 6: '' }, '§3.4: empty is the zero of the type'],
    ['E,sa%20very%20long%20string', { 1: 'a very long string' }],
    ['Hello', {}, 'G14: a name alone is an event without fields'],
    ['', 400],
    ['Hello,', 400, 'G15: an empty type is not permitted, even with an empty value'],
    ['Hello,,', 400],
    ['Hello,sA,,sB', 400, 'G16'],
    ['Hello,,,sC', 400, 'G17'],
    ['Hello,sA,,', 400],
    ['Hello,sA%2CsB', { 1: 'A', 2: 'B' }],
    ['Hello,sA%252CB', { 1: 'A,B' }],
    ['E,sa+b,sa%20b,sa%2Bb', { 1: 'a b', 2: 'a b', 3: 'a b' }],
    ['E,sa%252Bb', { 1: 'a+b' }],
    ['E,sa%25b', 400],
    ['E,sa%2525b', { 1: 'a%b' }],
    ['E,s%C3%A9,s%25C3%25A9,s%FF,s%25FF%25C3', { 1: 'é', 2: 'é', 3: '\ufffd', 4: '\ufffd\ufffd' }],
    ['E,s%20pad%20', { 1: ' pad ' }, 'G24: strings are not trimmed'],
    [',sx', 400, 'G25: an empty name is refused'],
    ['z,z1', 400],
    ['E,xfoo', 400],
    ['E,x', 400],
    ['E,sA,b9,sC', 400],
    ['E,1%252B5,1007', { 1: 5, 2: 7 }],
    ['E,1+5', 400],
    ['E,1%205', 400],
    ['../evil,sx', 400],
    ['a%00b,sx', 400],
    ['E,stext%2Fplain%3B%2Bcharset%3Diso-8859-1', { 1: 'text/plain; charset=iso-8859-1' }, 'G39'],
  ]
  test.each(rows)('v=%s', async (v, want) => {
    const { collector, spool } = createTestCollector()
    const response = await get(collector, `/1?v=${v}${date}`)
    expect(response.status).toBe(want === 400 ? 400 : 202)
    expect(storedEvents(spool).map(event => event.payload)).toEqual(want === 400 ? [] : [want])
  })

  test('a name is decoded once (G26) and kept as it is', async () => {
    const { collector, spool } = createTestCollector()
    await get(collector, '/1?v=He%2520llo,sx')
    expect(storedEvents(spool).map(({ name }) => name)).toEqual(['He%20llo'])
  })

  test('v that is missing is 400', async () => {
    const { collector } = createTestCollector()
    expect((await get(collector, '/1')).status).toBe(400)
  })
})

describe('GET /2: base 64 numbers (B1–B26)', () => {
  const rows: [given: string, want: Record<string, unknown> | 400, note?: string][] = [
    ['8!,80,8z,89,8A,8Z,8_,8a', { 1: 0n, 2: 1n, 3: 63n, 4: 10n, 5: 11n, 6: 36n, 7: 37n, 8: 38n }],
    ['80!,100,110', 400, 'B8 as a byte is out of range'],
    ['100,2A0,4B0B0,8C0C0C0', { 1: 65, 2: 705, 3: 3150593, 4: 13978833729n }],
    ['21!,210', { 1: 128, 2: 129 }],
    ['11!', 400],
    ['1-0,1-1,1-z,1-1!', { 1: -1, 2: -2, 3: -63, 4: -128 }],
    ['1-!,1,2,4,8', { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0n }],
    ['1-,81-,8--', { 1: 0, 2: 128n, 3: 0n }, 'B16: "-" is 0, as the specification says'],
    ['8*', 400],
    ['8%20', 400],
    ['40zzzzz,4-1!!!!!', { 1: 2147483647, 2: -2147483648 }],
    ['41zzzzz', 400],
    ['8zzzzzzzzzz', { 1: 1152921504606846975n }],
    ['86zzzzzzzzzz', { 1: 9223372036854775807n }],
    ['87zzzzzzzzzz', 400, 'B21: beyond 64 bits is refused, not wrapped'],
    ['8zzzzzzzzzzz', 400, 'B22'],
    ['8GvLInqV,8GuKI21D', { 1: 1231956164000n, 2: BigInt(D) }],
    ['1-,20,4z,810', { 1: 0, 2: 1, 3: 63, 4: 129n }, 'B25: the documented example'],
    ['1!,20,4z,81!', { 1: 0, 2: 1, 3: 63, 4: 128n }],
    ['sstring,b0,b1,d3.1459', { 1: 'string', 2: false, 3: true, 4: 3.1459 }],
  ]
  test.each(rows)('v=E,%s', async (fields, want) => {
    const { collector, spool } = createTestCollector()
    const response = await get(collector, `/2?v=E,${fields}`)
    expect(response.status).toBe(want === 400 ? 400 : 202)
    expect(storedEvents(spool).map(event => event.payload)).toEqual(want === 400 ? [] : [want])
  })
})

describe('GET: records (R1–R11)', () => {
  const head = '0a0000011e954c308e00000006484f55524c59'
  test.each([
    ['/1', 'Hello,sWorld', `${head}0b00000000000548656c6c6f0b00010000000d0b000100000005576f726c640000`],
    ['/1', 'Hello', `${head}0b00000000000548656c6c6f0b0001000000010000`],
    ['/1', 'E,b1,b0', `${head}0b000000000001450b00010000000902000101020002000000`],
    [
      '/1',
      'E,1-128,2-32768,4-2147483648,8-9223372036854775808',
      `${head}0b000000000001450b00010000001c030001800600028000080003800000000a000480000000000000000000`,
    ],
    [
      '/1',
      'E,d3.14,d-2.72,d0,dNaN',
      `${head}0b000000000001450b00010000002d04000140091eb851eb851f040002c005c28f5c28f5c304000300000000000000000400047ff80000000000000000`,
    ],
    [
      '/2',
      'event-name,sstring,b0,b1,100,2A0,4B0B0,8C0C0C0,d3.1459',
      `${head}0b00000000000a6576656e742d6e616d650b00010000003c0b000100000006737472696e6702000200020003010300044106000502c1080006003013010a0007000000034134134104000840092acd9e83e4260000`,
    ],
    ['/1&gr=DAILY', 'E,sx', '0a0000011e954c308e000000054441494c590b000000000001450b0001000000090b000100000001780000'],
    [
      '/1&gr=minute',
      'E,sx',
      '0a0000011e954c308e000000064d494e5554450b000000000001450b0001000000090b000100000001780000',
    ],
  ])('%s v=%s', async (route, v, want) => {
    const { collector, spool } = createTestCollector()
    const [path, gr = ''] = route.split('&')
    const response = await get(collector, `${path}?v=${v}${date}&${gr}`)
    expect(response.status).toBe(202)
    expect(spool.batches.map(({ body }) => Buffer.from(body).toString('hex'))).toEqual([want])
  })
})

describe('GET: annotations (G29–G36)', () => {
  const fieldsOf = async (v: string, headers: Record<string, string>, peer = '127.0.0.1') => {
    const { collector, spool } = createTestCollector()
    await get(collector, `/1?v=E,${v}${date}`, { headers, peer })
    return storedEvents(spool)[0]?.payload
  }
  test('the spool gets the time of receipt, whatever date says', async () => {
    const { collector, spool } = createTestCollector()
    await get(collector, `/1?v=E,sx${date}`)
    expect(spool.batches).toMatchObject([{ receivedAt: now }])
  })
  test('the spool gets the sender: the client, also behind a trusted proxy', async () => {
    const { collector, spool } = createTestCollector()
    await get(collector, `/1?v=E,sx${date}`, { peer: '192.0.2.7' })
    await get(collector, `/1?v=E,sx${date}`, { peer: '127.0.0.1', headers: { 'x-forwarded-for': '192.0.2.8' } })
    await post(collector, '{"eventName":"E","payload":{}}', { peer: '192.0.2.9' })
    expect(spool.batches.map(({ caller }) => caller)).toEqual(['192.0.2.7', '192.0.2.8', '192.0.2.9'])
  })
  test('xdate is the time of receipt, whatever date says', async () => {
    expect(await fieldsOf('xdate,xDATE', {})).toEqual({ 1: BigInt(now), 2: BigInt(now) })
  })
  test.each([
    ['http://appname.ning.com/bazel/path/here', 'appname.ning.com', '/bazel/path/here'],
    ['https://h.example.com:8443/p?q=1#f', 'h.example.com:8443', '/p?q=1#f'],
    ['http://h.example.com', 'h.example.com', ''],
    ['ftp://h/p', '', ''],
    ['HTTP://h/p', '', ''],
  ])('referer %s', async (referer, host, path) => {
    expect(await fieldsOf('xhost,xpath', { referer })).toEqual({ 1: host, 2: path })
  })
  test('without headers texts are empty', async () => {
    expect(await fieldsOf('xhost,xpath,xua', {})).toEqual({ 1: '', 2: '', 3: '' })
  })
  test.each([
    ['1.2.3.4, 5.6.7.8', 16909060],
    ['255.255.255.255', -1],
    ['0.0.0.0', 0],
    ['127.16.52.1', 2131768321],
    ['167.1.2.3', -1493106173],
    ['::1', 0],
    ['unknown', 0],
    ['1.2.3.4:5678', 16909060],
    ['"1.2.3.4"', 16909060],
    ['[::ffff:1.2.3.4]:80', 16909060],
    ['256.1.1.1', 65793],
    [' , 9.9.9.9', 151587081],
    [',', 2130706433],
  ])('xip of X-Forwarded-For %s', async (forwarded, want) => {
    expect(await fieldsOf('xip', { 'x-forwarded-for': forwarded })).toEqual({ 1: want })
  })
  test('xip is the peer without the header, and when the peer is not a trusted proxy', async () => {
    expect(await fieldsOf('xip', {})).toEqual({ 1: 2130706433 })
    expect(await fieldsOf('xip', { 'x-forwarded-for': '1.2.3.4' }, '10.0.0.1')).toEqual({ 1: 167772161 })
    expect(await fieldsOf('xip', { 'x-forwarded-for': '1.2.3.4' }, '::ffff:127.0.0.1')).toEqual({ 1: 16909060 })
  })
})

describe('GET: date and gr (G37, G38)', () => {
  test.each<[string, string | 400]>([
    ['gr=daily', 'E/2009/01/02'],
    ['gr=', 'E/2009/01/02/03'],
    ['gr=YEARLY', 'E/2009'],
    ['gr=FOO', 400],
    ['gr=MINUTELY', 400],
  ])('%s', async (query, want) => {
    const { collector, spool } = createTestCollector()
    const response = await get(collector, `/1?v=E${date}&${query}`)
    expect(response.status === 400 ? 400 : storedEvents(spool)[0]?.path).toBe(want)
  })
  test.each<[string, string | 400]>([
    ['2009-01-02T03:04:05%2B02:00', '2009-01-02T01:04:05.000Z'],
    ['2009-01-02T03:04:05+02:00', 400],
    ['', 400],
    ['1234567890000', 400],
    ['1969-12-31', 400],
  ])('date=%s', async (text, want) => {
    const { collector, spool } = createTestCollector()
    const response = await get(collector, `/1?v=E&date=${text}`)
    const stored = storedEvents(spool)[0]
    expect(response.status === 400 ? 400 : new Date(stored?.date ?? 0).toISOString()).toBe(want)
  })
})

describe('GET: answers', () => {
  const cacheControl = 'private, no-cache, no-store, no-transform, proxy-revalidate'
  test('202 is empty, for browsers, and cached nowhere; so are refusals', async () => {
    const { collector } = createTestCollector()
    const taken = await get(collector, '/1?v=E')
    expect(await taken.text()).toBe('')
    const refused = await get(collector, '/1?v=E,q1')
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    for (const { headers } of [taken, refused]) {
      expect(headers.get('cache-control')).toBe(cacheControl)
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })
  test.each(['/1?v=E,sx', '/1?v=E,q', '/2?v=E,11', '/1'])(
    'HEAD %s is answered as GET and records nothing',
    async target => {
      const { collector, spool } = createTestCollector()
      const head = await get(collector, target, { method: 'HEAD' })
      expect(spool.batches).toEqual([])
      expect(collector.counters.GET_API.requests + collector.counters.GET_Base64_API.requests).toBe(0)
      expect(head.status).toBe((await get(collector, target)).status)
    },
  )
  test('HEAD is 503 while the spool refuses', async () => {
    const { collector, spool } = createTestCollector()
    spool.patch = { accepting: false, refusal: 'disk full' }
    expect((await get(collector, '/1?v=E', { method: 'HEAD' })).status).toBe(503)
  })
})
