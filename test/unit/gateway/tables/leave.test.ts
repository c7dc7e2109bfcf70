import { expect, test } from 'vitest'
import { createTableDirectories } from '../../../../src/gateway/tables/table-directories.ts'
import { readTableFiles } from '../../../../src/gateway/tables/table-files.ts'
import { changeRecords, createTable, type Memory, path } from './world.ts'

test.each<[string, (fileSystem: Memory) => Promise<unknown>]>([
  ['files', async () => {}],
  [
    'deletions, of which all are gone',
    async fileSystem => {
      await changeRecords(fileSystem, 'manifests', record => ({ ...record, status: 2 }))
      await changeRecords(fileSystem, 'list', record => ({ ...record, content: 1 }))
    },
  ],
])('a client that leaves ends the reading of manifests of %s', async (_, prepare) => {
  const memory = await createTable()
  await prepare(memory)
  const client = new AbortController()
  const { signal } = client
  const table = await createTableDirectories(memory).load(path, signal)
  if (!table) throw new Error('there is no table')
  let manifests = 0
  const fileSystem: Memory = {
    ...memory,
    open: (name, options) => {
      if (name.endsWith('.avro') && !name.includes('/snap-') && ++manifests === 1) client.abort(new Error('left'))
      return memory.open(name, options)
    },
  }
  const parts = readTableFiles(fileSystem, table, { where: undefined, order: 'oldest-first', signal })
  await expect(Array.fromAsync(parts)).rejects.toThrow('left')
  expect(manifests).toBe(1)
})
