import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FileStatus, ListOptions } from '../../../../src/filesystem/filesystem.ts'
import { baseName, compareNames } from '../../../../src/filesystem/path.ts'
import { createPagedListings } from '../../../../src/gateway/webhdfs/paged-listings.ts'

const toStatus = (path: string): FileStatus => ({
  path,
  isDirectory: false,
  length: 0,
  modificationTime: 0,
  owner: '',
  group: '',
  permission: 0o644,
  replication: 1,
  blockSize: 1,
})

const toName = (index: number): string => `f${String(index).padStart(6, '0')}`

/** A directory of a number of files, in parts, that counts how often it is listed and how many listings are open. */
const createDirectory = (entries: number, partEntries = 100) => {
  const seen = { listed: 0, open: 0 }
  const fileSystem = {
    async *listStatus(path: string, { startAfter }: ListOptions = {}) {
      seen.listed++
      seen.open++
      try {
        const names = Array.from({ length: entries }, (_, index) => toName(index))
        const wanted = names.filter(name => startAfter === undefined || compareNames(name, startAfter) > 0)
        for (let at = 0; at < wanted.length; at += partEntries) {
          yield wanted.slice(at, at + partEntries).map(name => toStatus(`${path}/${name}`))
        }
      } finally {
        seen.open--
      }
    },
  }
  return { listings: createPagedListings(fileSystem), seen }
}

const readAll = async (listings: ReturnType<typeof createPagedListings>, path: string) => {
  const pages: string[][] = []
  for (let startAfter: string | undefined; ; ) {
    const { entries, hasMore } = await listings.next(path, startAfter)
    pages.push(entries.map(status => baseName(status.path)))
    startAfter = pages.at(-1)?.at(-1)
    if (!hasMore) return pages
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('all names come once and in order, in pages, out of one listing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(5_000), fc.integer({ min: 1, max: 3_000 }), async (entries, partEntries) => {
      const { listings, seen } = createDirectory(entries, partEntries)
      const pages = await readAll(listings, '/d')
      expect(pages.flat()).toEqual(Array.from({ length: entries }, (_, index) => toName(index)))
      for (const page of pages.slice(0, -1)) {
        expect(page.length).toBeGreaterThanOrEqual(1_000)
        expect(page.length).toBeLessThan(1_000 + partEntries)
      }
      expect(seen).toEqual({ listed: 1, open: 0 })
    }),
    { numRuns: 30 },
  )
})

test('the last page says that it is: no empty one is requested', async () => {
  const { listings } = createDirectory(2_000)
  expect((await readAll(listings, '/d')).map(page => page.length)).toEqual([1_000, 1_000])
})

test('a page that is requested twice, or from elsewhere, is listed again', async () => {
  const { listings, seen } = createDirectory(3_000)
  const first = await listings.next('/d', undefined)
  expect(await listings.next('/d', undefined)).toEqual(first)
  expect(seen).toEqual({ listed: 2, open: 1 })
  const [one, other] = await Promise.all([listings.next('/d', toName(999)), listings.next('/d', toName(999))])
  expect(one).toEqual(other)
  expect((await listings.next('/e', toName(999))).entries[0]?.path).toBe(`/e/${toName(1_000)}`)
})

describe('what waits for its next page', () => {
  test('is closed after a while, and continues all the same', async () => {
    const { listings, seen } = createDirectory(3_000)
    await listings.next('/d', undefined)
    expect(seen.open).toBe(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen.open).toBe(0)
    expect((await listings.next('/d', toName(999))).entries[0]?.path).toBe(`/d/${toName(1_000)}`)
  })

  test('restarts the wait after each page', async () => {
    const { listings, seen } = createDirectory(5_000)
    await listings.next('/d', undefined)
    await vi.advanceTimersByTimeAsync(9_000)
    await listings.next('/d', toName(999))
    await vi.advanceTimersByTimeAsync(9_000)
    expect(seen).toEqual({ listed: 1, open: 1 })
  })

  test('waits as long when it is asked for once more', async () => {
    const { listings, seen } = createDirectory(5_000)
    await listings.next('/d', undefined)
    await vi.advanceTimersByTimeAsync(5_000)
    await listings.next('/d', toName(999))
    await listings.next('/d', undefined)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(seen.open).toBe(2)
  })

  test('is no more than sixteen', async () => {
    const { listings, seen } = createDirectory(2_001)
    for (let index = 0; index < 40; index++) await listings.next(`/${index}`, undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(seen.open).toBe(16)
    expect(seen.listed).toBe(40)
    await listings.next('/39', toName(999))
    expect(seen.listed).toBe(40)
    await listings.next('/0', toName(999))
    expect(seen.listed).toBe(41)
  })
})

test('a listing that fails is reported, and not kept', async () => {
  let calls = 0
  const failing = { next: () => Promise.reject(new Error(`no ${++calls}`)) }
  const listings = createPagedListings({ listStatus: () => ({ [Symbol.asyncIterator]: () => failing }) })
  await expect(listings.next('/d', undefined)).rejects.toThrow('no 1')
  await expect(listings.next('/d', undefined)).rejects.toThrow('no 2')
})
