import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toParquetFile } from '../../../../src/formats/parquet/file.ts'
import type { Kind } from '../../../../src/formats/parquet/kind.ts'
import { decodeEvents } from '../../../../src/spool/events/decode-events.ts'
import { createSentEvents } from '../../../../src/spool/events/sent-events.ts'
import { EventSchema } from '../../../../src/spool/parquet/event-schema.ts'
import { ParquetEncoder } from '../../../../src/spool/parquet/parquet-encoder.ts'
import { readRows } from '../../../../src/spool/parquet/read-rows.ts'
import { SealMemory } from '../../../../src/spool/parquet/seal-memory.ts'
import { describeFile } from '../../../../src/tables/data-file.ts'
import type { TableField } from '../../../../src/tables/schema.ts'
import { startMs } from '../../../suites/spool.ts'

const columns = { eventDate: 'timestamp', eventGranularity: 'text', n: 'double', _extra: 'json' } as const
const names = Object.keys(columns)
const types: readonly string[] = ['timestamptz', 'string', 'double', 'string']
const fields = names.map((name, i): TableField => ({ id: i + 1, name, isRequired: false, type: types[i] ?? '' }))

const openSchema = (isTable: boolean): EventSchema => {
  const schema = new EventSchema('Hello')
  const table = {
    uuid: '0f5f2f6e-6e0c-4a5e-8d0f-0c3f2b1a9d77',
    columns: { struct: new Map<string, Kind>(Object.entries(columns)) },
    ids: new Map(names.map((name, i) => [name, { id: i + 1 }])),
    others: [],
    promotable: { struct: new Map() },
  }
  if (isTable) schema.adopt({ table })
  return schema
}

type Sent = { readonly date: number; readonly isSent: boolean; readonly isLast: boolean }

/** A file of events that have the numbers from 0 on; after the last ones of a row group another one begins. */
const write = (events: readonly Sent[], isTable = true): Uint8Array => {
  const schemas = { learn: (one: EventSchema) => one.learn() }
  const schema = openSchema(isTable)
  const encoder = new ParquetEncoder({ schema, schemas, memory: new SealMemory(), codec: 'zstd', partitions: [] })
  for (const [n, { date, isSent, isLast }] of events.entries()) {
    // Long and short ones: some have a block of their own.
    const body = Buffer.from(`{"eventName":"Hello","payload":{"n":${n},"text":"${'x'.repeat((n % 7) * 900)}"}}`)
    const heads = [{ index: 0, name: 'Hello', date: startMs + date, granularity: 'HOURLY' } as const]
    const decode = isSent ? createSentEvents() : decodeEvents
    for (const event of decode({ format: 'json', body, events: heads })) encoder.add(event)
    if (isLast) encoder.pack()
  }
  return encoder.finish()
}

const numbersIn = async (bytes: Uint8Array): Promise<number[]> =>
  (await Array.fromAsync(readRows(bytes))).map(({ payload }) => Number(payload['n']))

const describeBytes = (bytes: Uint8Array) =>
  describeFile(
    toParquetFile(bytes.length, async (offset, length) => Buffer.from(bytes.subarray(offset, offset + length))),
    { uri: 'x', fields, dateId: 1 },
  )

const events = fc.array(
  fc.record({
    date: fc.integer({ min: 0, max: 20 }),
    isSent: fc.boolean(),
    isLast: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  }),
  { minLength: 1, maxLength: 30 },
)

/** Numbers of the events of each row group. */
const toGroups = (sent: readonly Sent[]): number[][] => {
  const groups: number[][] = [[]]
  for (const [n, { isLast }] of sent.entries()) {
    groups.at(-1)?.push(n)
    if (isLast) groups.push([])
  }
  return groups
}

describe('a file of a table', () => {
  test('has each row group by date, those of one date as they came, and says so of the whole where that is so', async () => {
    await fc.assert(
      fc.asyncProperty(events, async sent => {
        const dateOf = (n: number): number => sent[n]?.date ?? 0
        const expected = toGroups(sent).flatMap(group => group.toSorted((a, b) => dateOf(a) - dateOf(b)))
        const bytes = write(sent)
        expect(await numbersIn(bytes)).toEqual(expected)
        const isSorted = expected.every((n, i) => dateOf(expected[i - 1] ?? n) <= dateOf(n))
        expect((await describeBytes(bytes)).sortedBy).toBe(isSorted ? 1 : undefined)
      }),
      { numRuns: 200 },
    )
  })
})

test('a file of none has its rows as they came, and says of no order', async () => {
  const sent = [5, 3, 4].map(date => ({ date, isSent: true, isLast: false }))
  const bytes = write(sent, false)
  expect(await numbersIn(bytes)).toEqual([0, 1, 2])
  expect((await describeBytes(bytes).catch(() => undefined))?.sortedBy).toBeUndefined()
})
