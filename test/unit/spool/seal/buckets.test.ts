import { parquetMetadata } from 'hyparquet'
import { expect, test } from 'vitest'
import type { DecodedEvent } from '../../../../src/spool/events/decode-events.ts'
import { openSchemaStore } from '../../../../src/spool/parquet/schema-store.ts'
import { createBuckets, type OutputOptions } from '../../../../src/spool/seal/buckets.ts'
import { startMs } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const options: OutputOptions = {
  outputDirectory: '/events',
  format: 'parquet',
  codec: 'none',
  layout: 'hive',
  envelope: true,
}

const toEvent = (name: string, n: number): DecodedEvent => ({
  kind: 'smile',
  isTyped: true,
  head: { index: 0, name, date: startMs, granularity: 'HOURLY' },
  payload: { eventDate: startMs, eventGranularity: 'HOURLY', n },
})

/** The rows of each row group of each type's file, when events of these names came in this order, `bytes` long as they came. */
const groupsOf = async (names: readonly string[], bytes: number): Promise<Record<string, number[]>> => {
  const buckets = createBuckets(options, await openSchemaStore(createTearingDisk(), async () => undefined))
  await buckets.prepare({ events: [...new Set(names)].map(name => toEvent(name, 0).head) })
  for (const [n, name] of names.entries()) {
    buckets.add(toEvent(name, n), startMs, bytes, 0)
    buckets.packFull()
  }
  return Object.fromEntries(
    Array.from(buckets.values(), ({ name, encoder }) => {
      const file = Uint8Array.from(encoder.finish())
      return [name, parquetMetadata(file.buffer).row_groups.map(({ num_rows: rows }) => Number(rows))]
    }),
  )
}

const mega = 1 << 20

/** A segment as large as they are by default. */
const segmentBytes = 128 * mega

test.each([
  { types: 1, rows: 2_000, most: 128 },
  { types: 21, rows: 4_200, most: 8 },
  { types: 300, rows: 9_000, most: 6 },
  { types: 500, rows: 10_000, most: 6 },
])('$types types of $rows rows in a segment have at most $most row groups each', async ({ types, rows, most }) => {
  const names = Array.from({ length: rows }, (_, i) => `Type${i % types}`)
  const groups = await groupsOf(names, segmentBytes / rows)
  for (const sizes of Object.values(groups)) {
    expect(sizes.length).toBeLessThanOrEqual(most)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(rows / types)
  }
})

test('those that hold little have one row group, however much others hold', async () => {
  const names = Array.from({ length: 4_000 }, (_, i) => (i % 10 === 0 ? `Small${i % 200}` : 'Large'))
  const { Large: large = [], ...small } = await groupsOf(names, segmentBytes / 4_000)
  expect(Object.values(small)).toEqual(Array.from({ length: 20 }, () => [20]))
  expect(large.length).toBeGreaterThan(1)
})

test('what fits is written at the end, in one row group each', async () => {
  const names = Array.from({ length: 3_000 }, (_, i) => `Type${i % 300}`)
  expect(new Set(Object.values(await groupsOf(names, (8 * mega) / 3_000)).map(String))).toEqual(new Set(['10']))
})

test.each([
  ['is made again where it has to be: its segment waits', 'due', { code: 'TABLE_AWAY' }],
  ['is set aside where its file is nowhere', undefined, { name: 'TableRefuses', message: 'it takes nothing' }],
] as const)('what its table refuses, and did not when it was sealed first, %s', async (_, fate, error) => {
  const tableOf = async () => ({ refused: 'it takes nothing' })
  const schemas = await openSchemaStore(createTearingDisk(), async () => undefined, undefined, tableOf)
  const known = { refusalOf: () => undefined, fateOf: () => fate }
  const buckets = createBuckets({ ...options, layout: 'iceberg' }, schemas, {}, known)
  const event = toEvent('A', 1)
  await buckets.prepare({ events: [event.head] })
  expect(() => buckets.add(event, startMs, 10, 0)).toThrow(expect.objectContaining(error))
  expect([...buckets.values()]).toEqual([])
})

test('one that its table refuses keeps its number: those behind it have theirs, whether it refuses or not', async () => {
  const tableOf = async (name: string) => (name === 'A' ? { refused: 'it takes nothing' } : { table: 'none' as const })
  const schemas = await openSchemaStore(createTearingDisk(), async () => undefined, undefined, tableOf)
  const buckets = createBuckets({ ...options, layout: 'iceberg' }, schemas)
  const [a, b] = [toEvent('A', 1), toEvent('B', 2)]
  await buckets.prepare({ events: [a.head, b.head] })
  expect(() => buckets.add(a, startMs, 10, 0)).toThrow('it takes nothing')
  buckets.add(b, startMs, 10, 0)
  expect(Array.from(buckets.values(), ({ name, part }) => [name, part])).toEqual([['B', 1]])
})

test.each(['placed', 'due'] as const)(
  'what its table refused at first is in no file, also where one that is %s has its number',
  async fate => {
    const schemas = await openSchemaStore(createTearingDisk(), async () => undefined)
    const known = { refusalOf: () => 'it took nothing', fateOf: () => fate }
    const buckets = createBuckets({ ...options, layout: 'iceberg' }, schemas, {}, known)
    const event = toEvent('A', 1)
    await buckets.prepare({ events: [event.head] })
    const refusal = { name: 'TableRefuses', message: 'it took nothing' }
    expect(() => buckets.add(event, startMs, 10, 0)).toThrow(expect.objectContaining(refusal))
  },
)
