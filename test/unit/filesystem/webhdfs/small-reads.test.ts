import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createDataNodeMemory } from '../../../../src/filesystem/webhdfs/read/data-node-memory.ts'
import { createWebHdfsFileSystem } from '../../../../src/filesystem/webhdfs.ts'
import { expectCode, readText } from '../../../suites/filesystem.ts'
import { type FakeHdfs, type FakeRequest, sendRemote, startFakeHdfs } from '../fake-hdfs.ts'

let fake: FakeHdfs
let fileSystem: FileSystem
/** Which node was asked for which path: `name /a/f`, `data /a/f`. */
let asked: string[]
/** What the data node does instead of giving bytes. */
let dataFault: (call: FakeRequest) => boolean

beforeEach(async () => {
  fake = await startFakeHdfs()
  fileSystem = createWebHdfsFileSystem({ urls: [fake.url], maxRetries: 0 })
  asked = []
  dataFault = () => false
  for (const name of ['/a/f', '/a/g', '/b/f']) fake.files.set(name, Buffer.from(`the bytes of ${name}`))
  fake.fault = call => {
    const { query, request, response } = call
    if (query.get('op') !== 'OPEN') return false
    const path = decodeURIComponent(new URL(request.url ?? '', fake.url).pathname.slice('/webhdfs/v1'.length))
    const isData = query.has('namenoderpcaddress')
    asked.push(`${isData ? 'data' : 'name'} ${path}`)
    const bytes = fake.files.get(path)
    if (isData && dataFault(call)) return true
    if (bytes === undefined) return sendRemote(response, 404, 'FileNotFoundException')
    if (isData) {
      const offset = Number(query.get('offset'))
      const part = bytes.subarray(offset, offset + Number(query.get('length') ?? bytes.length))
      response.writeHead(200, { 'content-length': part.length, connection: 'close' }).end(part)
    } else {
      const offset = query.get('offset') ?? 0
      const location = `${fake.url}${request.url?.replace('user.name', 'u')}&namenoderpcaddress=nn:8020&offset=${offset}`
      response.writeHead(307, { location }).end()
    }
    return true
  }
})
afterEach(() => fake.close())

const read = async (path: string, options = {}): Promise<string> =>
  readText(fileSystem, path, { expected: fake.files.get(path)?.length ?? 1, ...options })

test('few bytes of a directory whose data node is known are asked of it at once', async () => {
  expect(await read('/a/f')).toBe('the bytes of /a/f')
  expect(await read('/a/g')).toBe('the bytes of /a/g')
  expect(await read('/a/g', { offset: 4, length: 5, expected: 5 })).toBe('bytes')
  expect(asked).toEqual(['name /a/f', 'data /a/f', 'data /a/g', 'data /a/g'])
})

test('many bytes, and unknown numbers of bytes, are where the name node says', async () => {
  await read('/a/f')
  await read('/a/f', { expected: undefined })
  await expectCode(read('/a/missing', { expected: 2 ** 21 }), 'not-found')
  expect(asked).toEqual(['name /a/f', 'data /a/f', 'name /a/f', 'data /a/f', 'name /a/missing'])
})

test('another directory may be on another cluster: its name node is asked', async () => {
  await read('/a/f')
  await read('/b/f')
  expect(asked).toEqual(['name /a/f', 'data /a/f', 'name /b/f', 'data /b/f'])
})

test.each([
  ['says that there is no such file', (call: FakeRequest) => sendRemote(call.response, 404, 'FileNotFoundException')],
  ['is of a standby', (call: FakeRequest) => sendRemote(call.response, 403, 'StandbyException')],
  [
    'is gone',
    (call: FakeRequest) => {
      call.request.socket.destroy()
      return true
    },
  ],
  [
    'has less than there should be',
    (call: FakeRequest) => {
      call.response.writeHead(200, { 'content-length': 3 }).end('the')
      return true
    },
  ],
])('a known one that %s is not asked again: the name node says what is right', async (_, fault) => {
  await read('/a/f')
  let left = 1
  dataFault = call => left-- > 0 && fault(call)
  expect(await read('/a/g')).toBe('the bytes of /a/g')
  expect(asked.slice(2)).toEqual(['data /a/g', 'name /a/g', 'data /a/g'])
})

test('a missing file is reported by the name node', async () => {
  await read('/a/f')
  await expectCode(read('/a/missing'), 'not-found')
  // A data node that said so is not believed the next time either.
  await read('/a/g')
  expect(asked.slice(2)).toEqual(['data /a/missing', 'name /a/missing', 'name /a/g', 'data /a/g'])
})

test('an abort is not the data node’s fault', async () => {
  await read('/a/f')
  const stop = new AbortController()
  dataFault = () => {
    stop.abort()
    return true
  }
  await expectCode(read('/a/g', { signal: stop.signal }), 'unavailable')
  dataFault = () => false
  await read('/a/f')
  expect(asked.slice(2)).toEqual(['data /a/g', 'data /a/f'])
})

const location = new URL(
  'http://dn:9864/webhdfs/v1/a/f%20g?op=OPEN&user.name=u&namenoderpcaddress=nn&offset=7&length=3',
)

test('an address is that of another file of the directory, with its own part', () => {
  const memory = createDataNodeMemory()
  memory.add('/a/f g', location)
  expect(String(memory.find('/a/h?', 5, 6))).toBe(
    'http://dn:9864/webhdfs/v1/a/h%3F?op=OPEN&user.name=u&namenoderpcaddress=nn&offset=5&length=6',
  )
  expect(memory.find('/a/h', 0, undefined)?.search).toBe('?op=OPEN&user.name=u&namenoderpcaddress=nn&offset=0')
  memory.forget('/a/any')
  expect(memory.find('/a/h', 0, 1)).toBeUndefined()
})

test('the name node chooses again after some reads, and after some seconds', () => {
  let now = 0
  const memory = createDataNodeMemory(() => now)
  memory.add('/a/f g', location)
  const found = Array.from({ length: 256 }, () => memory.find('/a/x', 0, 1) !== undefined)
  expect(found.flatMap((isFound, index) => (isFound ? [] : [index]))).toEqual([127, 255])
  memory.add('/a/f g', location)
  now = 10_001
  expect(memory.find('/a/x', 0, 1)).toBeUndefined()
})

test.each([
  'http://knox/gateway/default/webhdfs/data/v1/webhdfs/v1/a/f?_=AAAA&namenoderpcaddress=nn',
  'http://dn/webhdfs/v1/a/other?op=OPEN&namenoderpcaddress=nn',
  'http://dn/webhdfs/v1/a/f?op=OPEN',
])('%s is of one file only', url => {
  const memory = createDataNodeMemory()
  memory.add('/a/f', new URL(url))
  expect(memory.find('/a/f', 0, 1)).toBeUndefined()
})

test('no more than some directories are known', () => {
  const memory = createDataNodeMemory()
  const add = (name: string): void =>
    memory.add(`/${name}/f`, new URL(`http://dn/webhdfs/v1/${name}/f?op=OPEN&namenoderpcaddress=nn`))
  for (let directory = 0; directory < 300; directory++) add(`d${directory}`)
  const known = Array.from({ length: 300 }, (_, directory) => memory.find(`/d${directory}/f`, 0, 1))
  expect(known.filter(url => url !== undefined)).toHaveLength(256)
  expect(known[299]).toBeDefined()
})
