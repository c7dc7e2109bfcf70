/** What an attacker, or a bad network, makes of the bodies of each door: what is not understood is never a success. */
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { doorNames } from '../../../../src/collector/doors/door-names.ts'
import { type CallInit, createTestCollector, knock, post, storedEvents } from '../fakes.ts'

type Made = ReturnType<typeof createTestCollector>
type Init = CallInit & { readonly type?: string }
type Sender = {
  readonly send: (made: Made, body: string | Uint8Array, init?: Init) => Promise<Response>
  /** A body of these events. */
  readonly toBody: (events: readonly string[]) => string
  /** A good event with a value, which is JSON, at some place. */
  readonly toEvent: (value: string) => string
  /** An event that the door does not understand. @default a number */
  readonly bad?: string
  /** Whether a part of a body may be a body. @default false */
  readonly hasLines?: boolean
  /** Whether it takes any object. @default false */
  readonly takesAll?: boolean
  /** Whether it reports a refused part within a 200. @default false */
  readonly tells?: boolean
}

const at =
  (id: Parameters<typeof knock>[1], target: string): Sender['send'] =>
  ({ collector }, body, init) =>
    knock(collector, id, target, body, init)
const typed =
  (type: string, query = ''): Sender['send'] =>
  ({ collector }, body, init) =>
    post(collector, body, { type, query, ...init })
const listOf = (before: string, after: string) => (events: readonly string[]) => `${before}${events.join(',')}${after}`

let nextId = 0
const senders: Readonly<Record<string, Sender>> = {
  segment: {
    send: at('postSegment', '/v1/batch'),
    toBody: listOf('{"batch":[', '],"sentAt":"x"}'),
    toEvent: value => `{"type":"page","x":${value}}`,
    bad: '{"event":"x"}',
  },
  'segment, one': {
    send: at('postSegment', '/v1/page'),
    toBody: events => events[1] ?? '',
    toEvent: value => `{"type":"page","x":${value}}`,
    bad: '{"type":7}',
    takesAll: true,
  },
  snowplow: {
    send: at('postSnowplow', '/com.snowplowanalytics.snowplow/tp2'),
    toBody: listOf('{"schema":"x","data":[', ']}'),
    toEvent: value => `{"e":"pv","x":${value}}`,
    bad: '{}',
  },
  posthog: {
    send: at('postPostHogBatch', '/batch/'),
    toBody: listOf('{"api_key":"k","batch":[', ']}'),
    toEvent: value => `{"event":"A","token":"k","properties":{"token":"k","x":${value}}}`,
    bad: '{"event":7}',
  },
  otlp: {
    send: at('postOtlpLogs', '/v1/logs'),
    toBody: listOf('{"resourceLogs":[{"scopeLogs":[{"logRecords":[', ']}]}]}'),
    toEvent: value => `{"body":${value}}`,
    tells: true,
  },
  cloudevents: {
    send: typed('application/cloudevents-batch+json'),
    toBody: listOf('[', ']'),
    toEvent: value => `{"specversion":"1.0","id":"${nextId++}","source":"/","type":"A","data":${value}}`,
    bad: '{"specversion":"1.0"}',
  },
  'plain objects': {
    send: typed('application/json', '?name=A'),
    toBody: listOf('[', ']'),
    toEvent: value => `{"x":${value}}`,
    takesAll: true,
  },
  'plain lines': {
    send: typed('application/x-ndjson', '?name=A'),
    toBody: events => events.join('\n'),
    toEvent: value => `{"x":${value}}`,
    takesAll: true,
    hasLines: true,
  },
}

/** Longer bodies are read in turns. */
const lengths = [
  ['short', ''],
  ['long', ' '.repeat(300_000)],
] as const

const open = (): Made => createTestCollector({ doors: new Set(doorNames), maxBodyBytes: 2_000_000 })
/** The status, and how many events were kept. */
const outcomeOf = async (made: Made, response: Response): Promise<readonly [status: number, kept: number]> => {
  await response.text()
  return [response.status, storedEvents(made.spool).length]
}
const repeat = (text: string, times: number): string => text.repeat(times)

describe.each(Object.entries(senders))('%s', (_, { send, toBody, toEvent, bad = '7', hasLines, takesAll, tells }) => {
  const good = toEvent('"é"')
  const isOne = toBody([good, good, good]) === good
  const count = isOne ? 1 : 3

  test.each(lengths)('a good body is taken, %s', async (_, space) => {
    const made = open()
    const [status, kept] = await outcomeOf(made, await send(made, toBody([good, toEvent('1'), toEvent('2')]) + space))
    expect([Math.floor(status / 100), kept]).toEqual([2, count])
  })

  test('cut off anywhere it is refused, and only whole lines of it are kept', async () => {
    const body = Buffer.from(toBody([toEvent('1'), good, toEvent('[{}]')]))
    for (let end = 1; end < body.length; end++) {
      const made = open()
      const [status, kept] = await outcomeOf(made, await send(made, body.subarray(0, end)))
      const isBoundary = hasLines && (body[end] === 0x0a || body[end - 1] === 0x0a)
      if (isBoundary) continue
      expect(status, body.toString('utf8', 0, end)).toBeGreaterThanOrEqual(400)
      if (!hasLines) expect(kept).toBe(0)
    }
  })

  const hostile: readonly (readonly [name: string, event: string])[] = [
    ['what the door does not understand', bad],
    ['no object', '"x"'],
    ['100,000 levels', toEvent(repeat('[', 100_000) + repeat(']', 100_000))],
    ['levels of objects', toEvent(repeat('{"a":', 20_000) + 1 + repeat('}', 20_000))],
    ['200,000 values', toEvent(`[${repeat('0,', 200_000)}0]`)],
    ['a number of 300,000 digits', toEvent(repeat('1', 300_000))],
  ]
  test.each(hostile)('one of three is refused, and the others are kept: %s', async (_, event) => {
    const made = open()
    const response = await send(made, toBody([good, event, toEvent('2')]))
    const text = await response.text()
    expect(storedEvents(made.spool)).toHaveLength(count - 1)
    if (tells && response.status === 200)
      expect(JSON.parse(text)).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } })
    else expect(response.status).toBeGreaterThanOrEqual(400)
  })

  const bodies: readonly (readonly [name: string, body: string | Uint8Array, init?: Init])[] = [
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['a word', 'null'],
    ['text', 'hello'],
    ['another object', '{"a":[1]}'],
    ['something behind it', `${toBody([good, good, good])}x`],
    ['UTF-16', Buffer.from(toBody([good, good, good]), 'utf16le')],
    ['UTF-16, said so', Buffer.from(`\ufeff${toBody([good, good, good])}`, 'utf16le')],
    ['Latin-1', Buffer.from(toBody([good, good, good]), 'latin1')],
    ['bytes', Buffer.from('ff00fe80'.repeat(100), 'hex')],
    ['an open array a million times', repeat('[', 1_000_000)],
    ['an open object a million times', repeat('{"a":', 300_000)],
    ['an open list in a list', repeat('{"batch":[{"data":[', 50_000)],
    ['a string that does not end', `${toBody([good]).slice(0, 3)}"${repeat('x', 500_000)}`],
    ['more bytes than may be', toBody([good, toEvent(`"${repeat('x', 2_100_000)}"`), good])],
    ['gzip that is none', toBody([good, good, good]), { headers: { 'content-encoding': 'gzip' } }],
    ['gzip cut off', gzipSync(toBody([good, good, good])).subarray(0, -9), { headers: { 'content-encoding': 'gzip' } }],
    ['deflate that is called gzip', deflateSync(toBody([good])), { headers: { 'content-encoding': 'gzip' } }],
    ['gzip that becomes too much', gzipSync(Buffer.alloc(9_000_000, ' ')), { headers: { 'content-encoding': 'gzip' } }],
    [
      'gzip in gzip that becomes too much',
      gzipSync(gzipSync(Buffer.alloc(9_000_000))),
      { headers: { 'content-encoding': 'gzip, gzip' } },
    ],
    ['an unknown coding', toBody([good]), { headers: { 'content-encoding': 'br2' } }],
  ]
  test.for(bodies)('%s is refused', async ([name, body, init = {}]) => {
    const made = open()
    const [status, kept] = await outcomeOf(made, await send(made, body, init))
    // Without a line there is no event, and nothing to refuse.
    if (hasLines && hasNoLine.has(name)) expect([status, kept]).toEqual([202, 0])
    // To some any object is an event.
    else if (name === 'another object' && takesAll) expect(Math.floor(status / 100)).toBe(2)
    else {
      expect(status).toBeGreaterThanOrEqual(400)
      // Each line is a body of its own.
      if (!hasLines) expect(kept).toBe(0)
    }
  })
})

const hasNoLine: ReadonlySet<string> = new Set(['nothing', 'white space', 'gzip that becomes too much'])

describe('tables', () => {
  const send = typed('text/csv', '?name=A')
  const tables: readonly (readonly [name: string, body: string, status: number])[] = [
    ['a name of 128 KB in 10,000 events', `${repeat('n', 131_072)}\n${repeat('x\n', 10_000)}`, 413],
    ['a hundred thousand columns, and one', `${Array.from({ length: 100_001 }, (_, n) => n).join()}\n`, 413],
    ['a hundred thousand columns of one name', repeat('a,', 99_999), 400],
    ['fields without end', `a\n${repeat(',', 200_000)}`, 413],
    ['a quote without end', `a\n"${repeat('""', 500_000)}`, 400],
  ]
  test.each(tables)('%s', async (_, body, status) => {
    for (const space of ['', repeat('\n', 300_000)]) {
      const made = open()
      expect(await outcomeOf(made, await send(made, body + space))).toEqual([status, 0])
    }
  })

  test('many columns, in time', async () => {
    const made = open()
    const names = Array.from({ length: 90_000 }, (_, n) => `c${n}`)
    expect(await outcomeOf(made, await send(made, `${names.join()}\n${names.join()}\n`))).toEqual([202, 1])
  })
})
