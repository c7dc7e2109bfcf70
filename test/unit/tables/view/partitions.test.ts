import { expect, test } from 'vitest'
import { appendFiles } from '../../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { readSnapshotFiles } from '../../../../src/tables/snapshot-files.ts'
import { countPartitions, toPartitionText } from '../../../../src/tables/view/partitions.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { aFile, calm, makeTable, place } from '../a-table.ts'

test.each([
  ['hour', 490_924, '2026-01-02T04:00Z'],
  ['hour', -1, '1969-12-31T23:00Z'],
  ['day', 20_455, '2026-01-02'],
  ['month', 672, '2026-01'],
  ['year', 56, '2026'],
  ['bucket[16]', 7, '7'],
  ['identity', 'DK', 'DK'],
  ['identity', true, 'true'],
  ['identity', 9_007_199_254_740_993n, '9007199254740993'],
  ['identity', new Uint8Array([0, 255]), '0x00ff'],
  ['identity', { a: 1n }, '{"a":1}'],
  ['hour', null, 'null'],
  // No time that there is.
  ['hour', Number.MAX_SAFE_INTEGER, '9007199254740991'],
])('%s %s is shown as %s', (transform, value, text) => {
  expect(toPartitionText(transform, value)).toBe(text)
})

test('partitions of all manifests, the last one first; or of the newest ones, where time is over', async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const [name, hour] of [
    ['a', 10],
    ['b', 11],
    ['c', 11],
  ] as const)
    await appendFiles({
      ...calm,
      catalog,
      fileSystem,
      path: place.path,
      toAppend: async () => ({ files: [aFile(name, hour)] }),
    })
  const table = await catalog.load(place.path)
  if (!table) throw new Error('expected a table')
  const files = readSnapshotFiles(fileSystem, table.place)
  const options = { table, manifests: await files.manifests(table.metadata.current), read: files.entries }
  expect(await countPartitions({ ...options, isOver: () => false, most: 10 })).toEqual({
    shown: [
      { name: '1970-01-01T11:00Z', files: 2, rows: 20, bytes: 2_000 },
      { name: '1970-01-01T10:00Z', files: 1, rows: 10, bytes: 1_000 },
    ],
    count: 2,
    total: { files: 3, rows: 30, bytes: 3_000 },
    isWhole: true,
  })
  expect(await countPartitions({ ...options, isOver: () => true, most: 1 })).toMatchObject({
    shown: [{ name: '1970-01-01T11:00Z', files: 1 }],
    isWhole: false,
  })
})
