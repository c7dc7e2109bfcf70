import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { fromMembers } from '../../../../src/formats/members.ts'
import { Float64, type Value } from '../../../../src/formats/number.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { type DecodedEvent, decodeEvents } from '../../../../src/spool/events/decode-events.ts'
import type { BucketFile } from '../../../../src/spool/files/bucket-file.ts'
import { EventSchema } from '../../../../src/spool/parquet/event-schema.ts'
import { ParquetEncoder } from '../../../../src/spool/parquet/parquet-encoder.ts'
import { readRows } from '../../../../src/spool/parquet/read-rows.ts'
import { SealMemory } from '../../../../src/spool/parquet/seal-memory.ts'
import { encodeBatch } from '../../../../src/spool/segment/record.ts'
import {
  createMark,
  encodeSegmentHeader,
  idsVersion,
  recordFrameBytes,
  writeRecordFrame,
} from '../../../../src/spool/segment/segment-format.ts'
import { replayFile } from '../../../../src/spool/tool/replay-file.ts'
import { jsonBatch, startMs } from '../../../suites/spool.ts'
import { values } from '../../formats/values.ts'

type Payload = { [name: string]: Value }

const toEvent = (payload: Payload): DecodedEvent => ({
  kind: 'smile',
  isTyped: true,
  head: { index: 0, name: 'Hello', date: startMs, granularity: 'HOURLY' },
  payload: fromMembers([...Object.entries(payload), ['eventDate', startMs], ['eventGranularity', 'HOURLY']]),
})

const toFile = (payloads: readonly Payload[]): Uint8Array => {
  const encoder = new ParquetEncoder({
    schema: new EventSchema('Hello'),
    schemas: { learn: schema => schema.learn() },
    codec: 'zstd',
    memory: new SealMemory(),
    partitions: [],
  })
  for (const payload of payloads) encoder.add(toEvent(payload))
  return encoder.finish()
}

const file: BucketFile = {
  name: '20260102T030405.000Z-c-1-0.parquet',
  directory: '/events/Hello/data/eventDate_hour=2026-01-02-03',
  segment: 1,
  format: 'parquet',
  codec: 'none',
  kind: 'smile',
  length: 0,
  crc: 0,
  events: 0,
  oldest: startMs,
}

/** What a file has, and what the records have that it is replayed as. */
const replay = async (bytes: Uint8Array, keys = new Set<string>()) => {
  const batches: { readonly format: string; readonly events: DecodedEvent[] }[] = []
  const events = await replayFile(
    { disk: { read: async () => bytes }, keys, readCopy: async () => undefined },
    {
      append: async batch => {
        batches.push({ format: batch.format, events: [...decodeEvents(batch)] })
        if (batch.idempotency) keys.add(batch.idempotency.key)
      },
    },
    file,
  )
  const before = (await Array.fromAsync(readRows(bytes))).map(({ payload }) => payload)
  const after = batches.flatMap(batch => batch.events.map(event => (event.kind === 'smile' ? event.payload : {})))
  return { before, after, batches, events }
}

const payloads = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'user', '10', '9', 'x'), values({ json: false })), { maxLength: 6 })
  .map(fromMembers)

test("a file's events get back everything: binary, doubles that JSON cannot hold, and each text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(payloads, { minLength: 1, maxLength: 8 }), async sent => {
      const { before, after, events } = await replay(toFile(sent))
      expect(events).toBe(sent.length)
      expect(after).toEqual(before)
    }),
    { numRuns: 40 },
  )
})

test('a row with half of a surrogate pair goes as JSON, between those of Smile, and each has its key', async () => {
  const sent: Payload[] = [{ b: new Uint8Array([0, 255]) }, { m: [1, 'x', { t: '\ud800' }] }, { d: new Float64(2) }]
  const bytes = toFile(sent)
  const keys = new Set<string>()
  const { before, after, batches } = await replay(bytes, keys)
  expect(after).toEqual(before)
  expect(after).toMatchObject(sent)
  expect(batches.map(({ format, events }) => [format, events.length])).toEqual([
    ['smile', 1],
    ['json', 1],
    ['smile', 1],
  ])
  expect(await replay(bytes, keys)).toMatchObject({ events: 0, batches: [] })
})

test('a row that neither Smile nor JSON can hold is refused, and nothing of its file is appended', async () => {
  const keys = new Set<string>()
  const bytes = toFile([{ n: 1 }, { b: new Uint8Array([0, 255]), m: [1, 'x', { t: '\ud800' }] }])
  await expect(replay(bytes, keys)).rejects.toThrow(FormatError)
  expect(keys).toEqual(new Set())
})

describe('a file that is not here', () => {
  const other = 'Other'
  const later = startMs + 3_600_000
  const batch = (...heads: readonly { readonly name?: string; readonly date?: number }[]): Batch => ({
    ...jsonBatch(heads.map((_, n) => ({ n }))),
    events: heads.map(({ name = 'Hello', date = startMs }, index) => ({ index, name, date, granularity: 'DAILY' })),
  })
  /** A segment with these requests; what is appended of it for a file with so many events, of which it knows these keys. */
  const replayFrom = async (requests: readonly Batch[], events: number, keys = new Set<string>()) => {
    const mark = createMark()
    const records = requests.map(one => {
      const record = encodeBatch(one, startMs)
      const bytes = new Uint8Array(recordFrameBytes(record))
      writeRecordFrame(bytes, 0, record, mark, 0)
      return bytes
    })
    const log = Buffer.concat([encodeSegmentHeader('c', 1, mark, idsVersion), ...records])
    const appended: number[][] = []
    const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
    const work = replayFile(
      { disk: { read: () => Promise.reject(missing) }, keys, readCopy: async n => (n === 1 ? log : undefined) },
      {
        append: async ({ events: heads, idempotency }) => {
          appended.push(heads.map(({ index }) => index))
          if (idempotency) keys.add(idempotency.key)
        },
      },
      { ...file, events },
    )
    return { events: await work, appended }
  }

  test('is read from its segment in HDFS: the events of its type and hour, once', async () => {
    const requests = [batch({ name: other }, {}, { date: later }), batch({ name: other }), batch({}, {})]
    const keys = new Set<string>()
    expect(await replayFrom(requests, 3, keys)).toEqual({ events: 3, appended: [[1], [0, 1]] })
    expect(await replayFrom(requests, 3, keys)).toEqual({ events: 0, appended: [] })
  })

  test('stays where its segment has not as many of its events, or is not there', async () => {
    await expect(replayFrom([batch({})], 2)).rejects.toThrow('its log in HDFS has 1 of its events, expected 2')
    const work = replayFile(
      { disk: { read: () => Promise.reject(new Error('no')) }, keys: new Set(), readCopy: async () => undefined },
      { append: async () => {} },
      file,
    )
    await expect(work).rejects.toThrow('no')
  })
})
