import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { apis } from '../../../../src/spool/apis.ts'
import { type Batch, bodyFormats, type EventHead, granularities } from '../../../../src/spool/batch.ts'
import { decodeBatch, encodeBatch, type RecordBatch } from '../../../../src/spool/segment/record.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { readSegment } from '../../../../src/spool/segment/segment-reader.ts'

const arbitraryBatch: fc.Arbitrary<Batch> = fc.record(
  {
    api: fc.constantFrom(...apis),
    format: fc.constantFrom(...bodyFormats),
    events: fc.array(
      fc.record({
        index: fc.nat(1_000_000),
        name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        date: fc.nat(Number.MAX_SAFE_INTEGER),
        granularity: fc.constantFrom(...granularities),
      }),
      { maxLength: 20 },
    ),
    body: fc.uint8Array({ maxLength: 200 }),
    eventIds: fc.constant(new Uint8Array()),
    idempotency: fc.record({
      key: fc.string({ maxLength: 40 }),
      fingerprint: fc.string({ maxLength: 64 }),
      outcome: fc.record({
        accepted: fc.nat(),
        rejected: fc.nat(),
        errors: fc.array(fc.record({ index: fc.nat(), code: fc.string(), detail: fc.string() }), { maxLength: 3 }),
      }),
    }),
  },
  { requiredKeys: ['api', 'format', 'events', 'body'] },
)

/** Ids for as many events as there are, where there are any. */
const withIds = (batch: Batch): Batch =>
  batch.eventIds ? { ...batch, eventIds: Uint8Array.from({ length: 16 * batch.events.length }, (_, i) => i) } : batch

const toLists = ({ body, eventIds, ...batch }: RecordBatch & { readonly keptAt: number }) => ({
  ...batch,
  body: [...body],
  ...(eventIds ? { eventIds: [...eventIds] } : {}),
})

const encode = (batch: RecordBatch, keptAt: number): Uint8Array => {
  const record = encodeBatch(batch, keptAt)
  // Written after other bytes, as in a group.
  const bytes = new Uint8Array(record.byteLength + 7)
  record.write(bytes, 7)
  return bytes.subarray(7)
}

/** Each word, and its number in spools of the field: never to be changed. */
const pinned = {
  api: [
    ['GET_API', 0],
    ['GET_Base64_API', 1],
    ['POST_Json_API', 2],
    ['POST_Smile_API', 3],
    ['POST_Thrift_API', 4],
    ['POST_ThriftLegacy_API', 5],
    ['SCRIBE_API', 6],
    ['POST_CloudEvents_API', 7],
    ['POST_Csv_API', 8],
    ['POST_Segment_API', 9],
    ['Snowplow_API', 10],
    ['POST_PostHog_API', 11],
    ['POST_Otlp_API', 12],
    ['POST_Firehose_API', 13],
  ],
  format: [
    ['json', 0],
    ['smile', 1],
    ['thrift', 2],
  ],
  granularity: [
    ['MINUTE', 0],
    ['HOURLY', 1],
    ['DAILY', 2],
    ['WEEKLY', 3],
    ['MONTHLY', 4],
    ['YEARLY', 5],
  ],
} as const

const oneEvent = (words: Partial<Pick<Batch, 'api' | 'format'> & Pick<EventHead, 'granularity'>>): Batch => ({
  api: words.api ?? 'GET_API',
  format: words.format ?? 'json',
  events: [{ index: 0, name: 'E', date: 0, granularity: words.granularity ?? 'MINUTE' }],
  body: Uint8Array.of(0xee),
})

describe('on the disk', () => {
  test('a record is these bytes', () => {
    const batch: Batch = {
      api: 'SCRIBE_API',
      format: 'thrift',
      events: [
        { index: 1, name: 'A', date: 2, granularity: 'YEARLY' },
        { index: 3, name: 'B', date: 2, granularity: 'MONTHLY' },
      ],
      body: Uint8Array.of(0xee),
      idempotency: { key: 'k', fingerprint: 'f', outcome: { accepted: 2, rejected: 0, errors: [] } },
    }
    const outcome = Buffer.from('{"accepted":2,"rejected":0,"errors":[]}').toString('hex')
    expect(Buffer.from(encode(batch, 1)).toString('hex')).toBe(
      [
        '3ff0000000000000', // 1 as f64
        '06 02 01',
        `0001 6b 0001 66 00000027 ${outcome}`,
        '0002 0001 41 0001 42',
        '00000002',
        '00000001 0000 05 4000000000000000',
        '00000003 0001 04 4000000000000000',
        'ee',
      ]
        .join('')
        .replaceAll(' ', ''),
    )
  })

  test('every word has its number, and no other word', () => {
    expect(pinned.api.map(([word]) => word).toSorted()).toEqual([...apis].toSorted())
    expect(pinned.format.map(([word]) => word).toSorted()).toEqual([...bodyFormats].toSorted())
    expect(pinned.granularity.map(([word]) => word).toSorted()).toEqual([...granularities].toSorted())
    const granularityAt = 8 + 3 + 2 + 3 + 4 + 6
    for (const [api, code] of pinned.api) expect(encode(oneEvent({ api }), 0)[8], api).toBe(code)
    for (const [format, code] of pinned.format) expect(encode(oneEvent({ format }), 0)[9], format).toBe(code)
    for (const [granularity, code] of pinned.granularity)
      expect(encode(oneEvent({ granularity }), 0)[granularityAt], granularity).toBe(code)
  })

  test('R22: a way in of a later version is not known, and written again as such; nothing else depends on it', () => {
    const bytes = encode(oneEvent({}), 0).slice()
    bytes[8] = 99
    const batch = decodeBatch(bytes)
    expect(batch).toMatchObject({ ...oneEvent({}), api: undefined })
    const again = encode(batch, 0)
    expect(again[8]).toBe(255)
    expect(decodeBatch(again)).toEqual(batch)
  })

  test('ids of events follow the events', () => {
    const eventIds = Buffer.from('0123456789abcdef')
    const plain = Buffer.from(encode(oneEvent({}), 1)).toString('hex')
    expect(Buffer.from(encode({ ...oneEvent({}), eventIds }, 1)).toString('hex')).toBe(
      `${plain.slice(0, 20)}02${plain.slice(22, -2)}${eventIds.toString('hex')}ee`,
    )
  })

  test.each([
    ['other part', 10, 4],
    ['format', 9, 3],
    ['granularity', 26, 6],
  ])('a number that stands for no %s is refused', (_, at, code) => {
    const bytes = encode(oneEvent({}), 0).slice()
    bytes[at] = code
    expect(() => decodeBatch(bytes)).toThrow(`${code} stands for no word of this version`)
  })
})

test.each(['spool-format-2', 'spool-format-3'])(
  'each word that %s holds is read as what was written',
  async fixture => {
    const path = segmentPath(2)
    const bytes = await readFile(join(import.meta.dirname, '../../../fixtures', fixture, 'words/spool', path))
    const batches = [...readSegment(bytes, path)].flatMap(part =>
      part.kind === 'record' ? [decodeBatch(part.payload)] : [],
    )
    const words = batches.map(({ api, format, events }) => ({ api, format, granularity: events[0]?.granularity }))
    expect(words).toEqual(
      // Those that there were when it was written.
      pinned.api.slice(0, 7).map(([api], n) => ({
        api,
        format: pinned.format[n % 3]?.[0],
        granularity: pinned.granularity[n % 6]?.[0],
      })),
    )
  },
)

describe('encodeBatch, decodeBatch', () => {
  test('every batch comes back', () => {
    fc.assert(
      fc.property(arbitraryBatch, fc.nat(), (batch, keptAt) => {
        const decoded = decodeBatch(encode(withIds(batch), keptAt))
        expect(toLists(decoded)).toEqual(toLists({ ...withIds(batch), keptAt }))
      }),
    )
  })

  test('any bytes are a batch or a FormatError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        try {
          decodeBatch(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('a count of events that does not fit is refused before anything is made of it', () => {
    const bytes = encode({ api: 'GET_API', format: 'thrift', events: [], body: new Uint8Array() }, 1)
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(13, 0xffff_ffff)
    expect(() => decodeBatch(bytes)).toThrow(FormatError)
  })
})
