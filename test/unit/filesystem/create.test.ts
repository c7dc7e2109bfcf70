import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileSystem } from '../../../src/filesystem/create.ts'
import type { Ask } from '../../../src/filesystem/webhdfs/transport/ask.ts'
import { expectCode } from '../../suites/filesystem.ts'

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

test.for(['nn:8020', 'http://nn', 'hdfs://', 'hdfs://u:secret@nn', 'hdfs://nn', '', 'constructor:x'])(
  '%j cannot be used as a URL',
  async url => {
    await expect(createFileSystem({ url })).rejects.toThrow(TypeError)
  },
)
