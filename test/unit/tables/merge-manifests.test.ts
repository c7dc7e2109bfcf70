import { expect, test } from 'vitest'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import {
  describeManifest,
  type ManifestFile,
  readManifest,
  toAddedEntry,
  writeManifest,
} from '../../../src/tables/manifests.ts'
import { mergeManifests } from '../../../src/tables/merge-manifests.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, makeTable } from './a-table.ts'
import { load } from './grown-table.ts'

const most = 2 * 1024 * 1024

/** Manifests of one file each, as if they had these lengths, the newest first; and a commit that may merge some of them. */
const open = async (lengths: readonly number[]) => {
  const fileSystem = createMemoryFileSystem()
  await makeTable(createDirectoryCatalog(fileSystem))
  const table = (await load(fileSystem)).metadata
  const snapshot = { id: 7n, sequenceNumber: 1 }
  const files = new Map<string, Buffer>()
  let manifests = lengths.map((bytes, i): ManifestFile => {
    const entries = [toAddedEntry(table, aFile(`f-${i}`), snapshot.id)]
    files.set(`m-${i}`, writeManifest(table, entries))
    return describeManifest({ uri: `m-${i}`, bytes }, table, snapshot, entries)
  })
  const bytesOf = (uri: string): Buffer => files.get(uri) ?? Buffer.alloc(0)
  return {
    /** @returns bytes that were read for it */
    commit: async (): Promise<number> => {
      let read = 0
      manifests = await mergeManifests(manifests, {
        table,
        snapshot,
        read: async ({ uri, bytes }) => {
          read += bytes
          return bytesOf(uri)
        },
        write: async bytes => {
          const uri = `merged-${files.size}`
          files.set(uri, bytes)
          return uri
        },
      })
      return read
    },
    uris: () => manifests.map(({ uri }) => uri),
    names: () =>
      manifests
        .flatMap(manifest => readManifest(bytesOf(manifest.uri), manifest))
        .map(({ file }) => file.text('file_path').replace(/.*\//, '')),
  }
}

const expectAll = (names: readonly string[], count: number): void =>
  expect(names.toSorted()).toEqual(Array.from({ length: count }, (_, i) => `f-${i}.parquet`).toSorted())

test.each([100, 20])('manifests stay where there are few: %i', async count => {
  const { commit, uris } = await open(Array.from({ length: count }, () => 1_000))
  const before = uris()
  expect(await commit()).toBe(0)
  expect(uris()).toEqual(before)
})

test('many small ones become one', async () => {
  const { commit, uris, names } = await open(Array.from({ length: 101 }, () => 1_000))
  await commit()
  expect(uris()).toEqual(['m-0', expect.stringMatching('merged')])
  expectAll(names(), 101)
})

test('a commit rewrites no more than two MiB, of the oldest ones, and the next ones the rest', async () => {
  const { commit, uris, names } = await open(Array.from({ length: 130 }, () => 360_000))
  while (uris().length > 100) {
    const read = await commit()
    expect(read).toBeGreaterThan(360_000)
    expect(read).toBeLessThanOrEqual(most)
    expectAll(names(), 130)
  }
  expect(uris()).toContain('m-60')
})

test('large ones are not written anew one by one', async () => {
  const { commit, uris } = await open(Array.from({ length: 130 }, () => 1_500_000))
  const before = uris()
  expect(await commit()).toBe(0)
  expect(uris()).toEqual(before)
})
