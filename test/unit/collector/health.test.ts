import { describe, expect, test } from 'vitest'
import type { HealthReport } from '../../../src/collector/health.ts'
import { SluiceError } from '../../../src/errors.ts'
import type { SpoolStats } from '../../../src/spool/spool.ts'
import { createCall, createTestCollector, get, now } from './fakes.ts'

const noStage = { files: 0, events: 0, bytes: 0, oldestSeconds: 0 }
const stages = { log: noStage, sealing: noStage, commit: noStage, quarantine: noStage, taken: noStage }

const report = async (patch: Partial<SpoolStats>, problem = ''): Promise<{ status: number; body: HealthReport }> => {
  const { collector, spool } = createTestCollector(
    {},
    { fileSystem: () => ({ configuration: 'fs.default.name: file:/data', problem }) },
  )
  spool.patch = patch
  const call = createCall('/1.0/healthcheck', { headers: { host: '127.0.0.1:8080' } })
  const response = await collector.handlers.getHealth(call.withOperation('getHealth', {}))
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describe('U1: health report', () => {
  test('has the old shape and wording', async () => {
    const localFiles = new Map([
      ['/events/Hello/2011/07/26/11|thrift', 0],
      ['/events/A/2011/07/26/11|smile', 7],
    ])
    const { status, body } = await report({
      localFiles,
      writtenEvents: 9,
      queuedEvents: 1,
      pendingFiles: 2,
      flushes: 3,
    })
    expect([status, body]).toEqual([
      200,
      {
        location: 'http://127.0.0.1:8080/1.0/healthcheck',
        size: 3,
        formatVersion: '1',
        generated: new Date(now).toISOString(),
        items: [
          {
            type: 'WriterHealthCheck',
            code: 'OK',
            message:
              'running: true, local files: {/events/Hello/2011/07/26/11|thrift: 0, /events/A/2011/07/26/11|smile: 7}, enqueued: 10, written: 9, dropped: 0, errored: 0, ignored: 0, pendingFiles: 2, flushes: 3',
          },
          {
            type: 'RealtimeHealthCheck',
            code: 'OK',
            message:
              'enabled: false, running: false, types: [], queue sizes: {}, enqueued: 0, sent: 0, dropped: 0, errored: 0, ignored: 0',
          },
          { type: 'HadoopHealthCheck', code: 'OK', message: 'fs.default.name: file:/data' },
        ],
      },
    ])
  })
  test('speaks of the file of tokens while something is wrong with it', async () => {
    const { collector } = createTestCollector({}, { tokenProblem: () => 'the file is gone' })
    const call = createCall('/1.0/healthcheck', { headers: { host: 'localhost' } })
    const response = await collector.handlers.getHealth(call.withOperation('getHealth', {}))
    expect([response.status, JSON.parse(await response.text())]).toEqual([
      200,
      expect.objectContaining({
        size: 4,
        items: expect.arrayContaining([{ type: 'TokenFileHealthCheck', code: 'WARN', message: 'the file is gone' }]),
      }),
    ])
  })
  test.each<[Partial<SpoolStats>, problem: string, status: number, codes: string[]]>([
    [{ accepting: false, refusal: 'disk full' }, '', 503, ['ERROR', 'OK', 'OK']],
    [{ flushEnabled: false }, '', 200, ['WARN', 'OK', 'OK']],
    [{ quarantinedFiles: 1 }, '', 200, ['WARN', 'OK', 'OK']],
    [{ takenFiles: 1 }, '', 200, ['WARN', 'OK', 'OK']],
    [{ lostSegments: ['0000000001.log'] }, '', 503, ['ERROR', 'OK', 'OK']],
    [{ lastFlushError: 'no NameNode' }, '', 200, ['OK', 'OK', 'WARN']],
    [{}, 'away', 200, ['OK', 'OK', 'WARN']],
  ])('%j %s', async (patch, problem, status, codes) => {
    const { status: found, body } = await report(patch, problem)
    expect([found, body.items.map(({ code }) => code)]).toEqual([status, codes])
  })
  const late = { files: 1, events: 40, bytes: 400, oldestSeconds: 3_600 }
  const trouble = { work: 'sealing', reason: 'EIO: schemas', since: now - 180_000 } as const
  test.each<[Partial<SpoolStats>, message: RegExp]>([
    [
      { stages: { ...stages, log: late } },
      /^late: 40 events in the open segment, the oldest waits for 60 min, running/,
    ],
    [{ stages: { ...stages, sealing: late } }, /^late: 40 events in the segments to be sealed/],
    [{ stages: { ...stages, commit: late } }, /^late: 40 events in the sealed files/],
    [{ idempotencyProblem: 'keys/1 is gone' }, /^idempotency keys or event ids are missing: keys.1 is gone, running/],
    [{ troubles: [trouble] }, /^sealing fails since 3 min: EIO: schemas, running/],
  ])('%j is a WARN, never a 503, and the cause comes first', async (patch, message) => {
    const { status, body } = await report(patch)
    expect([status, body.items.map(({ code }) => code)]).toEqual([200, ['WARN', 'OK', 'OK']])
    expect(body.items[0]?.message).toMatch(message)
  })
  test('events that are not late yet give no WARN', async () => {
    const { body } = await report({ stages: { ...stages, sealing: { ...late, oldestSeconds: 629 } } })
    expect(body.items[0]?.code).toBe('OK')
  })
  test('says the cause first', async () => {
    const { body } = await report({ lastFlushError: 'no NameNode' }, 'away')
    expect(body.items[2]?.message).toBe(
      'away, last flush: no NameNode, fs.default.name: file:/data, segments are sealed when they are full',
    )
  })
  test('counts what was refused', async () => {
    const { collector, spool } = createTestCollector()
    for (const code of ['overloaded', 'draining', 'draining', 'unavailable'] as const) {
      spool.failure = new SluiceError(code, 'no')
      await get(collector, '/1?v=A')
    }
    expect(collector.health('http://x').items[0]?.message).toContain('dropped: 1, errored: 1, ignored: 2')
  })
  test('pretty is indented; a made-up host is not repeated', async () => {
    const { collector } = createTestCollector()
    const call = createCall('/1.0/healthcheck', { headers: { host: 'a"b<c' } })
    const response = await collector.handlers.getHealth(call.withOperation('getHealth', { pretty: true }))
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8')
    const text = await response.text()
    expect(text.split('\n')[1]).toBe('  "location": "http://localhost/1.0/healthcheck",')
  })
})

describe('U1: probes', () => {
  test('ready until the drain begins or the spool refuses; alive all the time', () => {
    const { collector, spool } = createTestCollector()
    for (const probe of [collector.handlers.getReadyz, collector.handlers.getLivez])
      expect(probe().headers.get('x-content-type-options')).toBe('nosniff')
    const { getReadyz, getLivez } = collector.handlers
    expect([getReadyz().status, getLivez().status]).toEqual([200, 200])
    spool.patch = { accepting: false, refusal: 'disk full' }
    expect(getReadyz().status).toBe(503)
    spool.patch = {}
    collector.startDraining()
    expect([getReadyz().status, getLivez().status]).toEqual([503, 200])
  })
  test('not ready while no thread takes connections; in a drain they end as they should', async () => {
    const threads = { configured: 2, living: 1, ended: 1, lastEnd: 'a bug', isReplacing: true }
    let living = 1
    const { collector } = createTestCollector({}, { threads: () => ({ ...threads, living }) })
    const { getReadyz } = collector.handlers
    expect(getReadyz().status).toBe(200)
    living = 0
    expect(getReadyz().status).toBe(503)
    expect(await getReadyz().text()).toBe('no thread takes connections: a bug\n')
    expect(collector.health('').items.map(({ code }) => code)).toContain('ERROR')
    collector.startDraining()
    expect(await getReadyz().text()).toBe('draining\n')
    expect(new Set(collector.health('').items.map(({ code }) => code))).toEqual(new Set(['OK']))
  })
  test('requests are still taken while draining, for as long as the spool takes them', async () => {
    const { collector } = createTestCollector()
    collector.startDraining()
    expect((await get(collector, '/1?v=A')).status).toBe(202)
  })
})
