import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../../src/app/app.ts'
import type { Listener } from '../../../src/app/app-type.ts'
import { createRejections } from '../../../src/collector/parsed.ts'
import { toEventIdKey, toEventIds, toSender } from '../../../src/collector/submit/event-ids.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { createLiveSettings } from '../../../src/config/live-settings.ts'
import { knownKeys, retiredKeys, type SettingKey, settingOf } from '../../../src/config/table.ts'
import { thriftType } from '../../../src/formats/thrift/types.ts'
import { ThriftWriter } from '../../../src/formats/thrift/writer.ts'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import type { LogLevel } from '../../../src/log/log.ts'
import { eventIdTextAt } from '../../../src/spool/event-ids.ts'
import { toSpoolSettings } from '../../../src/spool/to-spool-settings.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { beatTwice, readFiles } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'
import { readAnswer, toFrame, toLog } from '../collector/scribe/calls.ts'

type Line = { readonly level: string; readonly msg: string; readonly fields: Readonly<Record<string, unknown>> }

/** A server whose settings can be replaced, seen from outside. */
const open = async (first: readonly string[] = []) => {
  let given = first
  let env: Readonly<Record<string, string>> = {}
  const read = () => {
    const all = [
      'server.port=0',
      'admin.port=0',
      'collector.scribe.port=0',
      'server.threads=1',
      'gateway.readers=0',
      ...given,
    ]
    return loadConfig({ argv: all.flatMap(one => ['--set', one]), env, cwd: '/nowhere', readFile: () => '' })
  }
  const lines: Line[] = []
  const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
  let level: LogLevel = 'info'
  const write =
    (of: LogLevel) =>
    (fields: Readonly<Record<string, unknown>>, msg: string): void => {
      if (levels.indexOf(of) >= levels.indexOf(level)) lines.push({ level: of, msg, fields })
    }
  const fileSystem = createMemoryFileSystem()
  const clock = { ms: Date.UTC(2026, 10, 22, 8, 0, 0, 1) }
  let beat = async (): Promise<void> => {}
  const disk = createTearingDisk()
  const passes: string[] = []
  const app = await createApp({
    settings: read().settings,
    readSettings: read,
    logger: {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      setLevel: next => {
        level = next
      },
    },
    fileSystem,
    disk,
    startPass: ({ afterMs, targetBytes, retention }) => {
      const days = Array.from(retention, ([name, stays]) => ` ${name}:${stays}`).join('')
      passes.push(`${new Date(clock.ms - afterMs).getUTCHours()} ${targetBytes}${days}`)
      return { ended: new Promise(() => {}), kill: () => {} }
    },
    now: () => clock.ms,
    heartbeat: body => {
      beat = body
      return () => {}
    },
  })
  onTestFinished(() => app.close())
  const listeners: readonly Listener[] = await app.start()
  const call = (path: string, init: RequestInit = {}) => app.fetch(new Request(`http://localhost${path}`, init))
  const post = async (body: string | Uint8Array<ArrayBuffer> = clicks(1), headers: Record<string, string> = {}) =>
    (await call('/rest/1.0/event', { method: 'POST', body, headers: { ...json, ...headers } })).status
  const admin = async (body: object): Promise<{ readonly result?: unknown; readonly error?: unknown }> => {
    const init = { method: 'POST', headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) }
    return Object(await (await app.adminFetch(new Request('http://localhost/rpc', init))).json())
  }
  return {
    app,
    call,
    post,
    admin,
    lines,
    level: () => level,
    /** For what the files of tables are merged: the hour that is not closed, the size of a file, and what stays how long. */
    passes: () => passes,
    url: (name: Listener['name']) => listeners.find(one => one.name === name)?.url ?? '',
    reload: (...settings: readonly string[]) => {
      given = [...first, ...settings]
      return app.reload()
    },
    setVariable: (name: string, value: string) => {
      env = { ...env, [name]: value }
    },
    /** This many ms later; all that is due is done. */
    later: async (ms: number) => {
      clock.ms += ms
      await beatTwice(beat)
    },
    files: async () => [...(await readFiles(fileSystem)).keys()].filter(path => path.startsWith('/events/Click')),
    texts: async () => [...(await readFiles(fileSystem)).values()].map(bytes => Buffer.from(bytes).toString()),
    local: async () => (await disk.list('sealed').catch(() => [])).map(({ name }) => name),
    dropped: async () => {
      const metrics = await (await app.adminFetch(new Request('http://localhost/metrics'))).text()
      return [...metrics.matchAll(/collector_events_filtered_total\S* (\d+)/g)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      )
    },
    /** The status for a request under other names than a `Request` can have. */
    status: (name: Listener['name'], path: string, headers: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const { port } = listeners.find(one => one.name === name) ?? { port: 0 }
        const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, response => {
          response.resume()
          resolve(String(response.statusCode))
        })
        asked.on('error', reject)
        asked.end()
      }),
  }
}

type World = Awaited<ReturnType<typeof open>>

const json = { 'content-type': 'application/json' }
const clicks = (count: number, payload: object = { a: 1 }): string =>
  JSON.stringify(Array.from({ length: count }, () => ({ eventName: 'Click', payload })))

/** The one event, as it is in the file system. */
const written = async (world: World): Promise<string> => {
  await world.post()
  await world.later(3_600_000)
  return (await world.files()).join()
}

/** Whether one event is in the file system a moment after its arrival, with periods of days. */
const soon = async (world: World): Promise<string> => {
  await world.post()
  await world.later(2_000)
  return String((await world.files()).length)
}

const days = ['collector.diskspool.flush-interval-seconds=86400']

const filtered = (headers: Record<string, string>) => async (world: World) => {
  await world.post(clicks(1), headers)
  return String(await world.dropped())
}

type Case = {
  readonly base?: readonly string[]
  readonly to: string
  /** Distinguishes the two values by the server's behaviour. */
  readonly see: (world: World) => Promise<string>
  readonly was: string | RegExp
  readonly is: string | RegExp
  /** The setting that changes. @default the same one */
  readonly changes?: SettingKey
}

const status =
  (...args: Parameters<World['post']>) =>
  async (world: World) =>
    String(await world.post(...args))

/** The status for another event after these, from an address and then perhaps from another one. */
const again =
  (body: string, from = '10.0.0.1', to = from) =>
  async (world: World) => {
    await world.post(body, { 'x-forwarded-for': from })
    return String(await world.post(clicks(1), { 'x-forwarded-for': to }))
  }

const registry = (): Promise<string> => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ types: [{ name: 'Click', schema: [{ position: 1, name: 'a', type: 'boolean' }] }] }))
  })
  onTestFinished(() => void server.close())
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

/** What health says of the file system. */
const configuration = async (world: World): Promise<string> => await (await world.call('/1.0/healthcheck')).text()

/** The answer to one call of Scribe. */
const scribe = (messages: readonly string[]) => async (world: World) => {
  const { port } = new URL(world.url('scribe'))
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(toFrame(toLog(messages.map(message => ({ category: 'Click', message })))))
  const [answer] = await once(socket, 'data')
  const { result, exception } = readAnswer(answer.subarray(4))
  return exception === undefined ? String(result) : `exception ${exception}`
}

/** The result of an entry of Scribe with two fields. */
const twoFields = async (world: World): Promise<string> => {
  const writer = new ThriftWriter()
  for (const id of [1, 2]) {
    writer.fieldHeader(thriftType.string, id)
    writer.binary(Buffer.from(`of field ${id}`))
  }
  writer.stop()
  await scribe([`${Date.UTC(2026, 10, 22)}:${Buffer.from(writer.bytes()).toString('base64')}`])(world)
  await world.later(3_600_000)
  return (await world.texts()).join()
}

/** The passes that were begun over the tables. */
const passes = async (world: World): Promise<string> => world.passes().join()
const tables = ['collector.output.format=parquet', 'collector.output.table=iceberg']
const hourly = [...tables, 'collector.compaction.mode=hourly']

const tokenFile = join(mkdtempSync(join(tmpdir(), 'sluice-reload-')), 'tokens')
writeFileSync(tokenFile, `shop send sha256:${hashToken('secret-of-shop')}\n`)
afterAll(() => rmSync(dirname(tokenFile), { recursive: true }))
const withToken = ['collector.auth=token', `auth.tokens=${tokenFile}`]
const bearer = { authorization: 'Bearer secret-of-shop' }

const accessLog = join(mkdtempSync(join(tmpdir(), 'sluice-reload-')), 'access.log')
afterAll(() => rmSync(dirname(accessLog), { recursive: true }))

const cloudEvent = {
  method: 'POST',
  body: JSON.stringify({ specversion: '1.0', type: 'Click', source: 's', id: '1', data: { a: 1 } }),
  headers: { 'content-type': 'application/cloudevents+json' },
}
const eventIdKey = 'a secret of 32 bytes for tests__'

/** Its id as a table has it. */
const cloudEventId = (key: string | undefined): string => {
  const events = [{ index: 0, name: 'Click', date: 0, granularity: 'HOURLY' as const }]
  const parsed = {
    format: 'json' as const,
    body: new Uint8Array(),
    events,
    ids: ['["s","1"]'],
    rejections: createRejections(),
  }
  const submission = { api: 'POST_CloudEvents_API' as const, sender: toSender(undefined, undefined), parsed }
  return (
    eventIdTextAt(
      toEventIds({ ...submission, idKey: toEventIdKey(key), replay: undefined }, events) ?? parsed.body,
      0,
    ) ?? ''
  )
}

const cases: Readonly<Partial<Record<SettingKey, Case>>> = {
  'collector.replicated.when-unavailable': {
    base: ['collector.ack=replicated', 'namenode.url=hdfs://127.0.0.1:9'],
    to: 'local',
    see: status(),
    was: '503',
    is: '202',
  },
  'server.allowed-hosts': {
    to: 'files.example',
    see: world => world.status('server', '/webhdfs/v1/?op=LISTSTATUS', { host: 'files.example' }),
    was: '403',
    is: '200',
  },
  'admin.allowed-hosts': {
    to: 'beans.example',
    see: world => world.status('admin', '/metrics', { host: 'beans.example' }),
    was: '403',
    is: '200',
  },
  'admin.allowed-origins': {
    to: 'https://console.example',
    see: world => world.status('admin', '/metrics', { host: 'localhost', origin: 'https://console.example' }),
    was: '403',
    is: '200',
  },
  'gateway.max-reads': {
    to: '1',
    see: async world => {
      const body = new Uint8Array(8 * 2 ** 20)
      await world.call('/webhdfs/v1/big?op=CREATE&data=true', {
        method: 'PUT',
        body,
        headers: { 'content-type': 'application/octet-stream' },
      })
      const read = () => world.call('/webhdfs/v1/big?op=OPEN&noredirect=false')
      const first = await read()
      const second = await read()
      await Promise.all([first.body?.cancel(), second.body?.cancel()])
      return `${first.status} ${second.status}`
    },
    was: '200 200',
    is: '200 503',
  },
  'collector.output.format': { to: 'jsonl', see: written, was: /\.smile$/, is: /\.jsonl$/ },
  'collector.output.compression': {
    base: ['collector.output.format=jsonl'],
    to: 'gzip',
    see: written,
    was: /\.jsonl$/,
    is: /\.gz$/,
  },
  'collector.output.layout': {
    to: 'hive',
    see: written,
    was: /Click\/2026\/11\/22\/08\//,
    is: /dt=2026-11-22\/hour=08/,
  },
  'collector.output.table': {
    base: ['collector.output.format=parquet'],
    to: 'iceberg',
    see: written,
    was: /Click\/2026\/11\/22\/08\//,
    is: /Click\/data\/eventDate_hour=2026-11-22-08\//,
  },
  'collector.output.snapshot-seconds': {
    base: [
      'collector.output.format=parquet',
      'collector.output.table=iceberg',
      'collector.diskspool.flush-interval-seconds=1',
    ],
    to: '1',
    see: async world => {
      const snapshots = async (): Promise<number> => {
        await world.post()
        for (let i = 0; i < 3; i++) await world.later(500)
        return (await world.files()).filter(path => path.includes('/snap-')).length
      }
      // The first one of a table is immediate.
      return String(-(await snapshots()) + (await snapshots()))
    },
    was: '0',
    is: '1',
  },
  'collector.output.keep-snapshots-hours': {
    base: [
      'collector.output.format=parquet',
      'collector.output.table=iceberg',
      'collector.output.snapshot-seconds=1',
      'collector.diskspool.flush-interval-seconds=1',
    ],
    to: '1',
    see: async world => {
      for (let i = 0; i < 12; i++) {
        await world.post()
        await world.later(2_000)
      }
      await world.later(2 * 3_600_000)
      return String((await world.files()).filter(path => path.includes('/snap-')).length)
    },
    was: '12',
    is: '10',
  },
  'collector.compaction.mode': { base: tables, to: 'hourly', see: passes, was: '', is: '7 536870912' },
  'collector.compaction.after-minutes': { base: hourly, to: '0', see: passes, was: '', is: '8 536870912' },
  'collector.compaction.target-bytes': { base: hourly, to: '1MiB', see: passes, was: '', is: '7 1048576' },
  'collector.retention': {
    base: tables,
    to: '_a b=forever,Order=30,*=365',
    see: passes,
    was: '',
    is: '7 536870912 %5Fa%20b:Infinity Order:30 [*]:365',
  },
  'collector.event-ids.path': {
    to: 'a',
    see: async world => {
      for (const _ of [1, 2]) await world.post()
      const metrics = await (await world.app.adminFetch(new Request('http://localhost/metrics'))).text()
      return String(
        [...metrics.matchAll(/^collector_events_duplicates_total\S* (\d+)/gm)].reduce(
          (sum, [, n]) => sum + Number(n),
          0,
        ),
      )
    },
    was: '0',
    is: '1',
  },
  'collector.event-ids.key': {
    base: [...tables, 'collector.event-ids.column=true', 'collector.output.compression=none'],
    to: eventIdKey,
    see: async world => {
      await world.call('/rest/1.0/event', cloudEvent)
      await world.later(3_600_000)
      const texts = await world.texts()
      const isFound = (key: string | undefined): boolean => texts.some(text => text.includes(cloudEventId(key)))
      return `${isFound(undefined)} ${isFound(eventIdKey)}`
    },
    was: 'true false',
    is: 'false true',
  },
  'collector.event-ids.column': {
    base: tables,
    to: 'true',
    see: async world => {
      await world.call('/rest/1.0/event', cloudEvent)
      await world.later(3_600_000)
      return String((await world.texts()).some(text => text.includes('"name":"_eventId"')))
    },
    was: 'false',
    is: 'true',
  },
  'collector.output.envelope': {
    base: ['collector.output.format=jsonl'],
    to: 'false',
    see: async world => {
      await written(world)
      return (await world.texts()).join('')
    },
    was: /^\{"eventName":"Click","payload":/,
    is: /^\{"eventName":"Click","a":1/,
  },
  'collector.diskspool.flush-interval-seconds': { base: days, to: '1', see: soon, was: '0', is: '1' },
  'collector.diskspool.max-uncommitted-period-seconds': { base: days, to: '1', see: soon, was: '0', is: '1' },
  'collector.diskspool.max-uncommitted-write-count': { base: days, to: '1', see: soon, was: '0', is: '1' },
  'collector.diskspool.max-segment-bytes': {
    base: days,
    to: '65536',
    see: async world => {
      await world.post(clicks(1, { a: 'x'.repeat(70_000) }))
      return await soon(world)
    },
    was: '0',
    is: /[12]/,
  },
  'collector.diskspool.min-free-bytes': {
    base: ['collector.diskspool.min-free-bytes=0'],
    to: '1000TB',
    see: async world => {
      await world.later(1_000)
      return String(await world.post())
    },
    was: '202',
    is: '503',
  },
  'collector.diskspool.keep-committed-seconds': {
    base: ['collector.diskspool.keep-committed-seconds=86400'],
    to: '1',
    see: async world => {
      await written(world)
      await world.later(5_000)
      return String((await world.local()).length)
    },
    was: '1',
    is: '0',
  },
  'collector.max-event-queue-size': { to: '1', see: status(clicks(2)), was: '202', is: '503' },
  'collector.max-inflight-bytes': {
    to: '1024',
    see: status(clicks(1, { a: 'x'.repeat(2_000) })),
    was: '202',
    is: '503',
  },
  'collector.max-body-bytes': { to: '10', see: status(), was: '202', is: '413' },
  'collector.max-decompressed-bytes': {
    to: '10',
    see: status(new Uint8Array(gzipSync(clicks(1))), { 'content-encoding': 'gzip' }),
    was: '202',
    is: '413',
  },
  'collector.max-events-per-request': { to: '1', see: status(clicks(2)), was: '202', is: '413' },
  'collector.max-values-per-event': {
    to: '1',
    see: async ({ call }) => {
      const answer = await call('/rest/1.0/event', { method: 'POST', body: clicks(1, { a: [1, 2] }), headers: json })
      return String(Object((await answer.json()) ?? {})['rejected'] ?? 0)
    },
    was: '0',
    is: '1',
  },
  'collector.refused.max-bytes-per-hour': {
    base: ['collector.output.format=jsonl'],
    to: '0',
    see: async world => {
      await world.call('/rest/1.0/event', { method: 'POST', body: 'no JSON', headers: json })
      await written(world)
      return String((await world.texts()).filter(text => text.includes('no JSON')).length)
    },
    was: '1',
    is: '0',
  },
  'collector.quota.events-per-second': { to: '1', see: again(clicks(50)), was: '202', is: '429' },
  'collector.quota.bytes-per-second': { to: '1', see: again(clicks(50)), was: '202', is: '429' },
  'collector.quota.burst-seconds': {
    base: ['collector.quota.events-per-second=1'],
    to: '3600',
    see: again(clicks(50)),
    was: '429',
    is: '202',
  },
  'collector.quota.by': {
    base: ['collector.quota.events-per-second=1', ...withToken],
    to: 'address',
    see: async world => {
      await world.post(clicks(50), { ...bearer, 'x-forwarded-for': '10.0.0.1' })
      return String(await world.post(clicks(1), { ...bearer, 'x-forwarded-for': '10.0.0.2' }))
    },
    was: '429',
    is: '202',
  },
  'collector.quota.ipv4-prefix': {
    base: ['collector.quota.events-per-second=1'],
    to: '24',
    see: again(clicks(50), '10.0.0.1', '10.0.0.2'),
    was: '202',
    is: '429',
  },
  'collector.quota.ipv6-prefix': {
    base: ['collector.quota.events-per-second=1'],
    to: '48',
    see: again(clicks(50), '2001:db8:0:1::1', '2001:db8:0:2::1'),
    was: '202',
    is: '429',
  },
  'collector.allowed-origins': {
    to: 'https://shop.example',
    see: async ({ call }) => {
      const { headers } = await call('/1?v=Click', { headers: { origin: 'https://shop.example' } })
      return `${headers.get('access-control-allow-origin')} ${headers.get('access-control-allow-credentials')}`
    },
    was: /^\* null$/,
    is: 'https://shop.example true',
  },
  'collector.doors': {
    to: 'segment',
    see: async ({ call }) => String((await call('/v1/page', { method: 'POST', body: '{}', headers: json })).status),
    was: '404',
    is: '200',
  },
  'collector.filters.host': { to: 'bad', see: filtered({ referer: 'http://bad.example/x' }), was: '0', is: '1' },
  'collector.filters.ip': { to: '^9', see: filtered({ 'x-forwarded-for': '9.9.9.9' }), was: '0', is: '1' },
  'collector.filters.useragent': { to: 'Bot', see: filtered({ 'user-agent': 'Bot/1' }), was: '0', is: '1' },
  'collector.filters.path': { to: '/x', see: filtered({ referer: 'http://bad.example/x' }), was: '0', is: '1' },
  'collector.filters.event-type': { to: 'Click', see: filtered({}), was: '0', is: '1' },
  'collector.filters.event-type.included': {
    to: 'true',
    see: filtered({}),
    was: '0',
    is: '1',
    changes: 'collector.filters.event-type',
  },
  'collector.trusted-proxies': {
    base: ['collector.filters.ip=^9'],
    to: '10.0.0.0/8',
    see: async world => {
      const headers = { ...json, 'x-forwarded-for': '9.9.9.9' }
      await fetch(`${world.url('server')}/rest/1.0/event`, { method: 'POST', headers, body: clicks(1) })
      return String(await world.dropped())
    },
    was: '1',
    is: '0',
  },
  'realtime.events': {
    base: ['realtime.broker=amqp://127.0.0.1:9'],
    to: 'Click,View',
    see: async world => JSON.stringify(await world.admin(toRead('sluice.metrics.collector:name=RTSubsystem'))),
    was: /\[\]/,
    is: /\[Click, View\]/,
  },
  'log.level': { to: 'debug', see: async world => world.level(), was: 'info', is: 'debug' },
}

/** Who else reads a setting than what its case above looks at. */
const readers: readonly (readonly [key: SettingKey, reader: string, Case])[] = [
  [
    'collector.trusted-proxies',
    'the access log',
    {
      base: ['log.access=json', `log.access-file=${accessLog}`],
      to: '10.0.0.0/8',
      see: async world => {
        await world.status('server', '/livez?seen', { 'x-forwarded-for': '9.9.9.9' })
        const line = () => /^.*livez.seen.*$/m.exec(readFileSync(accessLog, 'utf8'))?.[0]
        await expect.poll(line).toBeDefined()
        const { address } = JSON.parse(line() ?? '')
        truncateSync(accessLog)
        return address
      },
      was: '9.9.9.9',
      is: '127.0.0.1',
    },
  ],
  [
    'collector.output.format',
    'the health report',
    { to: 'jsonl', see: configuration, was: /format: native/, is: /format: jsonl/ },
  ],
  [
    'collector.output.compression',
    'the health report',
    { to: 'gzip', see: configuration, was: /compression: none/, is: /compression: gzip/ },
  ],
  ['collector.max-events-per-request', 'Scribe', { to: '1', see: scribe(['one', 'two']), was: '0', is: /^exception/ }],
  [
    'collector.max-values-per-event',
    'Scribe',
    {
      base: ['collector.output.format=jsonl'],
      to: '1',
      see: twoFields,
      was: /"2":"of field 2"/,
      is: /"1":"[\w+/]+=*"/,
    },
  ],
  [
    'collector.diskspool.flush-interval-seconds',
    'the page of the event directory',
    {
      base: days,
      to: '3600',
      see: async world => {
        await world.post()
        const page = await world.call('/rest/1.0/hdfs?path=/events', { headers: { accept: 'text/html' } })
        return await page.text()
      },
      was: /2026-11-23T00:00/,
      is: /2026-11-22T09:00/,
    },
  ],
]

const toRead = (mbean: string) => ({ method: 'read', params: { mbean } })

const liveKeys = knownKeys.filter(key => settingOf(key).live)

describe('a setting that is marked live', () => {
  test('is one of those that are tried here', () => {
    const others = ['collector.validation', 'collector.replicated.takeover-seconds', 'collector.replicated.gather-ms']
    expect([...Object.keys(cases), ...others].sort()).toEqual([...liveKeys].sort())
  })

  test.each(Object.entries(cases))(
    '%s takes effect without a restart',
    async (key, { base = [], to, see, was, is, changes = key }) => {
      const untouched = await open(base)
      untouched.reload()
      expect(await see(untouched)).toMatch(typeof was === 'string' ? new RegExp(`^${was}$`) : was)
      const reloaded = await open(base)
      expect(Object.keys(reloaded.reload(`${key}=${to}`).changed)).toContain(changes)
      expect(await see(reloaded)).toMatch(typeof is === 'string' ? new RegExp(`^${is}$`) : is)
    },
  )

  test.each(readers)('%s takes effect without a restart in %s', async (key, _, { base = [], to, see, was, is }) => {
    const untouched = await open(base)
    untouched.reload()
    expect(await see(untouched)).toMatch(was)
    const reloaded = await open(base)
    reloaded.reload(`${key}=${to}`)
    expect(await see(reloaded)).toMatch(is)
  })

  test('collector.validation takes effect without a restart', async () => {
    const world = await open([`registrar.url=${await registry()}`, 'collector.validation=off'])
    expect(world.reload('collector.validation=reject').changed).toEqual({ 'collector.validation': 'off → reject' })
    const rejected = async () => {
      const answer = await world.call('/rest/1.0/event', { method: 'POST', body: clicks(1), headers: json })
      return Object(await answer.json())['rejected'] ?? 0
    }
    await expect.poll(rejected).toBe(1)
    world.reload('collector.validation=off')
    expect(await rejected()).toBe(0)
  })
})

test.each([
  ['collector.replicated.takeover-seconds', 'takeoverMs', 60, 60_000],
  ['collector.replicated.gather-ms', 'gatherMs', 0, 0],
] as const)('%s, a setting that is marked live, is that of the spool without a restart', (key, name, to, is) => {
  const read = (more: readonly string[]) => {
    const all = ['collector.ack=replicated', 'namenode.url=hdfs://n', ...more]
    return loadConfig({ argv: all.flatMap(one => ['--set', one]), env: {}, cwd: '/', readFile: () => '' }).settings
  }
  const live = createLiveSettings(read([]))
  const ofSpool = live.of(toSpoolSettings)
  expect(ofSpool().replicated[name]).not.toBe(is)
  live.prepare(read([`${key}=${to}`])).hold()
  expect(ofSpool().replicated[name]).toBe(is)
})

const filterBean = 'sluice.metrics.collector.filters:name=UserAgent'
const settingsBean = 'sluice.metrics:name=Settings'
const exec = (mbean: string, operation: string, ...args: readonly unknown[]) => ({
  method: 'exec',
  params: { mbean, operation, arguments: args },
})

describe('settings that are read again', () => {
  test('tell what changed, what waits for a restart, and hide secrets', async () => {
    const world = await open(['realtime.broker=amqp://user:geheim@127.0.0.1:9'])
    world.reload('log.level=debug', 'admin.vendor=acme', 'realtime.broker=amqp://user:anders@127.0.0.1:9')
    expect(world.lines.filter(({ msg }) => /settings/.test(msg))).toEqual([
      {
        level: 'info',
        msg: 'settings read again: these hold from now on',
        fields: { changed: { 'log.level': 'info → debug' } },
      },
      {
        level: 'warn',
        msg: 'these settings need a restart',
        fields: { pending: { 'admin.vendor': 'sluice → acme', 'realtime.broker': '(hidden) → (hidden)' } },
      },
    ])
    expect(await world.admin(toRead(settingsBean))).toMatchObject({
      result: {
        value: {
          Settings: { 'log.level': 'debug', 'admin.vendor': 'sluice' },
          Pending: { 'admin.vendor': 'acme', 'realtime.broker': '(hidden)' },
        },
      },
    })
    world.reload()
    expect(await world.admin(toRead(settingsBean))).toMatchObject({ result: { value: { Pending: {} } } })
  })

  test('tell what changed on the level that lets it through, the one of before or the new one', async () => {
    const world = await open()
    for (const level of ['error', 'info']) world.reload(`log.level=${level}`)
    expect(world.lines.map(({ fields }) => fields['changed']).filter(Boolean)).toEqual([
      { 'log.level': 'info → error' },
      { 'log.level': 'error → info' },
    ])
  })

  test('warn of unknown variables, as a start does', async () => {
    const world = await open()
    world.setVariable('SLUICE_SERVER_PROT', '1')
    world.reload()
    expect(world.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
      'SLUICE_SERVER_PROT is not a setting; did you mean SLUICE_SERVER_PORT?',
    ])
  })

  test('hold and wait as before where they are retired, and each reload warns of them', async () => {
    const world = await open(['collector.max-values-per-event=1'])
    const given = { 'collector.max-values-per-event': '2', 'gateway.max-row-bytes': '1MiB', mounts: '[]' }
    const { changed, pending } = world.reload(...Object.entries(given).map(([key, value]) => `${key}=${value}`))
    expect([changed, pending]).toEqual([
      { 'collector.max-values-per-event': '1 → 2' },
      { 'gateway.max-row-bytes': ' → 1048576' },
    ])
    const { value } = (await world.admin(toRead(settingsBean))).result as { value: { Settings: object } }
    expect(value.Settings).toHaveProperty(['collector.max-values-per-event'], '2')
    expect(retiredKeys.filter(key => key in value.Settings)).toEqual(['collector.max-values-per-event'])
    const warned = world.lines
      .filter(({ level, msg }) => level === 'warn' && msg.includes('is retired'))
      .map(({ msg }) => msg)
    const line = (key: SettingKey): string =>
      `${key} (from --set) is retired: it still has its effect, and the next version does not know it. ${settingOf(key).sentence.replaceAll('`', '')}`
    expect(warned).toEqual([
      line('collector.max-values-per-event'),
      line('collector.max-values-per-event'),
      line('gateway.max-row-bytes'),
      line('mounts'),
    ])
    expect(world.reload().changed).toEqual({ 'collector.max-values-per-event': '2 → 1' })
  })

  test.each(retiredKeys)('%s is warned of at a reload', async key => {
    const world = await open()
    const value = settingOf(key).type === 'boolean' ? 'true' : key === 'mounts' ? '[]' : '1000000'
    world.reload(`${key}=${value}`)
    expect(
      world.lines.filter(({ level, msg }) => level === 'warn' && msg.startsWith(`${key} (from --set) is retired: `)),
    ).toHaveLength(1)
  })

  test('bound a frame of Scribe where they are retired, too', async () => {
    const answer = async (...settings: readonly string[]) => await scribe(['one'])(await open(settings))
    expect(await answer('collector.scribe.max-frame-bytes=20')).toMatch(/^exception .*of 1 to 20 bytes, found 47/)
    expect(await answer()).toBe('0')
  })

  test('change at once by the operation of their bean, which is audited', async () => {
    const world = await open()
    expect(await world.admin(exec(settingsBean, 'reload'))).toMatchObject({ result: { changed: {}, pending: {} } })
    expect(world.lines.find(({ msg }) => msg === 'management')?.fields).toMatchObject({
      member: 'reload',
      outcome: 'ok',
    })
  })

  test('change nothing where one of them is wrong, and the log names it', async () => {
    const world = await open()
    expect(() => world.reload('collector.max-body-bytes=10', 'server.prot=1')).toThrow(/server\.prot/)
    expect(await world.post()).toBe(202)
    expect(world.lines.at(-1)).toMatchObject({
      level: 'error',
      msg: 'settings not reloaded: the previous ones remain in effect',
      fields: { problems: [expect.stringContaining('there is no setting server.prot; did you mean server.port?')] },
    })
  })

  test('that are refused are a WARN in health, metrics and the list of problems, until they are good', async () => {
    const world = await open()
    const health = async () => {
      const { items } = (await (await world.call('/1.0/healthcheck')).json()) as { items: { type: string }[] }
      return items.filter(({ type }) => type === 'SettingsFileHealthCheck')
    }
    const metric = async () =>
      (await (await world.app.adminFetch(new Request('http://localhost/metrics'))).text()).match(
        /sluice_health\{item="SettingsFileHealthCheck"\} (\d)/,
      )?.[1]
    const problems = async () => {
      const read = { method: 'read', params: { mbean: 'sluice.metrics:name=Health', attribute: 'Problems' } }
      return (await world.admin(read)).result as { readonly value: readonly object[] }
    }
    expect([await health(), await metric()]).toEqual([[], undefined])
    expect(() => world.reload('server.prot=1')).toThrow()
    expect(await health()).toEqual([
      { type: 'SettingsFileHealthCheck', code: 'WARN', message: expect.stringContaining('did you mean server.port?') },
    ])
    expect(await metric()).toBe('1')
    expect((await problems()).value).toMatchObject([{ part: 'server', command: 'sluice config' }])
    world.reload()
    expect([await health(), await metric(), (await problems()).value]).toEqual([[], undefined, []])
  })

  test('change nothing where a part cannot do with them', async () => {
    const world = await open()
    const patterns = Array.from({ length: 300 }, (_, index) => `p${index}`).join(',')
    expect(() => world.reload('collector.max-body-bytes=10', `collector.filters.path=${patterns}`)).toThrow(
      /at most 256/,
    )
    expect(await world.post()).toBe(202)
  })

  test('wait together where the live ones do not go with those of before', async () => {
    const world = await open()
    expect(() => world.reload('realtime.broker=amqp://127.0.0.1:9', 'realtime.events=Click')).toThrow(
      'until a restart: realtime.broker is needed with realtime.events',
    )
  })

  test('leave what was written by a bean, until the value itself is another', async () => {
    const world = await open(['realtime.broker=amqp://127.0.0.1:9', 'realtime.events=Click'])
    const subsystem = 'sluice.metrics.collector:name=RTSubsystem'
    await world.admin(exec(filterBean, 'addPattern', 'Spider'))
    await world.admin(exec(subsystem, 'addTypeToCollect', 'View'))
    world.reload('collector.filters.path=/x', 'collector.filters.event-type.included=true')
    expect(await world.admin(toRead(filterBean))).toMatchObject({ result: { value: { PatternSet: ['Spider'] } } })
    expect(await world.admin(toRead(subsystem))).toMatchObject({
      result: { value: { TypesToCollect: '[Click, View]' } },
    })
    world.reload('collector.filters.useragent=Bot', 'realtime.events=Click,Buy')
    expect(await world.admin(toRead(filterBean))).toMatchObject({ result: { value: { PatternSet: ['Bot'] } } })
    expect(await world.admin(toRead(subsystem))).toMatchObject({
      result: { value: { TypesToCollect: '[Click, Buy]' } },
    })
  })
})
