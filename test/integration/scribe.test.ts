import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import { createApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { readRecords } from '../../src/formats/thrift/envelope-stream.ts'
import { decodeFields, encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { silentLogger } from '../../src/log/log.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { readFiles } from '../suites/spool.ts'
import { createTearingDisk } from '../suites/tearing-disk.ts'

const require = createRequire(import.meta.url)
const fixtures = new URL('../fixtures/scribe/', import.meta.url)

/** As far as this test calls it: the package has no types of its own. */
type OfficialClient = {
  Log(entries: readonly unknown[]): Promise<number>
  getName(): Promise<string>
  getVersion(): Promise<string>
  getStatus(): Promise<number>
  getStatusDetails(): Promise<string>
  getCounters(): Promise<Record<string, unknown>>
  getCounter(key: string): Promise<unknown>
  setOption(key: string, value: string): Promise<void>
  getOption(key: string): Promise<string>
  getOptions(): Promise<Record<string, string>>
  getCpuProfile(seconds: number): Promise<string>
  aliveSince(): Promise<{ toNumber(): number }>
  reinitialize(): void
}

type Connection = { on(event: string, listener: (error: Error) => void): void; end(): void }

const thrift: {
  readonly TFramedTransport: unknown
  readonly TBufferedTransport: unknown
  readonly TBinaryProtocol: new (transport: unknown, strictRead?: boolean, strictWrite?: boolean) => unknown
  createConnection(host: string, port: number, options: object): Connection
  createClient(service: unknown, connection: Connection): OfficialClient
} = require('thrift')
const service: unknown = require('../fixtures/scribe/gen-nodejs/scribe.js')
const {
  LogEntry,
}: {
  readonly LogEntry: new (init: { category: string; message: Buffer }) => unknown
} = require('../fixtures/scribe/gen-nodejs/scribe_types.js')

/** A header without a version, as old clients write it; that package leaves it out only on request. */
const createProtocol = (isStrict: boolean) =>
  class {
    constructor(transport: unknown) {
      // biome-ignore lint/correctness/noConstructorReturn: the package wants a class and gives it no options
      return new thrift.TBinaryProtocol(transport, false, isStrict) as object
    }
  }

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const startServer = async (set: readonly string[] = [], disk = createTearingDisk()) => {
  const { settings } = loadConfig({
    argv: [
      'server.port=0',
      'admin.port=0',
      'collector.scribe.port=0',
      'server.threads=1',
      'collector.diskspool.min-free-bytes=0',
      ...set,
    ].flatMap(one => ['--set', one]),
    env: {},
    cwd: '/nowhere',
    readFile: () => {
      throw Object.assign(new Error('no file'), { code: 'ENOENT' })
    },
  })
  const fileSystem = createMemoryFileSystem()
  const app = await createApp({ settings, logger: silentLogger, fileSystem, disk })
  const listeners = await app.start()
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= app.close()
    return closing
  }
  cleanUps.push(close)
  return { app, fileSystem, listeners, close, scribe: listeners.find(({ name }) => name === 'scribe') }
}

const connectOfficial = (port: number, transport: 'framed' | 'buffered', isStrict: boolean): OfficialClient => {
  const connection = thrift.createConnection('127.0.0.1', port, {
    transport: transport === 'framed' ? thrift.TFramedTransport : thrift.TBufferedTransport,
    protocol: createProtocol(isStrict),
  })
  connection.on('error', () => {})
  cleanUps.push(() => connection.end())
  return thrift.createClient(service, connection)
}

const D = 1_230_865_445_006
const world = encodeFields([{ id: 1, type: thriftType.string, value: Buffer.from('World') }])
const entry = (category: string, data: string): unknown =>
  new LogEntry({ category, message: Buffer.from(`${D}:${data}`) })

describe('the client of Apache Thrift', () => {
  test.each([
    ['framed', true],
    ['framed', false],
    ['buffered', true],
    ['buffered', false],
  ] as const)('%s, strict: %s: its events are files', async (transport, isStrict) => {
    const { scribe, fileSystem, close } = await startServer()
    const client = connectOfficial(scribe?.port ?? 0, transport, isStrict)
    const entries = [entry('Hello', Buffer.from(world).toString('base64')), entry('web', 'GET http://x/ 200\n')]
    expect(await client.Log(entries)).toBe(0)
    const many = Array.from({ length: 5_000 }, (_, i) => entry('Many', `text ${i}`))
    expect(
      await Promise.all(Array.from({ length: 20 }, (_, i) => client.Log(many.slice(i * 250, (i + 1) * 250)))),
    ).toEqual(Array.from({ length: 20 }, () => 0))
    await close()
    const files = await readFiles(fileSystem, '/events')
    const texts = [...files].map(([path, bytes]) => ({
      path: path.replace(/\/[^/]+$/, ''),
      texts: [...readRecords(bytes)].flatMap(({ payload }) =>
        decodeFields(payload).map(({ value }) => Buffer.from(value as Uint8Array).toString()),
      ),
    }))
    const of = (name: string) => texts.filter(({ path }) => path === `/events/${name}/2009/01/02/03`)
    expect(of('Hello')).toMatchObject([{ texts: ['World'] }])
    expect(of('web')).toMatchObject([{ texts: ['GET http://x/ 200\n'] }])
    expect(of('Many').flatMap(one => one.texts)).toEqual(Array.from({ length: 5_000 }, (_, i) => `text ${i}`))
  })

  test.each([
    ['framed', true],
    ['buffered', false],
  ] as const)('%s, strict: %s: every call of fb303', async (transport, isStrict) => {
    const { scribe } = await startServer()
    const client = connectOfficial(scribe?.port ?? 0, transport, isStrict)
    expect(await client.getName()).toBe('Ning Scribed Service')
    expect(await client.getVersion()).toBe('0.1')
    expect(await client.getStatus()).toBe(2)
    expect(await client.getStatusDetails()).toContain('Returns Alive')
    expect(await client.getCounters()).toEqual({})
    await expect(client.getCounter('nope')).rejects.toThrow('There is no counter "nope"')
    await client.setOption('a', 'b')
    expect(await client.getOption('a')).toBe('b')
    expect(await client.getOptions()).toEqual({ a: 'b' })
    await expect(client.getCpuProfile(1)).rejects.toThrow('unknown result')
    const aliveSince = (await client.aliveSince()).toNumber()
    expect(Math.abs(Date.now() / 1_000 - aliveSince)).toBeLessThan(3_600)
    expect(await client.getOption('unknown')).toBe('')
    client.reinitialize()
    expect(await client.getOptions()).toEqual({})
  })

  test('gets an error for a call with too many entries', async () => {
    const { scribe } = await startServer(['collector.max-events-per-request=2'])
    const client = connectOfficial(scribe?.port ?? 0, 'framed', true)
    const call = client.Log([entry('a', 'x'), entry('a', 'y'), entry('a', 'z')])
    await expect(call).rejects.toThrow('The request has more than 2 events')
    expect(await client.Log([entry('a', 'x')])).toBe(0)
  })
})

describe('an answer', () => {
  test.each([
    ['on a disk that keeps what was synced', false, true],
    ['on one that lies, which shows that this is looked at', true, false],
  ])('of OK means that a power cut takes nothing of it: %s', async (_, lies, isSafe) => {
    const disk = createTearingDisk({ lies })
    const { scribe } = await startServer([], disk)
    const client = connectOfficial(scribe?.port ?? 0, 'framed', true)
    const texts = Array.from({ length: 20 }, (_, i) => `precious ${i};`)
    await Promise.all(
      texts.map(async text => {
        expect(await client.Log([entry('a', text)])).toBe(0)
        const safe = Buffer.concat([...disk.safeFiles().values()]).toString('latin1')
        expect(safe.includes(text)).toBe(isSafe)
      }),
    )
  })

  test('is TRY_LATER where the disk fails, and nothing of the call is kept', async () => {
    let isFailing = false
    const fail = (operation: string): Error | undefined =>
      isFailing && operation === 'fdatasync' ? new Error('EIO') : undefined
    const { scribe, fileSystem, close } = await startServer([], createTearingDisk({ fail }))
    const client = connectOfficial(scribe?.port ?? 0, 'framed', true)
    isFailing = true
    expect(await client.Log([entry('a', 'lost'), entry('b', 'lost')])).toBe(1)
    isFailing = false
    await close()
    expect([...(await readFiles(fileSystem, '/events')).keys()]).toEqual([])
  })
})

test('what is counted is in the beans, and the listener among the others', async () => {
  const { scribe, listeners } = await startServer()
  expect(scribe?.url).toBe(`tcp://127.0.0.1:${scribe?.port}`)
  const client = connectOfficial(scribe?.port ?? 0, 'framed', true)
  await client.Log([entry('a', 'x'), entry('a', 'y'), new LogEntry({ category: 'a', message: Buffer.from('bad') })])
  const rpc = createRpcClient({ url: listeners.find(({ name }) => name === 'admin')?.url ?? '' })
  const read = async (mbean: string): Promise<unknown> => (await rpc.read(mbean, 'Count')).value
  expect(await read('sluice.metrics.collector.endpoint.resources:type=ScribeEventRequestHandler,name=SCRIBE_API')).toBe(
    1,
  )
  const all = 'sluice.metrics.collector.hadoop.processing:type=BufferingEventCollector,name=collectEvent'
  expect(await read(all)).toBe(3)
})

test.each([
  ['collector.scribe.enabled=false', ['server', 'admin']],
  ['services=gateway', ['server', 'admin']],
])('%s: there is no such listener', async (setting, names) => {
  const { listeners } = await startServer([setting])
  expect(listeners.map(({ name }) => name)).toEqual(names)
})

test('a port that the network reaches is refused where events need a token, which Scribe cannot send', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-scribe-'))
  cleanUps.push(() => rmSync(directory, { recursive: true }))
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, '')
  const set = [`auth.tokens=${tokens}`, 'collector.auth=token', 'collector.scribe.host=0.0.0.0']
  await expect(startServer(set)).rejects.toThrow('collector.scribe.host 0.0.0.0 would take events from the network')
})

const compiler = ((): string | undefined => {
  try {
    return execFileSync('thrift', ['-version'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
})()

const generated = (file: string): string => readFileSync(new URL(`gen-nodejs/${file}`, fixtures), 'utf8')
const version = /Thrift Compiler \((.+)\)/.exec(generated('scribe.js'))?.[1]

describe.skipIf(compiler !== `Thrift version ${version}`)(`the compiler ${version} of Apache Thrift`, () => {
  test('makes the client that the tests use', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-thrift-'))
    cleanUps.push(() => rmSync(directory, { recursive: true }))
    execFileSync('thrift', ['--gen', 'js:node,es6', '-o', directory, new URL('scribe.thrift', fixtures).pathname])
    for (const file of ['scribe.js', 'scribe_types.js', 'FacebookService.js']) {
      expect(readFileSync(join(directory, 'gen-nodejs', file), 'utf8')).toBe(generated(file))
    }
  })
})
