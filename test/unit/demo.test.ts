import { describe, expect, test } from 'vitest'
import type { Attempt, Outcome, Sender } from '../../clients/tracker/index.ts'
import { whereFilesAre } from '../../scripts/demo/files.ts'
import { type DemoEvent, eventTypes, hourMs, oneHour } from '../../scripts/demo/one-hour.ts'
import { readOptions } from '../../scripts/demo/options.ts'
import { sendAll, type Ways } from '../../scripts/demo/send.ts'

const beginsAt = Date.parse('2026-11-22T08:00:00Z')
const make = (seed: number, count = 3_000): readonly DemoEvent[] => [...oneHour({ seed, count, beginsAt })]
const payloadsOf = (events: readonly DemoEvent[], name: string) =>
  events.flatMap(({ event }) => ('payload' in event && event.eventName === name ? [event.payload] : []))

describe('the demo: one hour', () => {
  test('has the same events for the same seed, and others for another', () => {
    expect(make(1)).toEqual(make(1))
    expect(make(2)).not.toEqual(make(1))
  })

  test('is of 21 types, all of them among the first events, in the order of their dates', () => {
    expect(eventTypes.length).toBe(21)
    expect(new Set(make(1, 21).map(({ event }) => event.eventName)).size).toBe(21)
    const dates = make(1).map(({ event }) => Number(event.date))
    expect(dates).toEqual(dates.toSorted((a, b) => a - b))
    expect(dates[0]).toBeGreaterThanOrEqual(beginsAt)
    expect(dates.at(-1)).toBeLessThan(beginsAt + hourMs)
    expect(new Set(make(1).map(({ way }) => way))).toEqual(new Set(['json', 'smile', 'get1', 'get2', 'scribe']))
  })

  test('has what is hard to keep: integers beyond 2^53, fractions, nulls, nested values, fields that come late', () => {
    const orders = payloadsOf(make(1), 'Order')
    expect(orders.every(({ orderId }) => BigInt(Number(orderId)) !== orderId || Number(orderId) > 2 ** 53)).toBe(true)
    expect(orders.some(({ orderId }) => BigInt(Number(orderId)) !== orderId)).toBe(true)
    expect(orders.some(({ total }) => !Number.isInteger(total))).toBe(true)
    expect(new Set(orders.map(({ giftNote }) => giftNote === null))).toEqual(new Set([true, false]))
    expect(orders.every(({ lines }) => Array.isArray(lines) && lines.length > 0)).toBe(true)
    const views = payloadsOf(make(1), 'PageView')
    expect('release' in (views[0] ?? {})).toBe(false)
    expect('release' in (views.at(-1) ?? {})).toBe(true)
  })

  test('has customers of orders who log in, too', () => {
    const events = make(1, 30_000)
    const customers = new Set(payloadsOf(events, 'Login').map(({ customerId }) => customerId))
    expect(payloadsOf(events, 'Order').some(({ customerId }) => customers.has(customerId))).toBe(true)
  })
})

describe('the demo: sending', () => {
  /** A server that answers a batch so, attempt after attempt, and takes all others. */
  const send = async (count: number, ...outcomes: readonly Outcome[]) => {
    const left = [...outcomes]
    const attempts: Omit<Attempt, 'signal'>[] = []
    const sender: Sender<unknown> = {
      form: 'test',
      encode: () => new Uint8Array(),
      describe: () => undefined,
      send: async (_records, { key, from }) => {
        attempts.push({ key, from })
        return left.shift() ?? { kind: 'settled', rejected: [] }
      },
      close: () => {},
    }
    const ways: Ways = { json: sender, smile: sender, get1: sender, get2: sender, scribe: sender }
    const settled: number[] = []
    const sent = await sendAll(make(1, count), ways, done => settled.push(done))
    return { sent, settled, attempts }
  }
  const busy: Outcome = { kind: 'retry', error: new Error('HTTP 503'), afterMs: 0 }

  test('counts what is settled, batch by batch', async () => {
    const { sent, settled } = await send(1_200)
    expect(sent).toEqual({ accepted: 1_200, refused: [] })
    expect(settled).toEqual([500, 1_000, 1_200])
  })

  test('continues where a busy server left off, with the same key', async () => {
    const { sent, attempts } = await send(30, { ...busy, done: 12 }, busy)
    expect(sent.accepted).toBe(30)
    expect(attempts.map(({ from }) => from)).toEqual([0, 12, 12])
    expect(new Set(attempts.map(({ key }) => key)).size).toBe(1)
  })

  test('tells of each event that was refused', async () => {
    const rejected = [{ index: 3, code: 'bad-event', detail: 'why' }]
    const one = await send(30, { ...busy, done: 10, rejected }, { kind: 'settled', rejected, unlisted: 1 })
    expect(one.sent).toEqual({ accepted: 27, refused: ['why', 'why', 'for a reason that the server did not list'] })
    const all = await send(30, { kind: 'refused', code: 'unsupported', detail: 'no' })
    expect(all.sent.accepted).toBe(0)
  })

  test('gives up when the server stays busy', async () => {
    await expect(send(30, ...Array.from({ length: 20 }, () => busy))).rejects.toThrow('HTTP 503')
    await expect(send(30, ...Array.from({ length: 19 }, () => busy))).resolves.toBeDefined()
  })
})

describe('the demo: its options', () => {
  test('are the last full hour and this machine when nothing is said', () => {
    const options = readOptions([], {})
    expect(options).toMatchObject({ events: 30_000, seed: 1, url: 'http://127.0.0.1:8080', isFlushed: true })
    expect(options.beginsAt % hourMs).toBe(0)
    expect(Date.now() - options.beginsAt).toBeGreaterThanOrEqual(hourMs)
  })

  test.each([
    { args: ['--events', '20'], says: '--events is "20"; expected a whole number from 21 to 100000000' },
    { args: ['--seed', '1.5'], says: '--seed is "1.5"; expected a whole number from 0 to 4294967295' },
    { args: ['--hour', '2026-11-22'], says: '--hour is "2026-11-22"; expected an hour such as 2026-11-22T08' },
    { args: ['--url', 'here'], says: '--url is "here"; expected a URL such as http://127.0.0.1:8080' },
  ])('$args is told: $says', ({ args, says }) => expect(() => readOptions(args, {})).toThrow(says))
})

describe('the demo: where the files are', () => {
  const url = 'file:///data/fs/'
  const settings = { 'collector.event-output-directory': '/events', 'collector.output.layout': 'hive' }
  test.each([
    { format: 'parquet', reader: `read_parquet('/data/fs/events/*/dt=*/hour=*/*.parquet', union_by_name = true)` },
    { format: 'jsonl', reader: `read_json('/data/fs/events/*/dt=*/hour=*/*.jsonl*', union_by_name = true)` },
  ])('as $format DuckDB reads them', ({ format, reader }) => {
    const { place, query } = whereFilesAre({ ...settings, 'collector.output.format': format }, url)
    expect(place).toBe('/data/fs/events')
    expect(query).toBe(
      `duckdb -c "SELECT eventName, count(*) AS events FROM ${reader} GROUP BY ALL ORDER BY events DESC"`,
    )
  })

  test('of an hour, the dated layout has the parts of its date', () => {
    const dated = { ...settings, 'collector.output.layout': 'dated', 'collector.output.format': 'parquet' }
    expect(whereFilesAre(dated, url).query).toContain(`'/data/fs/events/*/*/*/*/*/*.parquet'`)
  })

  test('there is no query for files that DuckDB does not read, or does not reach', () => {
    expect(whereFilesAre({ ...settings, 'collector.output.format': 'native' }, url).query).toBeUndefined()
    const hdfs = whereFilesAre({ ...settings, 'collector.output.format': 'parquet' }, 'hdfs://namenode:8020')
    expect(hdfs).toEqual({ place: 'hdfs://namenode:8020/events', query: undefined })
  })
})
