import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { createFileSystem } from '../../src/filesystem/create.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { readSmileElements } from '../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { readRecords } from '../../src/formats/thrift/envelope-stream.ts'
import { decodeFields } from '../../src/formats/thrift/field-list.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { readFiles } from '../suites/spool.ts'
import { cleanUp, start } from './process/child.ts'

afterAll(cleanUp)

const date = '2009-01-02T03:04:05.006Z'
const smile = (): Uint8Array<ArrayBuffer> => {
  const writer = createSmileWriter()
  writer.startArray()
  writer.write({ eventName: 'BySmile', payload: { eventDate: Date.parse(date), big: 9_007_199_254_740_993n } })
  writer.endArray()
  return Uint8Array.from(writer.take())
}
const struct = Buffer.from('0b000100000005576f726c6400', 'hex')

/** One event by each API, all of one hour in 2009: path and query, and what is posted. */
const requests: readonly (readonly [target: string, type?: string, body?: string | Uint8Array<ArrayBuffer>])[] = [
  [`/1?v=ByGet,sWorld&date=${date}`],
  [`/2?v=ByGet64,10,21,4z&date=${date}`],
  [`/rest/1.0/event?date=${date}`, 'application/json', '{"eventName":"ByJson","payload":{"n":12345678901234567890}}'],
  ['/rest/1.0/event', 'application/json+smile', smile()],
  [`/rest/1.0/event?name=ByThrift&date=${date}`, 'application/thrift', struct],
  [`/rest/1.0/event?name=ByLegacy&date=${date}`, 'ning/thrift', struct],
]

/**
 * Starts the server as a user would, sends one event by each API, and stops it: the resulting contents of the file
 * system.
 */
const runMainJob = async (env: Readonly<Record<string, string>>, fileSystem: FileSystem, directory: string) => {
  const server = start(process.execPath, [join(process.cwd(), 'src/main.ts')], { env })
  const { server: url } = await server.logged('sluice is ready')
  for (const [target, type, body] of requests) {
    const init = type === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body: body ?? '' }
    const answer = await fetch(`${String(url)}${target}`, init)
    const report = body === undefined ? '' : '{"accepted":1,"rejected":0,"errors":[]}'
    expect([target, answer.status, await answer.text()]).toEqual([target, 202, report])
  }
  // Within the flush interval, not only at the end.
  await server.logged('files committed')
  server.process.kill('SIGTERM')
  expect(await server.ended()).toBe(0)
  const files = await readFiles(fileSystem, directory)
  return [...files].map(([path, bytes]) => {
    const [name = '', ...bucket] = path.slice(directory.length + 1).split('/')
    const file = bucket.pop() ?? ''
    const events = file.endsWith('.smile') ? [...readSmileElements(bytes)] : toFieldValues(bytes)
    return { name, bucket: bucket.join('/'), extension: file.slice(file.lastIndexOf('.')), events }
  })
}

const toFieldValues = (bytes: Uint8Array): unknown[] =>
  [...readRecords(bytes)].map(({ payload }) =>
    decodeFields(payload).map(({ value }) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value)),
  )

const eventDate = Date.parse(date)
const eventGranularity = 'HOURLY'
const bucket = '2009/01/02/03'
const wanted = [
  { name: 'ByGet', bucket, extension: '.thrift', events: [['World']] },
  { name: 'ByGet64', bucket, extension: '.thrift', events: [[1, 2, 63]] },
  {
    name: 'ByJson',
    bucket,
    extension: '.smile',
    events: [{ eventName: 'ByJson', payload: { n: 12_345_678_901_234_567_890n, eventDate, eventGranularity } }],
  },
  { name: 'ByLegacy', bucket, extension: '.thrift', events: [['World']] },
  {
    name: 'BySmile',
    bucket,
    extension: '.smile',
    events: [{ eventName: 'BySmile', payload: { eventDate, big: 9_007_199_254_740_993n, eventGranularity } }],
  },
  { name: 'ByThrift', bucket, extension: '.thrift', events: [['World']] },
]

describe('an event by each API is an event in the file system', () => {
  test('embedded, beside another server with its own directory and ports', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sluice-main-job-'))
    const env = {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_COLLECTOR_SCRIBE_PORT: '0',
      SLUICE_COLLECTOR_DISKSPOOL_PATH: join(dataDir, 'spool'),
      SLUICE_COLLECTOR_DISKSPOOL_FLUSH_INTERVAL_SECONDS: '1',
    }
    const fileSystem = await createFileSystem({ url: pathToFileURL(join(dataDir, 'fs')).href })
    expect(await runMainJob(env, fileSystem, '/events')).toEqual(wanted)
    await rm(dataDir, { recursive: true })
  })
})

describeHdfs('an event by each API is an event in HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  test('a real one', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sluice-main-job-'))
    const directory = `/main-job-${Date.now()}`
    const env = {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_NAMENODE_URL: namenodeUrl,
      SLUICE_NAMENODE_WEBHDFS_URL: webhdfsUrl,
      SLUICE_COLLECTOR_EVENT_OUTPUT_DIRECTORY: directory,
      SLUICE_COLLECTOR_DISKSPOOL_FLUSH_INTERVAL_SECONDS: '1',
    }
    const fileSystem = await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl] })
    expect(await runMainJob(env, fileSystem, directory)).toEqual(wanted)
    await fileSystem.delete(directory, { recursive: true })
    await fileSystem.close()
    await rm(dataDir, { recursive: true })
  })
})
