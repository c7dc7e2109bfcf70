import { expect, test } from 'vitest'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { toAddedEntry } from '../../../src/tables/manifests.ts'
import type { SortOrder } from '../../../src/tables/metadata.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, makeTable } from './a-table.ts'
import { load } from './grown-table.ts'

const by = (sourceId: number, more: { readonly transform?: string; readonly direction?: string } = {}) => ({
  sourceId,
  transform: 'identity',
  direction: 'asc',
  ...more,
})

test.each<[sortedBy: number | undefined, orders: readonly SortOrder[] | undefined, id: number]>([
  [1, undefined, 1],
  [undefined, undefined, 0],
  [2, undefined, 0],
  [1, [], 0],
  [
    1,
    [
      { id: 4, fields: [by(2)] },
      { id: 7, fields: [by(1)] },
    ],
    7,
  ],
  [1, [{ id: 4, fields: [by(1), by(2)] }], 0],
  [1, [{ id: 4, fields: [by(1, { direction: 'desc' })] }], 0],
  [1, [{ id: 4, fields: [by(1, { transform: 'hour' })] }], 0],
])('a file sorted by %j has of the orders %j that with the id %i', async (sortedBy, sortOrders, id) => {
  const fileSystem = createMemoryFileSystem()
  await makeTable(createDirectoryCatalog(fileSystem))
  const { metadata } = await load(fileSystem)
  const table = { ...metadata, ...(sortOrders ? { sortOrders } : {}) }
  expect(toAddedEntry(table, { ...aFile('x'), sortedBy }, 5n)).toMatchObject({ data_file: { sort_order_id: id } })
})
