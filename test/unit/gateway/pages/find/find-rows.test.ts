import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../../src/errors.ts'
import type { FileStatus } from '../../../../../src/filesystem/filesystem.ts'
import { findRows, type SearchRequest } from '../../../../../src/gateway/pages/find/find-rows.ts'
import type { OpenFileRows } from '../../../../../src/gateway/pages/find/read-window.ts'
import { createMarkMemory } from '../../../../../src/gateway/rows/mark-memory.ts'
import type { Mark } from '../../../../../src/rows/reading.ts'
import { parseWhere } from '../../../../../src/rows/where/where.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'

const names = ['n']
const batchRows = 10
const rowBytes = 100

/** A file of numbered rows, 100 bytes each, in batches of ten, each of which takes 7 ms by the clock. */
const createFile = async (
  count: number,
  { damagedAt = Number.POSITIVE_INFINITY, skips = [] as readonly number[] } = {},
) => {
  const fileSystem = createMemoryFileSystem()
  await fileSystem.create('/f', new Blob([new Uint8Array(count * rowBytes)]).stream())
  const status: FileStatus = await fileSystem.getFileStatus('/f')
  const seen: { from: (Mark | undefined)[]; batches: number[]; isClosed: boolean } = {
    from: [],
    batches: [],
    isClosed: false,
  }
  let clock = 1_000
  const open: OpenFileRows = async ({ from, fileSystem: counted }) => {
    seen.from.push(from)
    if (from !== undefined && from.offset !== from.row * rowBytes) throw new FormatError('rows', from.offset, 'no row')
    return {
      serializer: 'test',
      codec: 'none',
      columns: names,
      batches: (async function* () {
        try {
          for (let first = from?.row ?? 0; first < count; first += batchRows) {
            if (skips.includes(first)) continue
            if (first >= damagedAt) throw new FormatError('rows', first * rowBytes, 'broken')
            seen.batches.push(first)
            clock += 7
            const range = { offset: first * rowBytes, length: batchRows * rowBytes }
            for await (const _chunk of (await counted?.open('/f', range)) ?? []) void _chunk
            const end = Math.min(count, first + batchRows)
            const rows = Array.from({ length: end - first }, (_, index) => ({ names, values: [(first + index) % 25] }))
            yield { rows, first, mark: { row: end, offset: end * rowBytes } }
          }
        } finally {
          seen.isClosed = true
        }
      })(),
    }
  }
  const memory = createMarkMemory()
  const find = (where: string, more: Partial<SearchRequest> = {}) =>
    findRows(open, memory, fileSystem, {
      status,
      first: 0,
      last: Number.POSITIVE_INFINITY,
      most: 3,
      mostColumns: 5,
      where: parseWhere(where),
      budget: { ms: 1_000_000, bytes: 1_000_000_000 },
      now: () => clock,
      signal: AbortSignal.timeout(60_000),
      ...more,
    })
  return { find, seen, memory, status }
}

describe('findRows', () => {
  test('gives the rows that match with their numbers, and stops behind the last that is wanted', async () => {
    const { find, seen } = await createFile(1_000)
    const { rows, numbers, found, isEnd, next } = await find('n = 24')
    expect(rows.map(({ values }) => values)).toEqual([[24], [24], [24]])
    expect(numbers).toEqual([24, 49, 74])
    expect(found).toEqual({ goOn: 75, bytes: 8 * 1_000, isCut: false })
    expect(isEnd).toBe(false)
    expect(next).toEqual({ row: 70, offset: 7_000 })
    expect(seen).toMatchObject({ batches: [0, 10, 20, 30, 40, 50, 60, 70], isClosed: true })
  })

  test('continues from there, and finds the end', async () => {
    const { find, seen } = await createFile(100)
    const {
      numbers,
      found,
      isEnd,
      seen: rowsSeen,
    } = await find('n = 24', { first: 75, at: { row: 70, offset: 7_000 } })
    expect(numbers).toEqual([99])
    expect(found).toMatchObject({ goOn: undefined, isCut: false })
    expect({ isEnd, rowsSeen }).toEqual({ isEnd: true, rowsSeen: 100 })
    expect(seen.from).toEqual([{ row: 70, offset: 7_000 }])
  })

  test('goes from link to link over every row once', async () => {
    const { find } = await createFile(1_000)
    const all: number[] = []
    let first: number | undefined = 0
    let at: Mark | undefined
    while (first !== undefined) {
      const page = await find('n = 3 or n = 4', { first, at })
      all.push(...page.numbers)
      first = page.found.goOn
      at = page.next
    }
    expect(all).toEqual(Array.from({ length: 1_000 }, (_, n) => n).filter(n => n % 25 === 3 || n % 25 === 4))
  })

  test('stops when its time is over, but looks at some rows all the same', async () => {
    const { find, seen } = await createFile(1_000)
    expect(await find('n = 99', { budget: { ms: 20, bytes: 1e9 } })).toMatchObject({
      rows: [],
      seen: 30,
      found: { goOn: 30, bytes: 3_000, isCut: true },
      next: { row: 30, offset: 3_000 },
    })
    expect(seen.isClosed).toBe(true)
    expect((await find('n = 99', { budget: { ms: 0, bytes: 1e9 } })).found.goOn).toBe(10)
    // Rows before the first one are useless.
    expect((await find('n = 99', { first: 55, budget: { ms: 0, bytes: 1e9 } })).found.goOn).toBe(60)
  })

  test('stops when it has read enough', async () => {
    const { find } = await createFile(1_000)
    expect((await find('n = 99', { budget: { ms: 1e9, bytes: 2_000 } })).found).toEqual({
      goOn: 20,
      bytes: 2_000,
      isCut: true,
    })
  })

  test('looks at no rows behind the last one, and tells whether there are more', async () => {
    const { find, seen } = await createFile(100)
    expect(await find('n = 24', { last: 54 })).toMatchObject({ numbers: [24, 49], seen: 55, found: { goOn: 55 } })
    expect(seen.batches).toHaveLength(6)
    expect(await find('n = 24', { last: 99 })).toMatchObject({ numbers: [24, 49, 74], found: { goOn: 75 } })
    expect(await find('n = 24', { first: 75, last: 99 })).toMatchObject({ numbers: [99], found: { goOn: undefined } })
  })

  test('keeps the numbers where rows were passed over', async () => {
    const { find } = await createFile(100, { skips: [20, 30, 90] })
    expect(await find('n = 24 or n = 20')).toMatchObject({ numbers: [45, 49, 70], found: { goOn: 71 } })
    expect(await find('n = 24 or n = 20', { first: 71 })).toMatchObject({ numbers: [74], found: { goOn: undefined } })
  })

  test('ends at damage with what was found before it', async () => {
    const { find } = await createFile(100, { damagedAt: 40 })
    const { numbers, damage, isEnd } = await find('n = 24')
    expect({ numbers, message: damage?.message, isEnd }).toEqual({
      numbers: [24],
      message: 'rows: broken at byte 4000',
      isEnd: true,
    })
  })

  test('begins at the top where a link names no place', async () => {
    const { find, seen, memory, status } = await createFile(100)
    expect(await find('n = 24', { first: 30, at: { row: 20, offset: 1 } })).toMatchObject({ numbers: [49, 74, 99] })
    expect(seen.from).toEqual([{ row: 20, offset: 1 }, undefined])
    expect(memory.find(status, 30)).toEqual({ row: 30, offset: 3_000 })
  })

  test('refuses a column that the file does not have before it looks', async () => {
    const { find, seen } = await createFile(100)
    await expect(find('m = 24')).rejects.toThrow('the file has no column "m"')
    expect(seen.batches).toEqual([])
  })
})
