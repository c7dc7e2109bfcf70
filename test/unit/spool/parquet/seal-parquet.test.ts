import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AsyncBuffer, parquetMetadata, parquetMetadataAsync } from 'hyparquet'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Disk } from '../../../../src/disk/disk.ts'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { isNumber, type Value } from '../../../../src/formats/number.ts'
import { readSmileElements } from '../../../../src/formats/smile/reader.ts'
import { readRecords } from '../../../../src/formats/thrift/envelope-stream.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { directories } from '../../../../src/spool/files/spool-paths.ts'
import { createLog } from '../../../../src/spool/log/log.ts'
import { ParquetEncoder } from '../../../../src/spool/parquet/parquet-encoder.ts'
import { readRows } from '../../../../src/spool/parquet/read-rows.ts'
import { readSchemas } from '../../../../src/spool/parquet/schema-file.ts'
import type { SealRequest } from '../../../../src/spool/seal/seal.ts'
import { createSealer } from '../../../../src/spool/seal/sealer.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { append } from '../../../suites/append.ts'
import { jsonBatch, startMs, thriftBatch } from '../../../suites/spool.ts'

const collectorId = 'c'.repeat(32)
const request: SealRequest = {
  segment: 1,
  end: undefined,
  events: undefined,
  collectorId,
  outputDirectory: '/events',
  format: 'parquet',
  codec: 'none',
  layout: 'hive',
  envelope: true,
  withKeys: true,
}

let directory = ''
let disk: Disk
let segments = 0
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-parquet-'))
  for (const name of directories) await mkdir(join(directory, name))
  disk = createNodeDisk({ directory })
  segments = 0
})
afterEach(async () => {
  await disk.close()
  await rm(directory, { recursive: true, force: true })
})

/** Writes a segment; its number. */
const keep = async (...batches: readonly Batch[]): Promise<number> => {
  const log = createLog({
    disk,
    collectorId,
    firstSegment: ++segments,
    ack: 'memory',
    settings: () => ({ maxSegmentBytes: 1 << 30, maxUncommittedEvents: 1_000_000, flushIntervalMs: 3_600_000 }),
    now: () => startMs,
    onClosed: async () => {},
  })
  await Promise.all(batches.map(batch => append(log, batch)))
  await log.roll()
  return segments
}

/** Whole numbers of JSON are doubles in the file: they are equal by what they are worth. */
const read = async (name: string): Promise<Value[]> => {
  const rows = await Array.fromAsync(readRows(await disk.read(`sealed/${name}`)))
  return rows.map(({ payload: { eventDate: _date, eventGranularity: _granularity, ...rest } }) =>
    Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, isNumber(value) ? Number(value) : value])),
  )
}

test.each(['none', 'gzip', 'zstd'] as const)(
  'events of all kinds of one type and hour are one file (%s), which is compressed inside',
  async codec => {
    const segment = await keep(
      jsonBatch([{ n: 1 }, { n: 2 }]),
      thriftBatch('x'),
      jsonBatch([{ n: 3 }], { name: 'Two' }),
    )
    const { files } = await createSealing(disk).seal({ ...request, segment, codec })
    expect(files).toMatchObject([
      { name: `20260102T030405.000Z-${collectorId}-1-0.parquet`, codec: 'none', format: 'parquet', events: 3 },
      { directory: '/events/Two/dt=2026-01-02/hour=03', events: 1 },
    ])
    expect(await read(files[0]?.name ?? '')).toEqual([{ n: 1 }, { n: 2 }, { field_1: 'x' }])
  },
)

test('a failure while rows are written is not blamed on an event: the seal fails as a whole, and is repeated', async () => {
  const segment = await keep(jsonBatch(Array.from({ length: 3 }, (_, n) => ({ n, text: 'x'.repeat(3 << 20) }))))
  const { seal } = createSealing(disk)
  vi.spyOn(ParquetEncoder.prototype, 'pack').mockImplementationOnce(() => {
    throw new Error('no memory')
  })
  await expect(seal({ ...request, segment })).rejects.toThrow('no memory')
  const { files, damage } = await seal({ ...request, segment })
  expect(damage).toEqual([])
  expect(await read(files[0]?.name ?? '')).toMatchObject([{ n: 0 }, { n: 1 }, { n: 2 }])
})

test('no row group has more than 65 536 rows', async () => {
  const segment = await keep(jsonBatch(Array.from({ length: 65_537 }, (_, n) => ({ n }))))
  const { files } = await createSealing(disk).seal({ ...request, segment })
  const { buffer } = new Uint8Array(await disk.read(`sealed/${files[0]?.name}`))
  const { row_groups: groups } = parquetMetadata(buffer)
  expect(groups.map(({ num_rows: rows }) => Number(rows))).toEqual([65_536, 1])
})

test('native files: events of two kinds in turn are two files, whole', async () => {
  const segment = await keep(jsonBatch([{ n: 1 }]), thriftBatch('a'), jsonBatch([{ n: 2 }]), thriftBatch('b'))
  const { files } = await createSealing(disk).seal({ ...request, segment, format: 'native' })
  expect(files).toMatchObject([
    { kind: 'smile', events: 2 },
    { kind: 'thrift', events: 2 },
  ])
  const [smile, thrift] = await Promise.all(files.map(({ name }) => disk.read(`sealed/${name}`)))
  expect([...readSmileElements(smile ?? new Uint8Array())]).toMatchObject([
    { payload: { n: 1 } },
    { payload: { n: 2 } },
  ])
  expect([...readRecords(thrift ?? new Uint8Array())]).toHaveLength(2)
})

test('a request with events of several types, of which some are known already', async () => {
  const both = jsonBatch([{ n: 1 }, { n: 2 }])
  const mixed = { ...both, events: both.events.map((event, i) => ({ ...event, name: i === 0 ? 'Hello' : 'Other' })) }
  const segment = await keep(jsonBatch([{ n: 0 }]), mixed)
  const { files, damage } = await createSealing(disk).seal({ ...request, segment })
  expect(files.map(({ events }) => events)).toEqual([2, 1])
  expect(damage).toEqual([])
})

test.each([
  ['hive', false],
  ['dated', true],
] as const)('with the layout %s a field called `hour` has a column: %s', async (layout, hasColumn) => {
  const events = [{ hour: 7, n: 1 }]
  const { files } = await createSealing(disk).seal({ ...request, segment: await keep(jsonBatch(events)), layout })
  const text = Buffer.from(await disk.read(`sealed/${files[0]?.name}`)).toString('latin1')
  expect(await read(files[0]?.name ?? '')).toEqual(events)
  expect(text.includes('["hour","double"]')).toBe(hasColumn)
})

test('a broken segment is read up to its end, wherever that is, and nothing behind it is looked at', async () => {
  const segment = await keep(...Array.from({ length: 300 }, (_, n) => jsonBatch([{ n, text: 'x'.repeat(1_000) }])))
  const { length } = await disk.read(segmentPath(segment))
  const { files, damage } = await createSealing(disk).seal({ ...request, segment, end: length - 100 })
  expect(files).toMatchObject([{ events: 299 }])
  const [piece] = damage
  expect(piece?.bytes).toBeGreaterThan(900)
  expect(piece?.bytes).toBeLessThan(length / 300 - 50)
})

test('columns are remembered before the ledger can know of a file that has them', async () => {
  const order: string[] = []
  const watched: Disk = {
    ...disk,
    rename: async (from, to) => {
      order.push(to)
      await disk.rename(from, to)
    },
    create: async path => {
      order.push(path)
      return await disk.create(path)
    },
  }
  const segment = await keep(jsonBatch([{ n: 1 }]))
  await createSealing(watched).seal({ ...request, segment })
  expect(order.map(path => path.replace(/\/.*/, ''))).toEqual(['sealed', 'schemas.next', 'schemas', 'lists'])
})

test('what was learned for a seal that failed, and was not remembered, does not count', async () => {
  let isFull = true
  const failing: Disk = {
    ...disk,
    rename: async (from, to) => {
      if (isFull && to === 'schemas') throw Object.assign(new Error('disk full'), { code: 'ENOSPC' })
      await disk.rename(from, to)
    },
  }
  const { seal } = createSealing(failing)
  const first = await keep(jsonBatch([{ x: 1 }]))
  const second = await keep(jsonBatch([{ x: 'text' }]))
  await expect(seal({ ...request, segment: first })).rejects.toMatchObject({ code: 'ENOSPC' })
  isFull = false
  await seal({ ...request, segment: second })
  const [schema] = (await readSchemas(disk)).schemas
  expect(schema?.columns.struct.get('x')).toBe('text')
})

test('a new thread, or a new process, continues with the remembered columns', async () => {
  const first = await keep(jsonBatch([{ x: true }]))
  const second = await keep(jsonBatch([{ x: 1.5 }]))
  await createSealing(disk).seal({ ...request, segment: first })
  const { files, schemas } = await createSealing(disk).seal({ ...request, segment: second })
  expect(schemas).toMatchObject([{ eventName: 'Hello', misfits: [['x', 1]] }])
  expect(await read(files[0]?.name ?? '')).toEqual([{ x: 1.5 }])
})

test('the thread asks what a registry knows of each type', async () => {
  const segment = await keep(jsonBatch([{ price: 1, other: true }]), jsonBatch([{ a: 1 }], { name: 'Two' }))
  const lookUp = (name: string) => (name === 'Hello' ? [{ id: 1, name: 'price', type: 'double' } as const] : undefined)
  const sealer = createSealer({ directory, lookUp })
  try {
    await sealer.seal({ ...request, segment })
    const { schemas } = await readSchemas(disk)
    expect(schemas.map(({ columns }) => [...columns.struct].slice(3))).toEqual([
      [['price', 'double']],
      [['a', 'double']],
    ])
  } finally {
    await sealer.close()
  }
})

describe('memory', () => {
  test('a segment of many events is written in row groups before all of it is read', async () => {
    const payload = { text: 'x'.repeat(4_000) }
    const batch = jsonBatch(Array.from({ length: 1_000 }, () => payload))
    const other = jsonBatch([{ n: 1 }], { name: 'Two' })
    const segment = await keep(other, ...Array.from({ length: 12 }, () => batch), other)
    const { files } = await createSealing(disk).seal({ ...request, segment })
    const groups = files.map(async ({ name }) => {
      const { row_groups: found } = await parquetMetadataAsync(toFile(await disk.read(`sealed/${name}`)))
      return found.map(({ num_rows: rows }) => Number(rows))
    })
    const [small, large] = await Promise.all(groups)
    // What holds little waits, so that its row groups do not become small.
    expect(small).toEqual([2])
    expect(large?.length).toBeGreaterThan(1)
    expect(large?.reduce((sum, rows) => sum + rows, 0)).toBe(12_000)
  })
})

const toFile = (bytes: Uint8Array): AsyncBuffer => ({
  byteLength: bytes.length,
  slice: async (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
})

test('an event that is not JSON, though its braces are in order, is set aside alone', async () => {
  const odd = jsonBatch([{ n: 2 }])
  const body = Buffer.from(Buffer.from(odd.body).toString().replace('"n":2', '"n":nul'))
  const segment = await keep(jsonBatch([{ n: 1 }]), { ...odd, body }, jsonBatch([{ n: 3 }]))
  const { files, damage } = await createSealing(disk).seal({ ...request, segment })
  expect(damage).toMatchObject([{ events: 1 }])
  expect(await read(files[0]?.name ?? '')).toEqual([{ n: 1 }, { n: 3 }])
})
