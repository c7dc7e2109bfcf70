import { expect, test } from 'vitest'
import { createLocalReads } from '../../../src/app/local-reads.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { noRegistrar } from '../../../src/rows/registrar/registrar.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createTestApp } from '../contract/fixture.ts'
import { makeTable, place } from '../tables/a-table.ts'

test('tells the metadata of a table before it is read: that, too, may end a process', async () => {
  const fileSystem = createMemoryFileSystem()
  await makeTable(createDirectoryCatalog(fileSystem))
  const opened: string[] = []
  const { settings } = loadConfig({
    argv: [],
    env: {},
    cwd: '/',
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  })
  const reads = await createLocalReads({
    settings,
    logger: silentLogger,
    fileSystem: createMountTable(fileSystem, []),
    registrar: noRegistrar,
    onUpstream: () => {},
    onOpen: path => opened.push(path),
  })
  const app = createTestApp({ handlers: { icebergGet: call => reads.icebergGet(call, () => ({})) } })
  const answer = await app.request('http://localhost/iceberg/v1/namespaces/events/tables/Click')
  expect(answer.status).toBe(200)
  expect(opened).toEqual([`${place.path}/metadata/v1.metadata.json`])
})
