import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'

/** A collector with nothing to complain about. */
const fineSpool = {
  Accepting: true,
  Refusal: '',
  FlushEnabled: true,
  WaitingEvents: 0,
  WaitingFiles: 0,
  WaitingBytes: 0,
  QuarantinedFiles: 0,
  OldestSeconds: 0,
  Flushes: 3,
  FlushedEvents: 90,
}
const fine = {
  at: 10_000,
  startedAt: 1,
  version: '1',
  health: [],
  problems: [],
  apis: [],
  fileSystems: [],
  spool: fineSpool,
}
const problem = (part: string, word: string, code = 'WARN') => ({
  problems: [
    { item: 'X', part, code, word, problem: 'why', since: 1, meaning: 'm', advice: 'a', command: 'c', runbook: 'r' },
  ],
})
const realtime = (code: string) => ({ health: [{ type: 'RealtimeHealthCheck', code, message: '' }] })

const log = (code: string, state = 'in-step', takingOver = '') => ({
  health: [
    {
      type: 'ReplicaHealthCheck',
      code,
      message: `state: ${state}, copies: 3, behind: 0 bytes, taking over: {${takingOver}}, taken over: 0`,
    },
  ],
})

describeBrowser('the modules of the console', browser => {
  let server: TestServer
  let page: Page
  beforeAll(async () => {
    server = await createTestServer({ transport: 'node' })
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    page = await browser.open(server.adminUrl)
    await page.goto(`${server.adminUrl}/console/icon.svg`)
  })
  /** Calls an exported function in the browser. */
  const run = (module: string, name: string, ...args: readonly unknown[]): Promise<unknown> =>
    page.evaluate(`import('/console/${module}.js').then(module => module.${name}(...${JSON.stringify(args)}))`)

  const states = [
    { of: 'nothing to complain about', figures: {}, want: ['ok Accepting', 'ok Fine', 'ok On', 'ok Fine'] },
    { of: 'no collector', figures: { spool: null }, want: ['off Not here', 'off Not here', 'off Not here', 'ok Fine'] },
    {
      of: 'a full disk',
      figures: problem('intake', 'Refusing', 'ERROR'),
      want: ['error Refusing', 'ok Fine', 'ok On', 'ok Fine'],
    },
    { of: 'refusals', sample: { refused: 4 }, want: ['error Overloaded', 'ok Fine', 'ok On', 'ok Fine'] },
    {
      of: 'few malformed events',
      sample: { received: 100, malformed: 5 },
      want: ['ok Accepting', 'ok Fine', 'ok On', 'ok Fine'],
    },
    {
      of: 'many malformed events',
      sample: { received: 100, malformed: 6 },
      want: ['warn Malformed events', 'ok Fine', 'ok On', 'ok Fine'],
    },
    {
      of: 'files that are set aside',
      figures: problem('spool', 'Quarantine'),
      want: ['ok Accepting', 'warn Quarantine', 'ok On', 'ok Fine'],
    },
    {
      of: 'commits on hold',
      spool: { FlushEnabled: false },
      figures: problem('flush', 'Held'),
      want: ['ok Accepting', 'ok Fine', 'warn Held', 'ok Fine'],
    },
    {
      of: 'a file system that is unavailable',
      figures: problem('filesystem', 'Unavailable'),
      want: ['ok Accepting', 'ok Fine', 'warn Failing', 'warn Unavailable'],
    },
    {
      of: 'settings that are refused',
      figures: problem('server', 'Settings'),
      want: ['ok Accepting', 'ok Fine', 'ok On', 'ok Fine', 'warn Settings'],
    },
    {
      of: 'a file system that does not answer',
      figures: { fileSystems: [{ url: 'hdfs://a', path: '/', answers: false, problem: 'away' }] },
      want: ['ok Accepting', 'ok Fine', 'ok On', 'warn No answer'],
    },
    {
      of: 'a broker in trouble',
      figures: { ...realtime('WARN'), ...problem('realtime', 'Unavailable') },
      want: ['ok Accepting', 'ok Fine', 'ok On', 'ok Fine', 'warn Unavailable'],
    },
    {
      of: 'a broker that somebody turned off',
      figures: { ...realtime('WARN'), realtime: { Enabled: false } },
      want: ['ok Accepting', 'ok Fine', 'ok On', 'ok Fine', 'warn Off'],
    },
    {
      of: 'a log in HDFS',
      figures: log('OK'),
      want: ['ok Accepting', 'ok Fine', 'ok In step', 'ok On', 'ok Fine'],
    },
    {
      of: 'a log that another collector has',
      figures: { ...log('ERROR'), ...problem('replica', 'Fenced', 'ERROR') },
      want: ['ok Accepting', 'ok Fine', 'error Fenced', 'ok On', 'ok Fine'],
    },
    { of: 'no broker', figures: realtime('OK'), want: ['ok Accepting', 'ok Fine', 'ok On', 'ok Fine'] },
  ]
  test('toStatus finds words for every state', async () => {
    for (const { of, figures, spool, sample, want } of states) {
      const all = { ...fine, ...(spool ? { spool: { ...fineSpool, ...spool } } : {}), ...figures }
      const items = (await run('overview/status', 'toStatus', all, sample ?? {})) as { state: string; word: string }[]
      expect(
        items.map(({ state, word }) => `${state} ${word}`),
        of,
      ).toEqual(want)
      const headline = await run('overview/status', 'toHeadline', items)
      const isFine = want.every(one => /^(ok|off)/.test(one))
      expect(headline === 'Everything is fine', of).toBe(isFine)
    }
  })

  const details: readonly (readonly [object, string])[] = [
    [log('OK'), 'on 3 DataNodes, 0 bytes behind'],
    [log('WARN', 'away'), '0 bytes behind'],
    [log('OK', 'in-step', 'b: 3 events, c: 0 events'), 'on 3 DataNodes, 0 bytes behind, taking over 2 collectors'],
  ]
  test('of a log in HDFS it says how many have it while they do, and who is taken over', async () => {
    for (const [figures, want] of details) {
      const items = (await run('overview/status', 'toStatus', { ...fine, ...figures }, {})) as {
        id: string
        detail: string
      }[]
      expect(items.find(({ id }) => id === 'replica')?.detail).toBe(want)
    }
  })

  const formatted: readonly (readonly [string, unknown, string])[] = [
    ['asNumber', 0, '0'],
    ['asNumber', 1_234_567, '1,234,567'],
    ['asNumber', 12.345, '12.3'],
    ['asNumber', 0.126, '0.13'],
    ['asNumber', null, '–'],
    ['formatBytes', 999, '999 B'],
    ['formatBytes', 1_000, '1 kB'],
    ['formatBytes', 12_345_678, '12.3 MB'],
    ['toDuration', 59, '59\u00a0s'],
    ['toDuration', 61, '1\u00a0min\u00a01\u00a0s'],
    ['toDuration', 90_000, '1\u00a0d\u00a01\u00a0h'],
    ['toMoment', 1_767_323_045_000, '2026-01-02 03:04:05'],
    ['toMoment', 1e20, '–'],
  ]
  test('figures are formatted for people', async () => {
    for (const [name, value, want] of formatted)
      expect(await run('elements/format', name, value), `${name} ${String(value)}`).toBe(want)
  })

  const names: readonly (readonly [string, object])[] = [
    ['a.b:name=C', { domain: 'a.b', title: 'C', rest: '' }],
    ['a:Type=x,name=C', { domain: 'a', title: 'C', rest: 'Type=x' }],
    ['a:Type="x,name=\\"y\\"",name=C', { domain: 'a', title: 'C', rest: 'Type=x,name="y"' }],
    ['a:type=T', { domain: 'a', title: 'type=T', rest: 'type=T' }],
  ]
  test('toBeanName reads object names, quoted values too', async () => {
    for (const [mbean, want] of names) expect(await run('beans/bean-name', 'toBeanName', mbean), mbean).toEqual(want)
  })

  test('an axis of time spans a minute at least, and no years around one point', async () => {
    expect(await run('charts/chart', 'toSpan', [1_767_323_045])).toEqual([1_767_322_985, 1_767_323_045])
    expect(await run('charts/chart', 'toSpan', [1_000, 1_002, 5_000])).toEqual([1_000, 5_000])
  })

  test('bars at both ends of an axis are whole', async () => {
    expect(await run('charts/chart', 'toSpan', [1_800, 5_400, 9_000], 3_600)).toEqual([0, 10_800])
  })

  const typeLines = [
    { eventType: 'b', rate: 1, bytes: 5 },
    { eventType: 'a', rate: 1, bytes: 7 },
    { eventType: 'c', rate: 3, bytes: 6 },
  ]
  test.each([
    ['eventType', true, 'abc'],
    ['eventType', false, 'cba'],
    ['rate', false, 'cab'],
    ['rate', true, 'abc'],
    ['bytes', false, 'acb'],
  ])('sortTypes by %s, rising %s: %s', async (key, isRising, want) => {
    const sorted = (await run('types/type-table', 'sortTypes', typeLines, key, isRising)) as { eventType: string }[]
    expect(sorted.map(({ eventType }) => eventType).join('')).toBe(want)
  })

  test.each([
    ['s.metrics.collector:name=Spool', 'PendingBytes', 'spoolBytes'],
    ['s.metrics:name=Runtime', 'EventLoopDelayMax', 'loopDelay'],
    [
      's.metrics.collector.endpoint.resources:name=POST_Json_API,type=BodyResource',
      '99thPercentile',
      'p99:POST_Json_API',
    ],
    ['s.metrics.collector:name=Spool', 'WrittenEvents', undefined],
    ['s.metrics.collector:name=Spool', 'toString', undefined],
    ['s.metrics:name=constructor', 'name', undefined],
    ['s.metrics:type=x', 'PendingBytes', undefined],
  ])('the server remembers of %s %s as %s', async (mbean, name, want) => {
    expect(await run('beans/attribute-past', 'toPastKey', mbean, name)).toBe(want)
  })

  test.each([
    ['PendingBytes', 'bytes'],
    ['BytesOut', 'bytes'],
    ['OneMinuteRate', 'per second'],
    ['FsyncTotalMs', 'ms'],
    ['CpuUserMillis', 'ms'],
    ['999thPercentile', 'ms'],
    ['UpstreamMillisTP99', 'ms'],
    ['EventLoopDelayMean', 'ms'],
    ['OldestSeconds', 's'],
    ['QueuedEvents', ''],
    ['Pid', ''],
  ])('%s is measured in "%s"', async (name, want) => {
    expect(await run('beans/attribute-past', 'toMeasure', name)).toMatchObject({ unit: want })
  })

  test('toPairs keeps the text in brackets together', async () => {
    const message = 'running: true, local files: {a: 1, b: 2}, types: [x, y], empty: , flushing is disabled'
    expect(await run('overview/health', 'toPairs', message)).toEqual([
      ['running', 'true'],
      ['local files', '{a: 1, b: 2}'],
      ['types', '[x, y]'],
      ['empty', '–'],
      ['note', 'flushing is disabled'],
    ])
  })

  test('toSample gives no rate across a restart, nor for a count that fell', async () => {
    const queue = (WrittenEvents: number) => ({ WrittenEvents })
    const toSample = (now: object, before: object | null): Promise<unknown> =>
      page.evaluate(`import('/console/server/rates.js').then(({ toSample }) => {
        const toFigures = part => part && { ...${JSON.stringify(fine)}, apis: new Map(), ...part }
        return toSample(toFigures(${JSON.stringify(now)}), toFigures(${JSON.stringify(before)}) ?? undefined).accepted
      })`)
    const before = { at: 10_000, queue: queue(100) }
    expect(await toSample({ at: 12_000, queue: queue(150) }, before)).toBe(25)
    expect(await toSample({ at: 12_000, queue: queue(150) }, null)).toBeNull()
    expect(await toSample({ at: 12_000, queue: queue(50) }, before)).toBeNull()
    expect(await toSample({ at: 12_000, startedAt: 2, queue: queue(150) }, before)).toBeNull()
    expect(await toSample({ at: 10_000, queue: queue(150) }, before)).toBeNull()
  })
})
