import { expect, onTestFinished, test } from 'vitest'
import { tableAway } from '../../../../src/spool/parquet/table-columns.ts'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { type CatalogFault, startFakeCatalog } from '../../../suites/fake-rest-catalog.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { silent } from '../../../suites/spool.ts'

const columns = {
  struct: new Map([
    ['eventDate', 'timestamp'],
    ['n', 'integer'],
  ] as const),
}

const open = async (fault: CatalogFault | undefined) => {
  const { url, requests } = await startFakeCatalog({ fail: () => fault })
  const fileSystem = { ...createMemoryFileSystem(), url: 'hdfs://nn:8020' }
  const rest = { warehouse: undefined, prefix: undefined, token: undefined, credential: undefined }
  const catalog = { uri: url, namespace: ['events'], ...rest, oauth2ServerUri: undefined, scope: 'catalog' }
  const desk = createTableDesk({ fileSystem, outputDirectory: '/events', catalog, log: silent, pause: async () => {} })
  onTestFinished(() => desk.giveUp())
  return { desk, url, requests }
}

test('a catalog that is away makes events wait, and none of them is set aside; the reason names table and catalog', async () => {
  for (const status of [401, 403, 404, 429, 500, 503]) {
    const { desk, url } = await open({ status })
    for (const asked of [undefined, columns]) {
      const table = desk.tableOf('Order', asked)
      await expect(table).rejects.toMatchObject({ code: tableAway })
      await expect(table).rejects.toThrow(`The table /events/Order cannot be reached: The catalog ${url} did not`)
    }
  }
})

test('a table is made in the catalog, with the columns that events have', async () => {
  const { desk } = await open(undefined)
  expect(await desk.tableOf('Order', undefined)).toEqual({ table: 'none' })
  expect(await desk.tableOf('Order', columns)).toMatchObject({ table: { uuid: 'a-uuid', columns } })
})

test('nothing is waited for any more once it is given up', async () => {
  const { desk, requests } = await open('hangs')
  const waiting = desk.tableOf('Order', columns)
  await expect.poll(() => requests.length).toBe(1)
  desk.giveUp()
  await expect(waiting).rejects.toMatchObject({ code: tableAway })
  await expect(desk.tableOf('Order', undefined)).rejects.toMatchObject({ code: tableAway })
  expect(requests).toHaveLength(1)
})
