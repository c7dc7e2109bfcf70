import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileSystem } from '../../../src/filesystem/create.ts'
import type { Ask } from '../../../src/filesystem/webhdfs/transport/ask.ts'
import { expectCode } from '../../suites/filesystem.ts'
import { fakeNameNode } from './hdfs/fake-nodes.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-create-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

test('a directory is the local file system', async () => {
  expect((await createFileSystem({ url: pathToFileURL(root).href })).url).toBe(pathToFileURL(root).href)
  const other = pathToFileURL(join(root, 'a b')).href
  expect((await createFileSystem({ url: other })).url).toBe(other)
})

test('WebHDFS URLs are asked in their order', async () => {
  const asked: string[] = []
  const ask: Ask = url => {
    asked.push(String(url))
    return { answer: Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), stop: () => {} }
  }
  const fs = await createFileSystem(
    { url: 'hdfs://nn:8020', webhdfs: ['http://nn:9870', 'http://nn:50070'], user: 'u' },
    { ask, sleep: async () => {} },
  )
  expect(fs.url).toBe('hdfs://nn:8020')
  await expectCode(fs.probe(), 'unavailable')
  expect(asked).toEqual([
    'http://nn:9870/webhdfs/v1/?op=GETFILESTATUS&user.name=u',
    'http://nn:50070/webhdfs/v1/?op=GETFILESTATUS&user.name=u',
  ])
})

test('name nodes of a pair are found by the hosts of their WebHDFS', async () => {
  const standby = await fakeNameNode(() => ({ exception: 'org.apache.hadoop.ipc.StandbyException' }))
  const { port } = standby.address
  const webhdfs = ['http://[::1]:9870', `http://127.0.0.1:9870`, 'http://127.0.0.1:50070']
  const fs = await createFileSystem(
    { url: `hdfs://name.invalid:${port}`, webhdfs, protocol: 'native' },
    { maxRetries: 0, sleep: async () => {} },
  )
  await expect(fs.probe()).rejects.toThrow(
    /because.*name\.invalid:\d+ failed with (ENOTFOUND|EAI_AGAIN).*\[::1\]:\d+ failed with/,
  )
  expect(standby.calls.map(({ methodName }) => methodName)).toEqual(['getFileInfo'])
  await fs.close()
})

test.for([
  'nn:8020',
  'http://nn',
  'hdfs://',
  'hdfs://u:secret@nn',
  'hdfs://a:1,',
  'hdfs://a,u:p@b',
  '',
  'constructor:x',
])('%j cannot be used as a URL', async url => {
  await expect(createFileSystem({ url })).rejects.toThrow(TypeError)
})
