import { describe, expect, test } from 'vitest'
import type { FileStatus, FileSystem } from '../../../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../../../src/filesystem/path.ts'
import {
  createNameFilter,
  type ListingRequest,
  listEntries,
  maxScannedEntries,
  maxSortedEntries,
} from '../../../../../src/gateway/pages/listing/list-entries.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'

const toName = ({ path }: FileStatus): string => baseName(path)

/** A directory of files `f0000000`, …, each as long as `toLength` says, that counts what is read of it. */
const createDirectory = (count: number, toLength = (index: number) => (index * 7) % 1000) => {
  const seen = { entries: 0 }
  const toStatus = (index: number): FileStatus => ({
    path: `/d/f${String(index).padStart(7, '0')}`,
    isDirectory: false,
    length: toLength(index),
    modificationTime: count - index,
    owner: 'ann',
    group: 'staff',
    permission: 0o644,
    replication: 3,
    blockSize: 1,
  })
  const fileSystem: FileSystem = {
    ...createMemoryFileSystem(),
    async *listStatus(_path, { startAfter } = {}) {
      const first = startAfter === undefined ? 0 : Number(startAfter.slice(1)) + 1
      for (let index = first; index < count; index += 1) {
        seen.entries += 1
        yield [toStatus(index)]
      }
    },
  }
  return { fileSystem, seen }
}

const list = async (fileSystem: FileSystem, request: Partial<ListingRequest> = {}) =>
  await listEntries(fileSystem, '/d', { sort: 'name', order: 'asc', page: 1, ...request }, AbortSignal.any([]))

describe('listEntries', () => {
  test('by name reads one page and no further', async () => {
    const { fileSystem, seen } = createDirectory(250_000)
    const { entries, next, total } = await list(fileSystem, { limit: 10, startAfter: 'f0000099' })
    expect(entries.map(toName)).toEqual(
      Array.from({ length: 10 }, (_, index) => `f00001${String(index).padStart(2, '0')}`),
    )
    expect({ next, total, read: seen.entries }).toEqual({
      next: { startAfter: 'f0000109' },
      total: undefined,
      read: 11,
    })
  })

  test('by name shows every entry once over all pages', async () => {
    const { fileSystem } = createDirectory(95)
    const names: string[] = []
    let startAfter: string | undefined
    do {
      const { entries, next } = await list(fileSystem, { limit: 10, startAfter })
      names.push(...entries.map(toName))
      startAfter = next?.startAfter
    } while (startAfter !== undefined)
    expect(names).toEqual(Array.from({ length: 95 }, (_, index) => `f${String(index).padStart(7, '0')}`))
  })

  test('knows the total of a directory that fits the page', async () => {
    const { total, next } = await list(createDirectory(3, () => 5).fileSystem)
    expect({ total, next }).toEqual({ total: { entries: 3, bytes: 15 }, next: undefined })
  })

  test.each([
    { sort: 'size', order: 'asc', want: [0, 1, 2] },
    { sort: 'size', order: 'desc', want: [999, 998, 997] },
  ] as const)('by size, $order', async ({ sort, order, want }) => {
    const { entries, total } = await list(createDirectory(1000).fileSystem, { sort, order, limit: 3 })
    expect(entries.map(({ length }) => length)).toEqual(want)
    expect(total?.entries).toBe(1000)
  })

  test('by time, and by name backwards', async () => {
    const { fileSystem } = createDirectory(20)
    const byTime = await list(fileSystem, { sort: 'modified', order: 'asc', limit: 1 })
    const backwards = await list(fileSystem, { order: 'desc', limit: 1 })
    expect([...byTime.entries, ...backwards.entries].map(toName)).toEqual(['f0000019', 'f0000019'])
  })

  test('pages of a sorted listing follow one another; one too far is the last', async () => {
    const { fileSystem } = createDirectory(25, index => index)
    const second = await list(fileSystem, { sort: 'size', limit: 10, page: 2 })
    expect([second.skipped, second.previous, second.next]).toEqual([10, { page: 1 }, { page: 3 }])
    const beyond = await list(fileSystem, { sort: 'size', limit: 10, page: 99 })
    expect([beyond.skipped, beyond.entries.length, beyond.previous, beyond.next]).toEqual([
      20,
      5,
      { page: 2 },
      undefined,
    ])
  })

  test('is by name where there are too many to sort, without reading on', async () => {
    const { fileSystem, seen } = createDirectory(250_000)
    const { sort, order, entries, next } = await list(fileSystem, { sort: 'size', order: 'desc', limit: 2 })
    expect({ sort, order, names: entries.map(toName), next }).toEqual({
      sort: 'name',
      order: 'asc',
      names: ['f0000000', 'f0000001'],
      next: { startAfter: 'f0000001' },
    })
    expect(seen.entries).toBe(maxSortedEntries + 1)
  })

  test('sorts what a filter leaves of a large directory', async () => {
    const { sort, total } = await list(createDirectory(30_000).fileSystem, { sort: 'size', filter: 'f00000' })
    expect([sort, total?.entries]).toEqual(['size', 100])
  })

  test('stops a search that finds nothing, and continues from there', async () => {
    const { fileSystem } = createDirectory(maxScannedEntries + 10)
    const first = await list(fileSystem, { filter: 'f0250005' })
    expect([first.entries.length, first.stopped, first.next]).toEqual([0, true, { startAfter: 'f0249999' }])
    const second = await list(fileSystem, { filter: 'f0250005', ...first.next })
    expect([second.entries.map(toName), second.next]).toEqual([['f0250005'], undefined])
  })
})

describe('createNameFilter', () => {
  test.each([
    { filter: undefined, name: 'a', want: true },
    { filter: '', name: 'a', want: true },
    { filter: '***', name: 'a', want: true },
    { filter: 'ART', name: 'part-0', want: true },
    { filter: 'p*0', name: 'part-0', want: true },
    { filter: '0*p', name: 'part-0', want: false },
    { filter: 'a*a', name: 'a', want: false },
    { filter: '.', name: 'ab', want: false },
    { filter: 'É', name: 'café', want: true },
  ])('$filter on $name: $want', ({ filter, name, want }) => expect(createNameFilter(filter)(name)).toBe(want))
})
