/** A store that takes `If-None-Match` and does not look at it: nothing that must not replace is written there, by any way. */
import { afterEach, describe, expect, test } from 'vitest'
import { directoriesOf, hadoopOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { withLogs } from '../../../../src/spool/replica/log-directory.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { writeFileWhole } from '../../../../src/tables/files.ts'
import { createTestServer } from '../../../suites/admin.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { type FakeS3, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'
import { makeTable } from '../../tables/a-table.ts'

let fake: FakeS3
let fs: FileSystem
let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  await fs.close()
  await fake.close()
})

const start = async (ignoresCondition: boolean): Promise<void> => {
  fake = await startFakeS3({ ignoresCondition })
  const how = { endpoint: fake.endpoint, region: 'r', env: testEnv, maxRetries: 0, partBytes: 1_000 }
  fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  fake.stored.put('lake/e/old', 'xyz')
}

/** Through the gateway; a refusal is an error. */
const call = async (target: string, init: RequestInit): Promise<void> => {
  gateway ??= await createTestGateway({ fileSystem: fs, settings: ['gateway.trash=60', 'gateway.readers=0'] })
  const answer = await gateway.call(target, init)
  if (answer.status >= 400) throw new Error(await answer.text())
}
const fromPage = { origin: 'http://localhost', accept: 'text/html' }

async function* bytes(length = 3): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(length, 'x')
}
const id = 'a'.repeat(32)
const attempt = { temporary: '/e/_tmp/t', length: 3, note: async () => {} }

const writes: Readonly<Record<string, () => Promise<unknown>>> = {
  'a file': () => fs.publish('/e/f', bytes()),
  'a file in parts': () => fs.publish('/e/f', bytes(2_500)),
  'a file with a permission': () => hadoopOf(fs).create('/e/f', bytes(), { permission: 0o644 }),
  'a noted attempt': () => fs.publish('/e/f', bytes(), { attempt }),
  'the metadata of a table': () =>
    writeFileWhole(fs, '/e/metadata/v1.metadata.json', Buffer.from('{}'), { overwrite: false }),
  'a commit of a table without a catalog': () => makeTable(createDirectoryCatalog(fs)),
  'a file under a new name': () => directoriesOf(fs).rename('/e/old', '/e/new'),
  'an upload': () => call(at('', '/e/f'), { method: 'POST', body: 'x' }),
  CREATE: () => call('/webhdfs/v1/e/f?op=CREATE&overwrite=false&data=true', { method: 'PUT', body: 'x' }),
  RENAME: () => call('/webhdfs/v1/e/old?op=RENAME&destination=/e/new', { method: 'PUT' }),
  'a rename of the pages': () => {
    const body = new URLSearchParams({ directory: '/e', name: 'new' })
    return call(at('/hdfs', '/e/old', '&action=rename'), { method: 'POST', headers: fromPage, body })
  },
  'a log': () => directoriesOf(withLogs(createMountTable(fs, []), () => 0)).mkdirs(`/e/_log/${id}`),
}

describe.each(Object.entries(writes))('%s', (_, write) => {
  test('is not written there, and nothing is left', async () => {
    await start(true)
    await expect(write()).rejects.toThrow(/does not honour If-None-Match, .*use a store that does/)
    expect([fake.stored.keys(), fake.stored.uploads.size]).toEqual([['lake/e/old'], 0])
  })

  test('is written where the store looks at it', async () => {
    await start(false)
    await write()
    expect(fake.stored.keys()).not.toEqual(['lake/e/old'])
  })
})

test('a file for the trash stays where it is, and can be deleted for good', async () => {
  await start(true)
  const remove = (more = ''): Promise<void> =>
    call(at('/hdfs', '/e/old', `&action=delete${more}`), {
      method: 'POST',
      headers: fromPage,
      body: new URLSearchParams(),
    })
  await expect(remove()).rejects.toThrow(/does not rename it: delete it for good/)
  expect(fake.stored.objects.get('lake/e/old')?.bytes.toString()).toBe('xyz')
  await remove('&skipTrash=true')
  expect(fake.stored.objects.has('lake/e/old')).toBe(false)
})

test('what may replace is written there', async () => {
  await start(true)
  await fs.publish('/e/f', bytes(), { overwrite: true })
  await directoriesOf(fs).rename('/e/f', '/e/old', { overwrite: true })
  expect(fake.stored.keys()).toEqual(['lake/e/old'])
  // Nor was anything tried for it.
  expect(fake.requests.filter(request => request.includes('.sluice-'))).toEqual([])
})

test.each(['fsync', 'replicated'])('a collector that acknowledges by %s does not start there', async ack => {
  await start(true)
  const set = [`collector.ack=${ack}`, 'namenode.url=hdfs://h:1']
  await expect(createTestServer({ fileSystem: fs, set })).rejects.toMatchObject({ code: 'unsupported' })
  expect([fake.stored.keys(), fake.stored.uploads.size]).toEqual([['lake/e/old'], 0])
})
