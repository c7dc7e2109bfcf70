/** Reads of many bytes, which come by a connection of their own. */
import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { FileSystem, OpenOptions } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { toErrorXml } from '../../../suites/s3/answer-s3.ts'
import { type FakeS3, type S3Fault, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

const bytes = randomBytes(3 * 2 ** 20)
const many = 2 * 2 ** 20

const open = async (): Promise<{ readonly fs: FileSystem; readonly store: FakeS3; readonly closings: string[] }> => {
  const store = await startFakeS3()
  const closings: string[] = []
  store.fault = ({ method, headers }) => {
    if (method === 'GET') closings.push(headers.connection ?? '')
    return undefined
  }
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, sleep: async () => {} }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fs.close()
    await store.close()
  })
  store.stored.put('lake/f', bytes)
  return { fs, store, closings }
}

const sumOf = (one: Uint8Array): string => createHash('sha256').update(one).digest('hex')
const read = async (fs: FileSystem, options: OpenOptions = {}): Promise<Buffer> => {
  const file = await fs.openFile?.('/f')
  if (!file) throw new Error('this store opens no files')
  return await toBytes(await file.read(options))
}
const toBytes = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

test.for([
  ['all of them', {}, [0, bytes.length], 'close'],
  ['a part', { offset: 17, length: many }, [17, 17 + many], 'close'],
  ['a part, of which more is asked for than there is', { offset: 5, length: 2 ** 30 }, [5, bytes.length], 'close'],
  ['the end, which is small', { offset: bytes.length - 9 }, [bytes.length - 9, bytes.length], 'keep-alive'],
  ['a few', { offset: 17, length: 4_000 }, [17, 4_017], 'keep-alive'],
] as const)('%s: as they are', async ([, options, [from, to], connection]) => {
  const { fs, closings } = await open()
  const found = await read(fs, options)
  expect(sumOf(found)).toBe(sumOf(bytes.subarray(from, to)))
  expect(closings).toEqual([connection])
})

test('a caller that knows the length without opening', async () => {
  const { fs, closings } = await open()
  expect(sumOf(await toBytes(await fs.open('/f', { expected: bytes.length })))).toBe(sumOf(bytes))
  expect(closings).toEqual(['close'])
})

test('an object that was replaced or deleted meanwhile is refused', async () => {
  const { fs, store } = await open()
  const file = await fs.openFile?.('/f')
  store.stored.put('lake/f', randomBytes(bytes.length))
  await expect(file?.read()).rejects.toThrow('it was written anew meanwhile')
  store.stored.objects.delete('lake/f')
  await expectCode(Promise.resolve(file?.read()), 'not-found')
})

test.for<[string, S3Fault]>([
  ['503 SlowDown', { status: 503, text: toErrorXml('SlowDown', 'not now') }],
  ['cut before the answer', 'before'],
  ['no answer', 'after'],
])('%s: it is asked for again', async ([, fault]) => {
  const { fs, store } = await open()
  let failed = 0
  store.fault = ({ method }) => (method === 'GET' && failed++ === 0 ? fault : undefined)
  expect(sumOf(await read(fs))).toBe(sumOf(bytes))
  expect(failed).toBe(2)
})

test('an answer that breaks off is an error, and no shorter file', async () => {
  const { fs, store } = await open()
  store.fault = ({ method }) => (method === 'GET' ? 'half' : undefined)
  await expectCode(read(fs), 'unavailable')
})

test('a reader that is stopped in the middle gets no more', async () => {
  const { fs } = await open()
  const stop = new AbortController()
  const stream = await fs.open('/f', { expected: bytes.length, signal: stop.signal })
  let received = 0
  const reading = async (): Promise<void> => {
    for await (const piece of stream) {
      received += piece.length
      stop.abort()
    }
  }
  await expect(reading()).rejects.toThrow('aborted')
  expect(received).toBeLessThan(bytes.length)
})
