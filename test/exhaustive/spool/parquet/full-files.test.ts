import { parquetMetadataAsync } from 'hyparquet'
import { expect, test } from 'vitest'
import type { DecodedEvent } from '../../../../src/spool/events/decode-events.ts'
import { EventSchema } from '../../../../src/spool/parquet/event-schema.ts'
import { ParquetEncoder } from '../../../../src/spool/parquet/parquet-encoder.ts'
import { SealMemory } from '../../../../src/spool/parquet/seal-memory.ts'
import { startMs } from '../../../suites/spool.ts'

const newEncoder = (): ParquetEncoder =>
  new ParquetEncoder({
    schema: new EventSchema('Hello'),
    schemas: { learn: one => one.learn() },
    codec: 'zstd',
    memory: new SealMemory(),
    partitions: [],
  })

const head = { index: 0, name: 'Hello', date: startMs, granularity: 'HOURLY' } as const
const toEvent = (payload: Readonly<Record<string, number>>): DecodedEvent => ({
  kind: 'smile',
  isTyped: true,
  head,
  payload: { ...payload, eventDate: startMs, eventGranularity: 'HOURLY' },
})

test('is full with 65 536 rows; no row group has more than two million values', async () => {
  const narrow = newEncoder()
  for (let i = 0; i < 65_535; i++) narrow.add(toEvent({ i }))
  expect(narrow.isFull).toBe(false)
  narrow.add(toEvent({ i: 0 }))
  expect(narrow.isFull).toBe(true)
  narrow.pack()
  expect(narrow.isFull).toBe(false)
  const wide = newEncoder()
  const row = Object.fromEntries(Array.from({ length: 496 }, (_, i) => [`c${i}`, i]))
  for (let i = 0; i < 4_001; i++) wide.add(toEvent(row))
  const { row_groups: wideGroups } = await readMetadata(wide.finish())
  expect(wideGroups.map(({ num_rows: rows }) => Number(rows))).toEqual([4_000, 1])
})

const readMetadata = (bytes: Uint8Array): ReturnType<typeof parquetMetadataAsync> =>
  parquetMetadataAsync({
    byteLength: bytes.length,
    slice: async (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
  })
