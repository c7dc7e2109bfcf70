import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import type { Disk } from '../../src/disk/disk.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import type { Value } from '../../src/formats/number.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { postJson, startTestServer, type TestServer } from '../suites/admin.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { createTearingDisk } from '../suites/tearing-disk.ts'

const E = '{"eventName":"A","payload":{"x":1}}'
const collector = 'sluice.metrics.collector'
const resources = `${collector}.endpoint.resources`
const writer = `${collector}:name=HDFSWriter`
const queue = `${collector}:name=WriterQueueStats`

const readOne = async (server: TestServer, mbean: string, attribute: string): Promise<unknown> =>
  (await server.rpc.read(mbean, attribute)).value
const count = (server: TestServer, type: string, name: string): Promise<unknown> =>
  readOne(server, `${resources}:type=${type},name=${name}`, 'Count')
const post = (
  server: TestServer,
  type: string,
  body: Uint8Array<ArrayBuffer> | string,
  query = '',
): Promise<Response> =>
  server.server(`/rest/1.0/event${query}`, { method: 'POST', headers: { 'content-type': type }, body })

const fields = encodeFields([{ id: 1, type: thriftType.string, value: Buffer.from('a') }])
const smile = (value: Value): Uint8Array<ArrayBuffer> => {
  const writer = createSmileWriter()
  writer.write(value)
  return bytes(writer.take())
}
const bytes = (data: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(data)
const ways = [
  {
    api: 'CollectorResource',
    name: 'GET_API',
    deserializer: 'DECIMAL_QUERY',
    good: (server: TestServer) => server.server('/1?v=A,b1'),
    bad: (server: TestServer) => server.server('/1?v=A,b7'),
  },
  {
    api: 'Base64CollectorResource',
    name: 'GET_Base64_API',
    deserializer: 'BASE_64_QUERY',
    good: (server: TestServer) => server.server('/2?v=A,sHello'),
    bad: (server: TestServer) => server.server('/2'),
  },
  {
    api: 'BodyResource',
    name: 'POST_Json_API',
    deserializer: 'JSON',
    good: (server: TestServer) => postJson(server, E),
    bad: (server: TestServer) => postJson(server, '{'),
  },
  {
    api: 'BodyResource',
    name: 'POST_Smile_API',
    deserializer: 'SMILE',
    good: (server: TestServer) => post(server, 'application/json+smile', smile({ eventName: 'A', payload: { x: 1 } })),
    bad: (server: TestServer) => post(server, 'application/json+smile', 'no smile'),
  },
  {
    api: 'BodyResource',
    name: 'POST_Thrift_API',
    deserializer: 'THRIFT',
    good: (server: TestServer) => post(server, 'application/thrift', bytes(fields), '?name=A'),
    bad: (server: TestServer) => post(server, 'application/thrift', 'x', '?name=A'),
  },
  {
    api: 'BodyResource',
    name: 'POST_ThriftLegacy_API',
    deserializer: 'DEFAULT',
    good: (server: TestServer) => post(server, 'ning/1.0', bytes(fields), '?name=A'),
    bad: (server: TestServer) => post(server, 'ning/1.0', 'x', '?name=A'),
  },
] as const

describe.each(['fetch', 'node'] as const)('counted through %s', transport => {
  test.each(ways)('$name: its timer, its deserializer under both spellings, and collectEvent', async way => {
    const server = await startTestServer({ transport })
    const figures = async (): Promise<readonly unknown[]> => [
      await count(server, way.api, way.name),
      await count(server, 'EventRequestHandler', `${way.deserializer}_SUCCES`),
      await count(server, 'EventRequestHandler', `${way.deserializer}_SUCCESS`),
      await count(server, 'EventRequestHandler', `${way.deserializer}_FAILURE`),
      await readOne(server, `${collector}.hadoop.processing:type=BufferingEventCollector,name=collectEvent`, 'Count'),
    ]
    expect(await figures()).toEqual([0, 0, 0, 0, 0])
    expect((await way.good(server)).status).toBe(202)
    expect(await figures()).toEqual([1, 1, 1, 0, 1])
    expect((await way.bad(server)).status).toBe(400)
    expect(await figures()).toEqual([2, 1, 1, 1, 2])
  })
})

describe('the beans of the API', () => {
  test('timers have the percentiles, values() and objectName()', async () => {
    const server = await startTestServer()
    await postJson(server, E)
    const mbean = `${resources}:name=POST_Json_API,type=BodyResource`
    const { value } = await server.rpc.read(mbean)
    const names =
      'Count EventType RateUnit MeanRate OneMinuteRate FiveMinuteRate FifteenMinuteRate LatencyUnit Min Max Mean StdDev ' +
      '50thPercentile 75thPercentile 95thPercentile 98thPercentile 99thPercentile 999thPercentile'
    expect(new Set(Object.keys(value))).toEqual(new Set(names.split(' ')))
    expect(value['Max']).toBeGreaterThan(0)
    expect([value['50thPercentile'], value['999thPercentile'], value['Min']]).toEqual(Array(3).fill(value['Max']))
    expect(await server.rpc.exec(mbean, 'values')).toEqual([value['Max']])
    expect(await server.rpc.exec(mbean, 'objectName')).toBe(mbean)
  })

  test('all names of the specification are there', async () => {
    const server = await startTestServer()
    const meters = ['BASE_64_QUERY', 'DECIMAL_QUERY', 'DEFAULT', 'JSON', 'SMILE', 'THRIFT'].flatMap(name =>
      ['FAILURE', 'SUCCES', 'SUCCESS'].map(outcome => `${resources}:name=${name}_${outcome},type=EventRequestHandler`),
    )
    const found = await server.rpc.search('*:*')
    expect(found).toEqual(expect.arrayContaining(meters))
    expect(found).toEqual(
      expect.arrayContaining([
        `${collector}:name=RTQueueStats`,
        `${collector}:name=BufferingEventCollector`,
        writer,
        queue,
        `${collector}:name=RTSubsystem`,
        `${collector}.hadoop.processing:name=collectEvent,type=BufferingEventCollector`,
        `${resources}:name=GET_API,type=CollectorResource`,
        `${resources}:name=GET_Base64_API,type=Base64CollectorResource`,
        `${resources}:name=POST_Json_API,type=BodyResource`,
        `${resources}:name=POST_Smile_API,type=BodyResource`,
        `${resources}:name=POST_ThriftLegacy_API,type=BodyResource`,
        `${resources}:name=POST_Thrift_API,type=BodyResource`,
        `${resources}:name=SCRIBE_API,type=ScribeEventRequestHandler`,
      ]),
    )
  })

  test('admin.vendor is the vendor of their names', async () => {
    const server = await startTestServer({ set: ['admin.vendor=com.example'] })
    expect(await server.rpc.search('sluice*:*')).toEqual([])
    expect(await readOne(server, 'com.example.metrics.collector:name=HDFSWriter', 'nbLocalFiles')).toBe(0)
  })

  test('envelopes and partial failures are counted event by event', async () => {
    const server = await startTestServer()
    const envelopes = encodeRecord({ date: 1_300_000_000_000, typeName: 'A', granularity: 'HOURLY', payload: fields })
    expect((await post(server, 'application/thrift', bytes(envelopes))).status).toBe(202)
    expect((await postJson(server, `[${E},7,${E}]`)).status).toBe(202)
    expect(await count(server, 'EventRequestHandler', 'THRIFT_SUCCESS')).toBe(1)
    expect(await count(server, 'EventRequestHandler', 'JSON_SUCCESS')).toBe(2)
    expect(await count(server, 'EventRequestHandler', 'JSON_FAILURE')).toBe(1)
    expect(await count(server, 'BodyResource', 'POST_Json_API')).toBe(1)
  })

  test('event types have a bean of their own', async () => {
    const server = await startTestServer()
    await postJson(server, `[${E},${E},{"eventName":"b,c","payload":{}}]`)
    await server.server('/1?v=A')
    const { value } = await server.rpc.readMany(`${collector}:name=EventTypeStats,*`)
    expect(value).toEqual({
      [`${collector}:Type="b,c",name=EventTypeStats`]: { AcceptedEvents: 1, ByApi: { POST_Json_API: 1 } },
      [`${collector}:Type=A,name=EventTypeStats`]: { AcceptedEvents: 3, ByApi: { POST_Json_API: 2, GET_API: 1 } },
    })
  })
})

describe('event types', () => {
  test('are never `_tmp`, which has what is on its way; an event of that name is one', async () => {
    const fileSystem = createMemoryFileSystem()
    const server = await startTestServer({ fileSystem })
    await postJson(server, `[${E},{"eventName":"_tmp","payload":{}}]`)
    await server.rpc.exec(writer, 'processLeftBelowFiles')
    await fileSystem.mkdirs('/events/_tmp/another')
    const known = await server.rpc.exec(`${collector}:name=EventTypes`, 'list', ['', 'name', 100])
    expect(known).toMatchObject({ types: [{ eventType: 'A' }, { eventType: '_tmp' }] })
    const page = await (await server.server('/rest/1.0/hdfs?path=/events', { headers: { accept: 'text/html' } })).text()
    const rows = page.split('<tr>').filter(row => /path=\/events\/./.test(decodeURIComponent(row)))
    const marked = rows.filter(row => row.includes('not an event type'))
    expect(rows).toHaveLength(3)
    expect(marked.map(row => /href="[^"]*"/.exec(row)?.[0])).toEqual([expect.stringMatching(/events(%2F|\/)_tmp/)])
  })
})

describe('WriterQueueStats and BufferingEventCollector', () => {
  test('count what is kept and what reaches the file system', async () => {
    const server = await startTestServer()
    await postJson(server, `[${E},${E}]`)
    expect((await server.rpc.read(queue)).value).toMatchObject({ EnqueuedEvents: 2, WrittenEvents: 2, HdfsFlushes: 0 })
    await server.rpc.exec(writer, 'processLeftBelowFiles')
    expect(await readOne(server, queue, 'HdfsFlushes')).toBe(1)
  })

  test('LostEvents and DroppedEvents count what a full queue refuses', async () => {
    const server = await startTestServer({ set: ['collector.max-event-queue-size=1'] })
    expect((await postJson(server, `[${E},${E}]`)).status).toBe(503)
    expect(await readOne(server, `${collector}:name=BufferingEventCollector`, 'LostEvents')).toBe(2)
    expect(await readOne(server, queue, 'DroppedEvents')).toBe(2)
  })

  test('QueueSizes counts what waits for the disk', async () => {
    const { disk, hold, release } = createHeldDisk()
    const server = await startTestServer({ disk })
    await postJson(server, E)
    hold()
    const waiting = postJson(server, `[${E},${E}]`)
    await expect
      .poll(() => readOne(server, `${collector}:name=BufferingEventCollector`, 'QueueSizes'), { interval: 1 })
      .toBe(2)
    release()
    expect((await waiting).status).toBe(202)
    expect(await readOne(server, `${collector}:name=BufferingEventCollector`, 'QueueSizes')).toBe(0)
  })

  test('ErroredEvents count what a disk that fails did not take', async () => {
    let fails = false
    const disk = createTearingDisk({
      fail: operation => (fails && operation === 'fdatasync' ? new Error('EIO') : undefined),
    })
    const server = await startTestServer({ disk })
    fails = true
    expect((await postJson(server, E)).status).toBe(503)
    fails = false
    expect((await server.rpc.read(queue)).value).toMatchObject({ ErroredEvents: 1, WrittenEvents: 0 })
  })

  test('IgnoredEvents count what a server that shuts down turns away', async () => {
    const server = await startTestServer()
    await server.close()
    expect((await postJson(server, E)).status).toBe(503)
    expect(await readOne(server, queue, 'IgnoredEvents')).toBe(1)
  })
})

describe('HDFSWriter', () => {
  const nbLocalFiles = async (server: TestServer): Promise<unknown> => {
    const [attribute, operation] = [
      await readOne(server, writer, 'nbLocalFiles'),
      await server.rpc.exec(writer, 'nbLocalFiles'),
    ]
    expect(operation).toBe(attribute)
    return attribute
  }

  test('disableFlush keeps events local through an outage and a restart, and shows on the health report', async () => {
    const disk = createTearingDisk()
    const fileSystem = createMemoryFileSystem()
    const first = await startTestServer({ disk, fileSystem })
    expect(await first.rpc.exec(writer, 'disableFlush')).toEqual({
      flushEnabled: false,
      changed: true,
      lasts: true,
      localFiles: 0,
    })
    expect(await first.rpc.exec(writer, 'disableFlush')).toMatchObject({ changed: false })
    await postJson(first, E)
    first.clock.ms += 3_600_000
    await first.beat()
    expect(await nbLocalFiles(first)).toBe(1)
    await first.close()

    const second = await startTestServer({ disk: disk.kill(), fileSystem })
    expect((await second.rpc.read(writer)).value).toMatchObject({ FlushEnabled: false, nbLocalFiles: 1 })
    expect(await (await second.admin('/1.0/healthcheck')).text()).toContain('flushing is disabled')
    expect(await readOne(second, 'sluice.metrics:name=Health', 'Code')).toBe('WARN')
    expect((await postJson(second, E)).status).toBe(202)
    second.clock.ms += 3_600_000
    await second.beat()
    expect(await readOne(second, queue, 'HdfsFlushes')).toBe(0)

    expect(await second.rpc.exec(writer, 'enableFlush')).toMatchObject({ flushEnabled: true, changed: true })
    second.clock.ms += 3_600_000
    await second.beat()
    expect(await readOne(second, queue, 'HdfsFlushes')).toBe(2)
    expect(await nbLocalFiles(second)).toBe(0)
    expect(await readOne(second, 'sluice.metrics:name=Health', 'Code')).toBe('OK')
  })

  test('processLeftBelowFiles tells files, bytes and failures, also while flushing is disabled', async () => {
    let isAway = false
    const fileSystem = createMemoryFileSystem({
      fail: (operation, path) =>
        isAway && operation === 'create' ? new FileSystemError('unavailable', path, 'away') : undefined,
    })
    const server = await startTestServer({ fileSystem })
    await server.rpc.exec(writer, 'disableFlush')
    await postJson(server, E)
    isAway = true
    expect(await server.rpc.exec(writer, 'processLeftBelowFiles')).toEqual({ files: 0, bytes: 0, failures: 1 })
    expect(await nbLocalFiles(server)).toBe(1)
    isAway = false
    const report = await server.rpc.exec(writer, 'processLeftBelowFiles')
    expect(report).toEqual({ files: 1, bytes: expect.any(Number), failures: 0 })
    expect(Object(report).bytes).toBeGreaterThan(0)
    expect(await nbLocalFiles(server)).toBe(0)
    expect(await server.rpc.exec(writer, 'processLeftBelowFiles')).toEqual({ files: 0, bytes: 0, failures: 0 })
  })

  test('CutoffTime is how old the oldest event must be; 0 at the start', async () => {
    const server = await startTestServer()
    await postJson(server, E)
    expect(await server.rpc.write(writer, 'CutoffTime', 60_000)).toBe(0)
    expect(await readOne(server, writer, 'CutoffTime')).toBe(60_000)
    expect(await server.rpc.exec(writer, 'processLeftBelowFiles')).toMatchObject({ files: 0 })
    server.clock.ms += 60_000
    expect(await server.rpc.exec(writer, 'processLeftBelowFiles')).toMatchObject({ files: 1 })
    await expect(server.rpc.write(writer, 'CutoffTime', -1)).rejects.toMatchObject({ data: { code: 'bad-value' } })
    await expect(server.rpc.write(writer, 'FlushEnabled', true)).rejects.toMatchObject({ data: { code: 'read-only' } })
  })
})

describe('filters', () => {
  test.each([
    { name: 'EventType', pattern: '^A$', drops: true },
    { name: 'UserAgent', pattern: '^bot', drops: true },
    { name: 'Host', pattern: 'bad\\.example', drops: true },
    { name: 'Path', pattern: '^/private', drops: true },
    { name: 'IP', pattern: '^10\\.', drops: false },
  ])('$name: addPattern and removePattern take effect at once', async ({ name, pattern, drops }) => {
    const server = await startTestServer()
    const bean = `${collector}.filters:name=${name}`
    const send = () =>
      server.server('/1?v=A', { headers: { 'user-agent': 'bot/1', referer: 'http://bad.example/private/x' } })
    const accepted = () => readOne(server, queue, 'WrittenEvents')
    const setting = { EventType: 'event-type', UserAgent: 'useragent' }[name] ?? name.toLowerCase()
    expect(await server.rpc.exec(bean, 'addPattern', [pattern])).toEqual({
      changed: true,
      patterns: [pattern],
      lasts: false,
      setting: `collector.filters.${setting}`,
    })
    expect(await server.rpc.exec(bean, 'addPattern', [pattern])).toMatchObject({ changed: false })
    expect(await readOne(server, bean, 'PatternSet')).toEqual([pattern])
    expect((await send()).status).toBe(202)
    expect(await accepted()).toBe(drops ? 0 : 1)
    expect(await server.rpc.exec(bean, 'removePattern', [pattern])).toMatchObject({ changed: true, patterns: [] })
    expect(await server.rpc.exec(bean, 'removePattern', [pattern])).toMatchObject({ changed: false })
    await send()
    expect(await accepted()).toBe(drops ? 1 : 2)
  })

  test('an invalid pattern is refused, with the reason', async () => {
    const server = await startTestServer()
    await expect(server.rpc.exec(`${collector}.filters:name=Host`, 'addPattern', ['('])).rejects.toMatchObject({
      code: -32602,
      data: { code: 'bad-parameter' },
      message: expect.stringContaining('is not a regular expression'),
    })
  })
})

describe('realtime', () => {
  const zero = { EnqueuedEvents: 0, DroppedEvents: 0, SentEvents: 0, ErroredEvents: 0 }
  const stats = `${collector}:name=RTQueueStats`
  const subsystem = `${collector}:name=RTSubsystem`

  test('without a broker its beans are there, at zero, and it cannot be switched on', async () => {
    const server = await startTestServer()
    await postJson(server, E)
    expect((await server.rpc.readMany(`${stats},*`)).value).toEqual({ [stats]: { ...zero, IgnoredEvents: 0 } })
    expect((await server.rpc.read(subsystem)).value).toEqual({ Enabled: false, TypesToCollect: '[]' })
    expect(await server.rpc.exec(subsystem, 'disable')).toEqual({ enabled: false, changed: false, lasts: false })
    for (const [operation, args] of [
      ['enable', []],
      ['addTypeToCollect', ['C']],
      ['removeTypeToCollect', ['A']],
    ] as const) {
      await expect(server.rpc.exec(subsystem, operation, args)).rejects.toMatchObject({ data: { code: 'failed' } })
    }
  })

  test('with a broker that is unavailable events are taken and wait, per type', async () => {
    const settings = ['realtime.broker=amqp://127.0.0.1:1', 'realtime.events=A,B', 'realtime.queue-size=2']
    const server = await startTestServer({ set: settings })
    for (let i = 0; i < 3; i++) await postJson(server, E)
    expect((await server.rpc.readMany(`${stats},*`)).value).toEqual({
      [stats]: { ...zero, EnqueuedEvents: 2, DroppedEvents: 1, IgnoredEvents: 0 },
      [`${collector}:Type=A,name=RTQueueStats`]: {
        ...zero,
        EnqueuedEvents: 2,
        DroppedEvents: 1,
        QueueSize: 2,
        MaxQueueSize: 2,
      },
      [`${collector}:Type=B,name=RTQueueStats`]: { ...zero, QueueSize: 0, MaxQueueSize: 2 },
    })
  })

  test('is switched, and types are added and removed, while it runs', async () => {
    const server = await startTestServer({ set: ['realtime.broker=amqp://127.0.0.1:1', 'realtime.events=B'] })
    const types = { Enabled: true, TypesToCollect: '[B]' }
    expect((await server.rpc.read(subsystem)).value).toEqual(types)
    expect(await server.rpc.exec(subsystem, 'addTypeToCollect', ['A'])).toEqual({
      changed: true,
      types: ['B', 'A'],
      lasts: false,
    })
    await postJson(server, E)
    expect(await server.rpc.exec(subsystem, 'disable')).toEqual({ enabled: false, changed: true, lasts: false })
    await postJson(server, E)
    expect((await server.rpc.read(stats)).value).toEqual({ ...zero, EnqueuedEvents: 1, IgnoredEvents: 1 })
    expect(await server.rpc.exec(subsystem, 'enable')).toEqual({ enabled: true, changed: true, lasts: false })
    expect(await server.rpc.exec(subsystem, 'removeTypeToCollect', ['A'])).toMatchObject({
      changed: true,
      types: ['B'],
    })
    await postJson(server, E)
    // What waited is given up, and counted.
    await expect
      .poll(async () => (await server.rpc.read(stats)).value)
      .toEqual({
        ...zero,
        EnqueuedEvents: 1,
        ErroredEvents: 1,
        IgnoredEvents: 1,
      })
    expect((await server.rpc.read(subsystem)).value).toEqual(types)
    await expect(server.rpc.exec(subsystem, 'addTypeToCollect', ['a/b'])).rejects.toThrow('U+002F')
  })
})

describe('the beans of the server', () => {
  test('Health, Runtime, Settings, Spool, Gateway and FileSystem say what is', async () => {
    const server = await startTestServer({ set: ['namenode.token=Geheimnis'] })
    await postJson(server, E)
    const { version } = packageJson
    expect((await server.rpc.read('sluice.metrics:name=Health')).value).toMatchObject({ Code: 'OK', Version: version })
    const runtime = (await server.rpc.read('sluice.metrics:name=Runtime')).value
    expect(runtime).toMatchObject({
      Pid: process.pid,
      Versions: { node: process.versions.node },
      StartTime: 1_767_323_045_000,
    })
    expect(runtime['ResidentBytes']).toBeGreaterThan(1e6)
    const settings = Object(await readOne(server, 'sluice.metrics:name=Settings', 'Settings'))
    expect([settings['collector.ack'], settings['namenode.token']]).toEqual(['fsync', '(hidden)'])
    const spool = (await server.rpc.read(`${collector}:name=Spool`)).value
    expect(spool).toMatchObject({ Accepting: true, WrittenEvents: 1, OpenEvents: 1 })
    const bean = 'sluice.metrics.filesystem:name=FileSystem,path=/'
    expect(await readOne(server, bean, 'Answers')).toBe(null)
    expect(await server.rpc.exec(bean, 'probe')).toMatchObject({ answers: true, problem: '' })
    expect(await readOne(server, bean, 'Answers')).toBe(true)
  })

  test('FileSystem says that it is away', async () => {
    const fileSystem = createMemoryFileSystem({
      fail: (operation, path) => (operation === 'probe' ? new FileSystemError('unavailable', path, 'gone') : undefined),
    })
    const server = await startTestServer({ fileSystem })
    const bean = 'sluice.metrics.filesystem:name=FileSystem,path=/'
    expect(await server.rpc.exec(bean, 'probe')).toMatchObject({ answers: false, problem: 'gone' })
  })

  test('FileSystem, and the health report, say which way it is spoken to', async () => {
    const fileSystem = { ...createMemoryFileSystem(), spokenBy: () => 'WebHDFS: nn:8020 is closed' }
    const server = await startTestServer({ fileSystem })
    const bean = 'sluice.metrics.filesystem:name=FileSystem,path=/'
    expect(await readOne(server, bean, 'SpokenBy')).toBe('WebHDFS: nn:8020 is closed')
    const report = await (await server.admin('/1.0/healthcheck')).text()
    expect(report).toContain('spoken to by WebHDFS: nn:8020 is closed')
  })

  test('Audit counts and shows what was done', async () => {
    const server = await startTestServer()
    await server.rpc.exec(writer, 'disableFlush')
    await expect(server.rpc.exec(writer, 'nothing')).rejects.toMatchObject({ data: { code: 'operation-not-found' } })
    const { value } = await server.rpc.read('sluice.metrics:name=Audit')
    expect(value).toMatchObject({ Done: 1, Denied: 0, Failed: 1 })
    expect(value['Recent']).toMatchObject([
      { who: 'anonymous', action: 'exec', mbean: writer, member: 'disableFlush', outcome: 'ok', at: 1_767_323_045_000 },
      { member: 'nothing', outcome: 'failed' },
    ])
  })

  test('History tells how the figures were, every ten seconds', async () => {
    const server = await startTestServer()
    const pass = (): void => {
      server.clock.ms += 5_000
      server.tick()
    }
    const samples = async (since: number): Promise<unknown> =>
      await server.rpc.exec('sluice.metrics:name=History', 'samples', [since, server.clock.ms])
    const begin = server.clock.ms
    await postJson(server, E)
    pass()
    // What all figures of one sample are read from is made once per turn.
    await postJson(server, '{')
    pass()
    await server.server('/rest/1.0/json?path=/missing')
    pass()
    pass()
    expect(await samples(begin)).toMatchObject({
      stepMs: 10_000,
      at: [begin + 10_000, begin + 20_000],
      columns: {
        accepted: [0.1, 0],
        malformed: [0.1, 0],
        'events:POST_Json_API': [0.1, 0],
        'p99:POST_Json_API': [expect.any(Number), null],
        // The refused one as well.
        inSegment: [2, 2],
        spoolFiles: [0, 0],
        gatewayClient: [0, 0.1],
        resident: [expect.any(Number), expect.any(Number)],
        loopDelay: [expect.any(Number), expect.any(Number)],
      },
    })
    expect(Object.keys(Object(Object(await samples(begin))['columns']))).not.toContain('p50:GET_API')
    expect(await samples(begin + 15_000)).toMatchObject({ at: [begin + 20_000] })
  })

  test('the gateway is counted', async () => {
    const server = await startTestServer()
    await server.server('/rest/1.0/json?path=/')
    await server.server('/rest/1.0/json?path=/missing')
    const { value } = await server.rpc.read('sluice.metrics.gateway:name=Gateway')
    expect(value).toMatchObject({ Requests: 2, ClientErrors: 1, RequestsByOperation: { readJson: 2 } })
  })
})

/** A disk whose syncs wait while it is held. */
const createHeldDisk = (): { disk: Disk; hold: () => void; release: () => void } => {
  const inner = createTearingDisk()
  let gate = Promise.resolve()
  let open: () => void = () => {}
  const disk: Disk = {
    ...inner,
    create: async path => {
      const file = await inner.create(path)
      return { ...file, fdatasync: () => gate.then(() => file.fdatasync()) }
    },
  }
  return {
    disk,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      open = resolve
    },
    release: () => open(),
  }
}

describe('the event types', () => {
  const mbean = `${collector}:name=EventTypes`
  const list = (server: TestServer, contains = '', order = 'accepted', limit = 100) =>
    server.rpc.exec(mbean, 'list', [contains, order, limit])
  const names = (answer: unknown): unknown => (answer as { types: { eventType: string }[] }).types.map(t => t.eventType)

  test('come with what was accepted, waits, and when it was seen last', async () => {
    const server = await startTestServer()
    expect(await list(server)).toEqual({ total: 0, types: [] })
    const body = `[${E},${E},{"eventName":"B","payload":{}}]`
    await postJson(server, body)
    await server.server('/1?v=A,b1')
    server.tick()
    const found = await list(server)
    expect(found).toMatchObject({
      total: 2,
      types: [
        { eventType: 'A', accepted: 3, waiting: 3, mismatches: 0, lastSeenAt: server.clock.ms },
        { eventType: 'B', accepted: 1, waiting: 1, bytes: Math.round(body.length / 3) },
      ],
    })
    await server.rpc.exec(writer, 'processLeftBelowFiles')
    expect(await list(server)).toMatchObject({ types: [{ waiting: 0 }, { waiting: 0 }] })
    expect(await readOne(server, mbean, 'Types')).toBe(2)
  })

  test('are searched, ordered and cut', async () => {
    const server = await startTestServer()
    for (const name of ['Order', 'PageView', 'PageLeave']) {
      await postJson(server, `{"eventName":"${name}","payload":{"text":"${name}"}}`)
    }
    await postJson(server, `{"eventName":"PageView","payload":{}}`)
    expect(names(await list(server, 'page'))).toEqual(['PageView', 'PageLeave'])
    expect(names(await list(server, '', 'name'))).toEqual(['Order', 'PageLeave', 'PageView'])
    expect(await list(server, '', 'bytes', 1)).toMatchObject({ total: 3, types: [{ eventType: 'PageView' }] })
    await expect(list(server, '', 'size')).rejects.toThrow(/Unknown order "size": use one of name, rate/)
    await expect(list(server, '', 'toString')).rejects.toThrow('Unknown order')
  })

  test('one of them closely: by API, by hour, and where its files are', async () => {
    const server = await startTestServer({ set: ['collector.event-output-directory=/in'] })
    await postJson(server, '{"eventName":"Café","payload":{}}')
    const found = await server.rpc.exec(mbean, 'describe', ['Café'])
    expect(found).toMatchObject({ accepted: 1, byApi: { POST_Json_API: 1 }, directory: '/in/Caf%C3%A9' })
    const { hours } = found as { hours: { at: number[]; accepted: number[] } }
    expect([hours.at.length, hours.accepted.at(-1)]).toEqual([24, 1])
    expect(found).not.toHaveProperty('columns')
    await expect(server.rpc.exec(mbean, 'describe', ['None'])).rejects.toThrow('No event of the type "None" came')
  })

  test('those of an earlier run are there while their events wait, and columns where files are Parquet', async () => {
    const disk = createTearingDisk()
    const fileSystem = createMemoryFileSystem()
    const set = ['collector.output.format=parquet']
    const before = await startTestServer({ disk, fileSystem, set })
    await before.rpc.exec(writer, 'disableFlush')
    await postJson(before, E)
    await before.close()
    const server = await startTestServer({ disk, fileSystem, set })
    expect(await list(server)).toMatchObject({ total: 1, types: [{ eventType: 'A', accepted: 0, waiting: 1 }] })
    const found = await server.rpc.exec(mbean, 'describe', ['A'])
    expect(found).toMatchObject({ waiting: 1, byApi: {}, columns: expect.anything() })
    expect((found as { columns: unknown }).columns).toContainEqual({ name: 'x', type: 'DOUBLE', misfits: 0 })
  })
})

test('a listener that is asked for a path of the other one says which it is', async () => {
  const server = await startTestServer({ transport: 'node' })
  const detailOf = async (response: Response): Promise<unknown> => {
    expect(response.status).toBe(404)
    return ((await response.json()) as { detail: unknown }).detail
  }
  for (const path of ['/rest/1.0/event', '/webhdfs/v1/a/b', '/1'])
    expect(await detailOf(await server.admin(path)), path).toBe(
      `This is the management listener; events and files are elsewhere: server ${server.serverUrl}`,
    )
  for (const path of ['/rpc', '/console/main.js', '/metrics']) {
    const detail = await detailOf(await server.server(path))
    expect(detail, path).toBe(
      `This is the listener of events and files; the management listener (admin.port) has ${path}`,
    )
  }
  expect(await detailOf(await server.admin('/nowhere'))).toBe('No route has this path')
  expect(await detailOf(await server.server('/nowhere'))).toBe('No route has this path')
})
