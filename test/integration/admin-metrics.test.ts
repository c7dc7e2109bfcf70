import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import parsePrometheus from 'parse-prometheus-text-format'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bucketBoundsMs } from '../../src/figures/timings.ts'
import { postJson, startTestServer, type TestServer } from '../suites/admin.ts'

/** Figures that dashboards rely on. */
const names = [
  'collector_events_received_total',
  'collector_events_accepted_total',
  'collector_events_rejected_total',
  'collector_events_written_total',
  'collector_events_forwarded_total',
  'collector_spool_bytes',
  'collector_spool_files',
  'collector_spool_oldest_seconds',
  'collector_fsync_seconds',
  'collector_ack_seconds',
  'collector_hdfs_flushes_total',
  'collector_hdfs_errors_total',
  'collector_hdfs_retries_total',
  'collector_quarantined_files',
  'collector_lost_segments',
  'collector_lost_events',
  'collector_taken_files',
  'collector_taken_events',
  'gateway_requests_total',
  'gateway_bytes_total',
  'gateway_reads',
  'gateway_reads_refused_total',
  'gateway_readers',
  'gateway_readers_ended_total',
  'gateway_upstream_seconds',
  'collector_ack_duration_seconds',
  'collector_fsync_duration_seconds',
  'gateway_upstream_duration_seconds',
  'process_open_fds',
  'process_max_fds',
  'collector_disk_free_bytes',
  'collector_disk_min_free_bytes',
  'collector_realtime_queued_events',
  'collector_realtime_lost_events_total',
  'sluice_health',
  'collector_replica_state',
  'collector_local_events_total',
  'collector_takeovers',
  'collector_taken_over_total',
]

const scrape = async (server: TestServer): Promise<string> => {
  const response = await server.admin('/metrics')
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  return response.text()
}

/** One value of a scrape, as a Prometheus parser reads it. */
const figure = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined => {
  const family = parsePrometheus(text).find(one => one.name === name)
  const found = family?.metrics.find(one =>
    Object.entries(labels).every(([label, value]) => one.labels?.[label] === value),
  )
  return found && Number(found.value ?? found.count)
}

describe('U2: /metrics', () => {
  test('has every figure once, in a form that a parser of Prometheus reads', async () => {
    const text = await scrape(await startTestServer())
    const families = parsePrometheus(text).map(({ name }) => name)
    expect(new Set(families).size).toBe(families.length)
    for (const name of names) expect(text).toContain(`# TYPE ${name} `)
  })

  test('figures move with what happens', async () => {
    // What is stored of refused events is written, synced and flushed as well.
    const server = await startTestServer({ set: ['collector.refused.max-bytes-per-hour=0'] })
    await postJson(server, '[{"eventName":"A","payload":{}},{"eventName":"B","payload":{}},7]')
    await server.server('/1?v=A')
    await server.server('/1')
    await server.server('/rest/1.0/json?path=/')
    const before = await scrape(server)
    const json = { api: 'POST_Json_API' }
    expect(figure(before, 'collector_events_accepted_total', { ...json, type: 'A' })).toBe(1)
    expect(figure(before, 'collector_events_received_total', { ...json, type: 'B' })).toBe(1)
    expect(figure(before, 'collector_events_received_total', { ...json, type: '(unknown)' })).toBe(1)
    expect(figure(before, 'collector_events_rejected_total', { ...json, reason: 'malformed' })).toBe(1)
    expect(figure(before, 'collector_events_rejected_total', { api: 'GET_API', reason: 'malformed' })).toBe(1)
    expect(figure(before, 'collector_events_written_total')).toBe(3)
    // The parser mixes up summaries with labels; promtool, below, reads them.
    expect(before).toContain('collector_ack_seconds_count{api="POST_Json_API"} 1\n')
    expect(figure(before, 'collector_fsync_seconds')).toBe(2)
    expect(figure(before, 'gateway_requests_total', { op: 'readJson', code: '200', cluster: '/' })).toBe(1)
    await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
    const after = await scrape(server)
    expect(figure(after, 'collector_hdfs_flushes_total')).toBeGreaterThan(0)
    expect(figure(after, 'collector_hdfs_events_total')).toBe(3)
  })

  test('durations are histograms too: what is in a bucket is in all larger ones', async () => {
    const server = await startTestServer()
    for (let i = 0; i < 3; i++) await postJson(server, '{"eventName":"A","payload":{}}')
    await server.server('/rest/1.0/json?path=/')
    // Measurements of reader processes arrive a little later.
    const isTold = (text: string): boolean => !/^gateway_upstream_duration_seconds_count 0$/m.test(text)
    await expect.poll(async () => isTold(await scrape(server))).toBe(true)
    const text = await scrape(server)
    const families = [
      ['collector_ack_duration_seconds', 'api="POST_Json_API",', '{api="POST_Json_API"}', 3],
      ['collector_fsync_duration_seconds', '', '', 3],
      ['gateway_upstream_duration_seconds', '', '', 1],
    ] as const
    for (const [name, label, labels, least] of families) {
      const pattern = new RegExp(`^${name}_bucket\\{${label}le="([^"]+)"\\} (\\d+)$`, 'gm')
      const buckets = [...text.matchAll(pattern)].map(([, bound, count]) => [
        Number(bound?.replace('+Inf', 'Infinity')),
        Number(count),
      ])
      expect(buckets.map(([bound]) => bound)).toEqual([
        ...bucketBoundsMs.map(ms => ms / 1_000),
        Number.POSITIVE_INFINITY,
      ])
      const counts = buckets.map(([, count]) => count)
      expect(counts).toEqual(counts.toSorted((a = 0, b = 0) => a - b))
      expect(counts.at(-1)).toBeGreaterThanOrEqual(least)
      expect(counts.at(-2)).toBe(counts.at(-1))
      expect(text).toContain(`\n${name}_count${labels} ${counts.at(-1)}\n`)
    }
  })

  test.skipIf(!existsSync('/proc/self/fd'))('open files are counted, sockets among them', async () => {
    const server = await startTestServer()
    const before = figure(await scrape(server), 'process_open_fds') ?? 0
    const sockets = Array.from({ length: 50 }, () => createServer().listen(0, '127.0.0.1'))
    onTestFinished(() => void sockets.map(socket => socket.close()))
    await Promise.all(sockets.map(socket => once(socket, 'listening')))
    expect(figure(await scrape(server), 'process_open_fds')).toBeGreaterThanOrEqual(before + 45)
  })

  test('names of events cannot break the text, and are bounded in number', async () => {
    const server = await startTestServer()
    const events = Array.from({ length: 1_100 }, (_, i) => `{"eventName":"t${i}","payload":{}}`)
    await postJson(server, '{"eventName":"a\\"b,c} 1 #é","payload":{}}')
    await postJson(server, `[${events.join(',')}]`)
    const text = await scrape(server)
    expect(figure(text, 'collector_events_accepted_total', { type: '(other)' })).toBe(101)
    expect(text).toContain('type="a\\"b,c} 1 #é"')
  })

  test.skipIf(spawnSync('promtool', ['--version']).error !== undefined)('passes promtool', async () => {
    const server = await startTestServer()
    await postJson(server, '{"eventName":"A","payload":{}}')
    await server.server('/rest/1.0/json?path=/')
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await scrape(server) })
    expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
  })
})
