import { expect, test } from 'vitest'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { makeTable, place } from './a-table.ts'
import { put } from './parquet-files.ts'

const metadata = `${place.path}/metadata`

test.each([
  ['behind ours', 'v2.gz.metadata.json', true],
  ['of a table of others', 'v7.gz.metadata.json', false],
  ['of older writers', 'v7.metadata.json.gz', false],
])('compressed metadata %s is an error, and nothing is written beside it: %s', async (_, name, isOurs) => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  if (isOurs) await makeTable(catalog)
  await put(fileSystem, `${metadata}/${name}`, new Uint8Array(10))
  await expect(catalog.load(place.path)).rejects.toThrow(/found version \d compressed/)
  if (!isOurs) await expect(makeTable(catalog)).rejects.toThrow(/compressed/)
})

test('compressed metadata before ours is none of its concern', async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  await put(fileSystem, `${metadata}/v1.gz.metadata.json`, new Uint8Array(10))
  expect(await catalog.load(place.path)).toMatchObject({ version: 1 })
})
