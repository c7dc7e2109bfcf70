import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../../src/errors.ts'
import { type FileStatus, FileSystemError } from '../../../../../src/filesystem/filesystem.ts'
import { type OpenFileRows, readWindow, type WindowRequest } from '../../../../../src/gateway/pages/find/read-window.ts'
import { createMarkMemory } from '../../../../../src/gateway/rows/mark-memory.ts'
import type { Mark } from '../../../../../src/rows/reading.ts'
import type { Row } from '../../../../../src/rows/row.ts'

const status: FileStatus = {
  path: '/f',
  isDirectory: false,
  length: 1_000_000,
  modificationTime: 1,
  owner: '',
  group: '',
  permission: 0,
  replication: 1,
  blockSize: 1,
}
const names = ['n']
const batchRows = 10

/** A file of numbered rows, 100 bytes each, in batches of ten; notes from where it is read and how far. */
const createFile = (count: number, end?: Error) => {
  const seen: { from: (Mark | undefined)[]; batches: number } = { from: [], batches: 0 }
  const open: OpenFileRows = async ({ from }) => {
    seen.from.push(from)
    if (from !== undefined && from.offset !== from.row * 100) throw new FormatError('rows', from.offset, 'no row here')
    return {
      serializer: 'test',
      codec: 'none',
      batches: (async function* () {
        for (let first = from?.row ?? 0; first < count; first += batchRows) {
          seen.batches += 1
          const rows: Row[] = Array.from({ length: Math.min(batchRows, count - first) }, (_, index) => ({
            names,
            values: [first + index],
          }))
          yield { rows, first, mark: { row: first + rows.length, offset: (first + rows.length) * 100 } }
        }
        if (end !== undefined) throw end
      })(),
    }
  }
  return { open, seen }
}

const read = async (
  file: ReturnType<typeof createFile>,
  request: Partial<WindowRequest>,
  memory = createMarkMemory(),
) => await readWindow(file.open, memory, { status, first: 0, last: 9, signal: AbortSignal.any([]), ...request })

const numbers = (rows: readonly Row[]) => rows.map(({ values }) => values[0])

describe('readWindow', () => {
  test('gives the wanted rows and where to continue, and reads no further', async () => {
    const file = createFile(1000)
    const window = await read(file, { first: 5, last: 14 })
    expect(numbers(window.rows)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect([window.isEnd, window.next, file.seen.batches]).toEqual([false, { row: 10, offset: 1000 }, 2])
  })

  test('starts at the place that the link carries', async () => {
    const file = createFile(10_000)
    const window = await read(file, { first: 9_005, last: 9_006, at: { row: 9_000, offset: 900_000 } })
    expect(numbers(window.rows)).toEqual([9_005, 9_006])
    expect([file.seen.from, file.seen.batches]).toEqual([[{ row: 9_000, offset: 900_000 }], 1])
  })

  test.each([
    { name: 'nonsense', at: { row: 20, offset: 7 } },
    { name: 'behind the rows', at: { row: 31, offset: 3_100 } },
    { name: 'behind the file', at: { row: 20, offset: 2_000_000 } },
  ])('reads from the beginning where the place is $name', async ({ at }) => {
    const window = await read(createFile(1000), { first: 30, last: 31, at })
    expect([numbers(window.rows), window.damage]).toEqual([[30, 31], undefined])
  })

  test('goes back without reading from the top, and never trusts a place of a link for that', async () => {
    const memory = createMarkMemory()
    const file = createFile(1000)
    await read(file, { first: 500, last: 509, at: { row: 500, offset: 50_000 } }, memory)
    await read(file, { first: 400, last: 409 }, memory)
    await read(file, { first: 300, last: 309 }, memory)
    expect(file.seen.from).toEqual([{ row: 500, offset: 50_000 }, undefined, { row: 300, offset: 30_000 }])
  })

  test.each([
    { first: 0, last: 99, want: { count: 25, first: 0, seen: 25, isEnd: true } },
    { first: 20, last: 24, want: { count: 5, first: 20, seen: 25, isEnd: true } },
    { first: 20, last: 23, want: { count: 4, first: 20, seen: 25, isEnd: false } },
    { first: 25, last: 30, want: { count: 0, first: 25, seen: 25, isEnd: true } },
    { first: 90, last: 99, want: { count: 0, first: 25, seen: 25, isEnd: true } },
  ])('knows the end of 25 rows from $first to $last', async ({ first, last, want }) => {
    const window = await read(createFile(25), { first, last })
    const { rows, seen, isEnd } = window
    // Where there are no rows, `first` only says how far there are some.
    expect({ count: rows.length, seen, isEnd }).toEqual({ count: want.count, seen: want.seen, isEnd: want.isEnd })
    if (rows.length > 0) expect(window.first).toBe(want.first)
  })

  test('keeps the rows before the damage', async () => {
    const damage = new FormatError('rows', 2_500, 'cut short')
    const window = await read(createFile(25, damage), { first: 0, last: 99 })
    expect([window.rows.length, window.damage, window.isEnd]).toEqual([25, damage, true])
  })

  test('rejects when the file system is unavailable', async () => {
    const away = new FileSystemError('unavailable', '/f', 'gone')
    await expect(read(createFile(25, away), { first: 0, last: 99 })).rejects.toBe(away)
  })
})

describe('createMarkMemory', () => {
  test('finds the last place before a row, per version of a file', () => {
    const memory = createMarkMemory()
    const file = { ...status, length: 100 }
    for (const row of [30, 10, 20, 20]) memory.add(file, { row, offset: row })
    expect([9, 10, 25, 99].map(row => memory.find(file, row)?.row)).toEqual([undefined, 10, 20, 30])
    for (const other of [{ modificationTime: 2 }, { length: 101 }, { path: '/other' }]) {
      expect(memory.find({ ...file, ...other }, 99)).toBeUndefined()
    }
    expect(memory.find(file, 99, 'raw')).toBeUndefined()
  })

  test('stays small, and keeps places over the whole file', () => {
    const memory = createMarkMemory()
    for (let row = 1; row <= 100_000; row += 1) memory.add(status, { row, offset: row })
    for (const wanted of [1_000, 50_000, 99_999]) {
      const row = memory.find(status, wanted)?.row ?? 0
      expect(row).toBeGreaterThan(0)
      expect(row).toBeLessThanOrEqual(wanted)
    }
    for (let index = 0; index < 200; index += 1) memory.add({ ...status, path: `/${index}` }, { row: 1, offset: 1 })
    expect(memory.find(status, 99_999)).toBeUndefined()
  })
})
