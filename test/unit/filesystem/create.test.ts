import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
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

test('a bucket is an object store, asked at its endpoint', async () => {
  const asked: string[] = []
  const ask: Ask = url => {
    asked.push(url.href.replace(/\?.*/, ''))
    return { answer: Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), stop: () => {} }
  }
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const s3 = { endpoint: 'http://store:9000', region: 'r', pathStyle: undefined, profile: undefined }
  const fs = await createFileSystem({ url: 's3://bucket/lake', s3 }, { ask })
  expect(fs.url).toBe('s3://bucket/lake')
  await expectCode(fs.probe(), 'unavailable')
  expect(asked).toEqual(['http://store:9000/bucket/'])
  await fs.close()
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

const nobody: Ask = () => ({
  answer: Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  stop: () => {},
})
const once = { maxRetries: 0, sleep: async () => {}, ask: nobody }

test('a host of WebHDFS need not be a name node: that of another cluster may be there', async () => {
  const other = await fakeNameNode(() => ({ exception: 'org.apache.hadoop.ipc.StandbyException' }))
  const { port } = other.address
  const webhdfs = ['http://127.0.0.1:14000']
  const fs = await createFileSystem({ url: `hdfs://name.invalid:${port}`, webhdfs, protocol: 'native' }, once)
  await expect(fs.probe()).rejects.toThrow(/name\.invalid:\d+ failed with (ENOTFOUND|EAI_AGAIN)/)
  expect(other.calls).toEqual([])
  await fs.close()
})

test('where an address of WebHDFS is https, auto takes WebHDFS and says why; the own protocol has to be named', async () => {
  const nameNode = await fakeNameNode(() => ({ exception: 'org.apache.hadoop.ipc.StandbyException' }))
  const url = `hdfs://127.0.0.1:${nameNode.address.port}`
  const webhdfs = ['http://127.0.0.1:1', 'https://127.0.0.1:1']
  const lines: string[] = []
  const say = (_: unknown, line: string): void => void lines.push(line)
  for (const [protocol, calls, way] of [
    ['auto', 0, 'WebHDFS: its address is https, and its own protocol has no TLS'],
    ['native', 1, undefined],
  ] as const) {
    const fs = await createFileSystem({ url, webhdfs, protocol }, { ...once, log: { info: say, warn: say } })
    await expectCode(fs.probe(), 'unavailable')
    expect(nameNode.calls).toHaveLength(calls)
    expect(fs.spokenBy?.().replace(/ \(.*/, '')).toBe(way)
    await fs.close()
  }
  expect(lines).toEqual([expect.stringContaining(`${url} is spoken to by WebHDFS: its address is https`)])
})

test('where the configuration demands protection nothing goes by WebHDFS without TLS', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-demands-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const property = '<property><name>dfs.encrypt.data.transfer</name><value>true</value></property>'
  await writeFile(join(directory, 'hdfs-site.xml'), `<configuration>${property}</configuration>`)
  const nameNode = await fakeNameNode(() => ({ exception: 'java.io.IOException', message: 'it was asked' }))
  const asked: string[] = []
  const ask: Ask = (...args) => {
    asked.push(String(args[0]))
    return nobody(...args)
  }
  const lines: string[] = []
  const say = (_: unknown, line: string): void => void lines.push(line)
  const settings = {
    url: `hdfs://127.0.0.1:${nameNode.address.port}`,
    hadoopConf: directory,
    protocol: 'auto',
  } as const
  const fs = await createFileSystem(
    { ...settings, webhdfs: ['http://127.0.0.1:1'] },
    { ...once, ask, log: { info: say, warn: say } },
  )
  const why = 'dfs.encrypt.data.transfer is true in namenode.hadoop-conf'
  await expect(fs.getFileStatus('/f')).rejects.toThrow('it was asked')
  await expect(fs.hadoop?.getFileChecksum?.('/f')).rejects.toThrow(`${why}, and its address is not https`)
  expect(fs.spokenBy?.()).toBe(`its own protocol alone: ${why}, and an address of WebHDFS is not https`)
  expect([lines.length, asked]).toEqual([1, []])
  await fs.close()
  const overTls = await createFileSystem({ ...settings, webhdfs: ['https://127.0.0.1:1'] }, { ...once, ask })
  await expectCode(overTls.probe(), 'unavailable')
  expect(asked).toHaveLength(1)
  await overTls.close()
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
