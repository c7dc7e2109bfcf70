import { afterEach, describe, expect, test } from 'vitest'
import { createValidator } from '../../../../src/collector/validation/validator.ts'
import { OutcomeUnknown, SluiceError } from '../../../../src/errors.ts'
import { ListenError } from '../../../../src/http/edge/node.ts'
import { createTestCollector, D, post, refusedEvents, storedEvents } from '../fakes.ts'
import { openTestScribe, type TestScribe, toArgs, toCall, toFrame, toLog } from './calls.ts'

const opened: TestScribe[] = []
const open: typeof openTestScribe = async (...args) => {
  const scribe = await openTestScribe(...args)
  opened.push(scribe)
  return scribe
}
afterEach(async () => {
  for (const scribe of opened.splice(0)) await scribe.close()
})

const entry = (text: string, category = 'c') => ({ category, message: `${D}:${text}` })
const hex = (text: string): Buffer => Buffer.from(text, 'hex')

const logOk = '0000001780010002000000034c6f67000000000800000000000000'

describe('frames of the predecessor', () => {
  test.each([
    [
      'Log, strict',
      '0000004e80010001000000034c6f67000000000f00010c000000010b00010000000548656c6c6f0b000200000022313233303836353434353030363a437741424141414142566476636d786b41413d3d0000',
      logOk,
    ],
    [
      'Log, old header',
      '0000004b000000034c6f6701000000000f00010c000000010b00010000000548656c6c6f0b000200000022313233303836353434353030363a437741424141414142566476636d786b41413d3d0000',
      logOk,
    ],
    [
      'getName',
      '0000001480010001000000076765744e616d650000000000',
      '0000002f80010002000000076765744e616d65000000000b0000000000144e696e672053637269626564205365727669636500',
    ],
  ])('%s', async (_, call, want) => {
    const { connect, spool } = await open()
    const client = await connect()
    client.send(hex(call))
    expect((await client.bytes(want.length / 2)).toString('hex')).toBe(want)
    const stored = { name: 'Hello', path: 'Hello/2009/01/02/03', date: D, payload: { 1: 'World' } }
    expect(storedEvents(spool)).toEqual(call.includes('4c6f67') ? [stored] : [])
    expect(spool.batches.map(({ caller }) => caller)).toEqual(spool.batches.map(() => '127.0.0.1'))
  })

  test('the entry is refused for a while: nothing is kept', async () => {
    const { connect, spool, collector } = await open()
    spool.failure = new SluiceError('overloaded', 'full')
    const client = await connect()
    client.send(toFrame(toLog([entry('a')])))
    expect((await client.bytes(27)).toString('hex')).toBe(`${logOk.slice(0, -4)}0100`)
    expect(collector.counters.SCRIBE_API).toMatchObject({ requests: 1, failures: 1, received: 1, lost: 1, accepted: 0 })
  })
})

test('of entries that may be kept or not: the connection closes without an answer', async () => {
  const { connect, spool, collector } = await open()
  spool.failure = new OutcomeUnknown('nobody knows')
  const client = await connect()
  client.send(toFrame(toLog([entry('a'), entry('b')])))
  expect(await client.rest()).toEqual([])
  expect(collector.counters.SCRIBE_API).toMatchObject({
    requests: 1,
    failures: 1,
    received: 2,
    accepted: 0,
    rejected: 0,
    unknown: 2,
  })
})

describe('Log', () => {
  test.each([
    ['framed', true],
    ['framed', false],
    ['buffered', true],
    ['buffered', false],
  ])('%s, strict header: %s', async (transport, isStrict) => {
    const { connect, spool } = await open()
    const client = await connect()
    const call = toLog([entry('a'), entry('b', 'd')], { isStrict, sequence: 9 })
    client.send(transport === 'framed' ? toFrame(call) : call)
    expect(await client.answer()).toEqual({ name: 'Log', sequence: 9, result: 0 })
    expect(storedEvents(spool).map(({ name, payload }) => [name, payload])).toEqual([
      ['c', { 1: 'a' }],
      ['d', { 1: 'b' }],
    ])
    expect(spool.batches).toHaveLength(1)
    expect(spool.batches[0]).toMatchObject({ api: 'SCRIBE_API', format: 'thrift', receivedAt: 1_580_612_645_006 })
  })

  test('every entry with a message is kept, whatever its form or category', async () => {
    const { connect, spool, collector } = await open()
    const client = await connect()
    const odd = [
      { category: 'c', message: 'ERROR: no form' },
      { category: null, message: 'x' },
      { category: '', message: `${D}:x` },
      { category: 'a/b', message: `${D}:x` },
    ]
    client.send(toFrame(toLog([...odd, { category: 'c', message: null }, entry('last')])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    expect(storedEvents(spool).map(({ name, payload }) => [name, payload])).toEqual([
      ['c', { 1: 'ERROR: no form' }],
      ['unnamed', { 1: 'x' }],
      ['unnamed', { 1: `${D}:x`, 2: '' }],
      ['unnamed', { 1: `${D}:x`, 2: 'a/b' }],
      ['c', { 1: 'last' }],
    ])
    const { received, accepted, malformed, failures } = collector.counters.SCRIBE_API
    expect([received, accepted, malformed, failures]).toEqual([6, 5, 1, 0])
    client.send(toFrame(toLog([{ category: 'c', message: null }])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    expect(spool.batches).toHaveLength(1)
  })

  test('an entry over the limit of an event is refused alone; alone it does not get OK', async () => {
    const { connect, spool } = await open()
    const client = await connect()
    const huge = { category: 'c', message: `${D}:${'x'.repeat(16 * 2 ** 20)}` }
    client.send(toFrame(toLog([entry('first'), huge, entry('second')])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual([{ 1: 'first' }, { 1: 'second' }])
    client.send(toFrame(toLog([huge])))
    expect(await client.answer()).toMatchObject({ code: 7 })
    expect(spool.batches).toHaveLength(1)
  })

  test('an entry that does not fit its schema is stored as a record that can be sent alone', async () => {
    const fields = [{ id: 1, name: 'total', type: 'double' }]
    const validate = createValidator({ lookup: name => (name === 'Order' ? fields : undefined), mode: () => 'reject' })
    const { connect, spool } = await open({}, {}, { validate })
    const client = await connect()
    client.send(toFrame(toLog([entry('fine'), entry('much', 'Order'), { category: 'Order', message: null }])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    expect(storedEvents(spool)).toMatchObject([{ name: 'c' }])
    const [first, second] = refusedEvents(spool).map(({ payload }) => Object(payload) as Record<string, unknown>)
    const target = '/rest/1.0/event?date=2009-01-02T03:04:05.006Z&gr=HOURLY'
    const alone = { method: 'POST', target, contentType: 'application/thrift', isReplayable: true }
    expect(first).toMatchObject({ type: 'Order', code: 'schema-mismatch', position: 1, ...alone })
    expect(second).toMatchObject({ position: 2, isReplayable: false, api: 'SCRIBE_API' })
    const again = createTestCollector()
    const sent = Buffer.from(
      String(first?.['sentBase64'] ?? first?.['sent']),
      first?.['sentBase64'] ? 'base64' : 'utf8',
    )
    expect((await post(again.collector, sent, { type: 'application/thrift' })).status).toBe(202)
    expect(storedEvents(again.spool)).toMatchObject([{ name: 'Order', date: D, payload: { 1: 'much' } }])
  })

  test('an empty list is OK, and counts no event', async () => {
    const { connect, collector } = await open()
    const client = await connect()
    client.send(toFrame(toLog([])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    expect(collector.counters.SCRIBE_API).toMatchObject({ requests: 1, received: 0 })
  })

  test.each([
    ['draining', 1],
    ['unavailable', 1],
    ['too-large', undefined],
  ] as const)('refused by the spool as %s', async (code, result) => {
    const { connect, spool, collector } = await open()
    spool.failure = new SluiceError(code, 'the reason')
    const client = await connect()
    client.send(toFrame(toLog([entry('a')])))
    const answer = await client.answer()
    if (result === undefined) expect(answer).toMatchObject({ exception: 'the reason', code: 7 })
    else expect(answer).toMatchObject({ result })
    expect(collector.counters.SCRIBE_API).toMatchObject({ failures: 1, received: 1, rejected: 1, accepted: 0 })
  })

  test('an unknown failure shows nothing of itself', async () => {
    const { connect, spool } = await open()
    spool.failure = new Error('secret path')
    const client = await connect()
    client.send(toFrame(toLog([entry('a')])))
    expect(await client.answer()).toEqual({ name: 'Log', sequence: 0, exception: 'Internal error', code: 6 })
  })

  test('too many entries do not get TRY_LATER, which would be sent endlessly', async () => {
    const { connect, spool, collector } = await open({ callLimits: () => ({ maxEvents: 2, maxValues: 100_000 }) })
    const client = await connect()
    client.send(toFrame(toLog([entry('a'), entry('b'), entry('c')])))
    expect(await client.answer()).toMatchObject({ exception: 'The request has more than 2 events', code: 7 })
    client.send(toFrame(toLog([entry('a'), entry('b')])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    expect(spool.batches).toHaveLength(1)
    expect(collector.counters.SCRIBE_API).toMatchObject({ requests: 2, failures: 1, received: 3, malformed: 1 })
  })

  test('a count of millions in a small frame is refused at once', async () => {
    const { connect } = await open()
    const client = await connect()
    client.send(
      toFrame(
        toCall('Log', writer => {
          writer.fieldHeader(15, 1)
          writer.byte(12)
          writer.i32(0x7fff_ffff)
        }),
      ),
    )
    expect(await client.answer()).toMatchObject({ code: 7 })
    client.send(toFrame(toCall('getVersion')))
    expect(await client.answer()).toMatchObject({ result: '0.1' })
  })

  test('sent one way is kept and not answered', async () => {
    const { connect, spool } = await open()
    const client = await connect()
    client.send(Buffer.concat([toFrame(toLog([entry('a')], { type: 4 })), toFrame(toCall('getVersion'))]))
    expect(await client.answer()).toMatchObject({ name: 'getVersion' })
    expect(spool.batches).toHaveLength(1)
  })
})

describe('fb303', () => {
  test.each([
    ['getName', 'Ning Scribed Service'],
    ['getVersion', '0.1'],
    ['getStatus', 2],
    ['getStatusDetails', 'No special status maintained. Returns Alive if the process is active'],
    ['getCpuProfile', undefined],
    ['aliveSince', 1_580_612_645n],
    ['getCounters', undefined],
    ['getOptions', undefined],
  ])('%s', async (name, result) => {
    const { connect, clock } = await open()
    clock.ms = 1_234.5
    const client = await connect()
    client.send(toFrame(toCall(name, undefined, { sequence: 3 })))
    expect(await client.answer()).toEqual({ name, sequence: 3, ...(result === undefined ? {} : { result }) })
  })

  test('options are kept until reinitialize, which is not answered; nor is shutdown, which does nothing', async () => {
    const { connect } = await open()
    const client = await connect()
    const calls = [
      toCall('setOption', toArgs('a', 'b')),
      toCall('getOption', toArgs('a')),
      toCall('shutdown'),
      toCall('reinitialize'),
      toCall('getOption', toArgs('a')),
    ]
    client.send(Buffer.concat(calls.map(toFrame)))
    client.socket.end()
    expect(await client.rest()).toEqual([
      { name: 'setOption', sequence: 0 },
      { name: 'getOption', sequence: 0, result: 'b' },
      { name: 'getOption', sequence: 0, result: '' },
    ])
  })

  test('options are bounded in number and length', async () => {
    const { connect } = await open()
    const client = await connect()
    const all = Array.from({ length: 101 }, (_, i) => toCall('setOption', toArgs(`k${i}`, 'v')))
    client.send(Buffer.concat([...all, toCall('setOption', toArgs('k', 'v'.repeat(2_000)))].map(toFrame)))
    client.socket.end()
    const answers = await client.rest()
    expect(answers.filter(({ exception }) => exception === undefined)).toHaveLength(100)
    expect(answers.slice(100).map(({ exception }) => exception)).toEqual([
      'At most 100 options can be set',
      'Argument 2 has 2000 bytes; at most 1024 fit',
    ])
  })

  test('counters name what came, since reinitialize', async () => {
    const { connect } = await open()
    const client = await connect()
    client.send(toFrame(toLog([entry('a'), entry('b')])))
    await client.answer()
    const ask = toFrame(toCall('getCounter', toArgs('accepted')))
    client.send(ask)
    expect(await client.answer()).toMatchObject({ result: 2n })
    client.send(Buffer.concat([toFrame(toCall('reinitialize')), ask]))
    expect(await client.answer()).toMatchObject({ exception: 'There is no counter "accepted"', code: 6 })
  })
})

describe('a connection', () => {
  test('answers in the order of the calls, though they are worked on side by side', async () => {
    const { connect, spool } = await open()
    const gate = Promise.withResolvers<void>()
    spool.gate = gate.promise
    const client = await connect()
    const logs = Array.from({ length: 5 }, (_, i) => toFrame(toLog([entry(String(i))], { sequence: i })))
    client.send(Buffer.concat([...logs, toFrame(toCall('getName', undefined, { sequence: 5 }))]))
    client.socket.end()
    gate.resolve()
    expect((await client.rest()).map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5])
    expect(spool.batches).toHaveLength(5)
  })

  test('whose client ends its side amid a call gets the answers to those before, and the end', async () => {
    const { connect, spool, collector } = await open()
    const gate = Promise.withResolvers<void>()
    spool.gate = gate.promise
    const client = await connect()
    const call = toFrame(toLog([entry('a')], { sequence: 1 }))
    client.send(Buffer.concat([call, call, call.subarray(0, -1)]))
    client.socket.end()
    gate.resolve()
    expect((await client.rest()).map(({ sequence }) => sequence)).toEqual([1, 1])
    expect(spool.batches).toHaveLength(2)
    await expect.poll(() => collector.admission.inflightBytes).toBe(0)
  })

  test('has so many calls in work and no more; the rest waits, unread in the end', async () => {
    const { connect, spool, collector } = await open({ limits: { maxPipelinedCalls: 3 } })
    const gate = Promise.withResolvers<void>()
    spool.gate = gate.promise
    const client = await connect()
    const frame = toFrame(toLog([entry('x'.repeat(10_000))]))
    const calls = 2_000
    for (let i = 0; i < calls; i++) client.send(frame)
    const other = await connect()
    other.send(toFrame(toCall('getName')))
    await other.answer()
    // 20 MB are on their way; what the server holds of them is three calls and one read.
    expect(collector.admission.inflightBytes).toBeLessThan(200_000)
    expect(collector.counters.SCRIBE_API.requests).toBeLessThanOrEqual(3)
    gate.resolve()
    client.socket.end()
    expect(await client.rest()).toHaveLength(calls)
    expect(spool.batches).toHaveLength(calls)
    expect(collector.admission).toMatchObject({ inflightBytes: 0, queuedEvents: 0, requests: 0 })
  })

  test('that sends a frame which is too large gets an answer, and the end', async () => {
    const { connect, collector } = await open({ limits: { maxFrameBytes: 1_000 } })
    const client = await connect()
    client.send(toFrame(toLog([entry('x'.repeat(1_000))], { sequence: 4 })))
    expect(await client.rest()).toMatchObject([{ sequence: 4, code: 7 }])
    expect(collector.counters.SCRIBE_API).toMatchObject({ requests: 1, failures: 1, malformed: 1 })
  })

  test.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a frame without a message', hex('0000000480020001')],
    ['a large length', hex('7fffffff80')],
    ['zeros', Buffer.alloc(64)],
  ])('that sends %s is ended, and counted', async (_, bytes) => {
    const { connect, collector } = await open()
    const client = await connect()
    client.send(bytes)
    expect(await client.rest()).toEqual([])
    expect(collector.counters.SCRIBE_API).toMatchObject({ requests: 1, failures: 1, malformed: 1 })
  })

  test.each([
    ['unknown methods', toCall('nope'), { exception: "Invalid method name: 'nope'", code: 1 }],
    ['inherited names', toCall('constructor'), { exception: "Invalid method name: 'constructor'", code: 1 }],
    [
      'replies',
      toCall('Log', undefined, { type: 2 }),
      { exception: 'Expected a call, found a message of type 2', code: 2 },
    ],
    ['damaged arguments', toCall('Log').subarray(0, -1), { code: 7 }],
    [
      'a list of numbers',
      toCall('Log', writer => {
        writer.fieldHeader(15, 1)
        writer.byte(8)
        writer.i32(1)
        writer.i32(1)
      }),
      { code: 7 },
    ],
  ])('answers %s with an exception, and goes on', async (_, call, want) => {
    const { connect } = await open()
    const client = await connect()
    client.send(toFrame(call))
    expect(await client.answer()).toMatchObject(want)
    client.send(toFrame(toCall('getName')))
    expect(await client.answer()).toMatchObject({ name: 'getName' })
  })

  test('that sends nothing for long is closed; one that waits for an answer is not', async () => {
    const { connect, spool, clock } = await open()
    const gate = Promise.withResolvers<void>()
    spool.gate = gate.promise
    const [idle, waiting] = [await connect(), await connect()]
    waiting.send(toFrame(toLog([entry('a')])))
    waiting.send(toFrame(toCall('getName')))
    const other = await connect()
    other.send(toFrame(toCall('getName')))
    await other.answer()
    clock.ms = 900_001
    expect(await idle.answer()).toBeUndefined()
    gate.resolve()
    expect(await waiting.answer()).toMatchObject({ name: 'Log', result: 0 })
  })

  test('that sends a frame too slowly is closed', async () => {
    const { connect, clock } = await open()
    const [slow, steady] = [await connect(), await connect()]
    slow.send(toFrame(toCall('getName')).subarray(0, 9))
    steady.send(toFrame(toCall('getName')))
    await steady.answer()
    clock.ms = 30_001
    expect(await slow.answer()).toBeUndefined()
    steady.send(toFrame(toCall('getName')))
    expect(await steady.answer()).toMatchObject({ name: 'getName' })
  })

  test('one more than the most is closed', async () => {
    const { connect } = await open({ limits: { maxConnections: 1 } })
    const first = await connect()
    first.send(toFrame(toCall('getName')))
    await first.answer()
    const second = await connect()
    expect(await second.answer()).toBeUndefined()
  })
})

describe('what all requests hold', () => {
  test('a call that does not fit is TRY_LATER, read away as it comes', async () => {
    const { connect, spool, collector } = await open({}, { maxInflightBytes: 100_000 })
    const client = await connect()
    const big = toFrame(toLog([entry('x'.repeat(400_000))], { sequence: 1 }))
    client.send(Buffer.concat([big, toFrame(toLog([entry('a')], { sequence: 2 }))]))
    expect(await client.answer()).toEqual({ name: 'Log', sequence: 1, result: 1 })
    expect(await client.answer()).toEqual({ name: 'Log', sequence: 2, result: 0 })
    expect(spool.batches).toHaveLength(1)
    expect(collector.counters.SCRIBE_API).toMatchObject({ requests: 2, failures: 1, lost: 1, unread: 1, accepted: 1 })
    expect(collector.admission.inflightBytes).toBe(0)
  })

  test('more events than may wait are TRY_LATER', async () => {
    const { connect, spool } = await open({}, { maxEventQueueSize: 1 })
    const client = await connect()
    client.send(toFrame(toLog([entry('a'), entry('b')])))
    expect(await client.answer()).toMatchObject({ result: 1 })
    expect(spool.batches).toHaveLength(0)
  })

  test('is given back when a client goes away within a frame', async () => {
    const { connect, collector, server } = await open()
    const client = await connect()
    client.send(toFrame(toLog([entry('x'.repeat(1_000))])).subarray(0, 500))
    client.send(Buffer.alloc(1))
    client.socket.destroy()
    await server.close()
    expect(collector.admission).toMatchObject({ inflightBytes: 0, requests: 0 })
  })
})

describe('close', () => {
  test('answers what is in work, takes nothing more, and ends', async () => {
    const { connect, spool, server, clock } = await open()
    const gate = Promise.withResolvers<void>()
    spool.gate = gate.promise
    const [busy, idle] = [await connect(), await connect()]
    busy.send(toFrame(toLog([entry('a')], { sequence: 1 })))
    idle.send(toFrame(toCall('getName')))
    await idle.answer()
    const closed = server.close()
    expect(await idle.rest()).toEqual([])
    gate.resolve()
    expect(await busy.rest()).toEqual([{ name: 'Log', sequence: 1, result: 0 }])
    clock.ms = 1_001
    await closed
    await expect(connect()).rejects.toThrow('ECONNREFUSED')
    expect(spool.batches).toHaveLength(1)
  })

  test('behind a delay still takes connections and calls, then ends them', async () => {
    const { connect, spool, server, clock } = await open({ limits: { drainDelayMs: 1_000 } })
    const idle = await connect()
    const closed = server.close()
    const newcomer = await connect()
    for (const [sequence, client] of [idle, newcomer].entries()) {
      client.send(toFrame(toLog([entry('a')], { sequence })))
      expect(await client.answer()).toMatchObject({ sequence, result: 0 })
    }
    expect(await idle.rest()).toEqual([])
    expect(await newcomer.rest()).toEqual([])
    clock.ms = 1_001
    await closed
    await expect(connect()).rejects.toThrow('ECONNREFUSED')
    expect(spool.batches).toHaveLength(2)
  })

  test('cuts a client that never closes its side, after a while', async () => {
    const { connect, server, clock } = await open()
    const client = await connect()
    client.send(toFrame(toCall('getName')))
    await client.answer()
    const closed = server.close()
    expect(await client.answer()).toBeUndefined()
    clock.ms = 1_001
    await closed
  })
})

test('a port that is taken is an error with advice', async () => {
  const { server } = await open()
  const again = open({ port: server.port })
  await expect(again).rejects.toThrow(ListenError)
  await expect(again).rejects.toThrow('change collector.scribe.host or collector.scribe.port')
})
