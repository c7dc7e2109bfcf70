import { afterEach, expect, test, vi } from 'vitest'
import {
  createEvent,
  createRequests,
  eventBytes,
  eventsOf,
  eventsPerBatch,
  type RequestKind,
} from '../../bench/events.ts'
import { sectionOf } from '../../bench/figure.ts'
import { figures } from '../../bench/figures.ts'
import { createFlumeBody } from '../../bench/flume-posts.ts'
import { startHttpFs } from '../../bench/others/httpfs.ts'
import { describeOthers, type OtherName, others } from '../../bench/others/others.ts'
import { Skipped } from '../../bench/trial.ts'

afterEach(() => vi.unstubAllEnvs())

test.each<OtherName>(['nginx', 'nginx-buffered', 'flume'])(
  '%s: skipped with the reason where it is not there',
  async name => {
    vi.stubEnv('PATH', '')
    vi.stubEnv('JAVA_HOME', '')
    await expect(others[name].start('/nowhere')).rejects.toThrow(Skipped)
    await expect(others[name].start('/nowhere')).rejects.toThrow(/^no (nginx|Flume)\b.*PATH$/)
    await expect(describeOthers([name])).resolves.toEqual([])
  },
)

test('startHttpFs: skipped with the reason where it is not there', async () => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('JAVA_HOME', '')
  const start = startHttpFs('/nowhere', { namenodeUrl: 'hdfs://127.0.0.1:1', user: 'nobody' })
  await expect(start).rejects.toThrow(Skipped)
  await expect(start).rejects.toThrow(/^no HttpFS\b.*PATH$/)
})

test('describeOthers: what takes part beside a side is left out, too, where it is not there', async () => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('JAVA_HOME', '')
  await expect(describeOthers(['httpfs', 'hdfs', 'kafka', 'curl'])).resolves.toEqual([])
})

test('figures: those beside others have a section of their own, and no others are in it', () => {
  const inOthers = figures.filter(figure => sectionOf(figure) === 'others')
  expect([...new Set(inOthers.map(({ id }) => id))]).toEqual(['O1', 'O2', 'O3'])
  expect(inOthers).toEqual(
    expect.arrayContaining(figures.filter(figure => 'baseline' in figure && 'other' in figure.baseline)),
  )
})

test('figures beside others: the share of its core that a server used is beside its rate', () => {
  const [figure] = figures.filter(({ id }) => id === 'O1')
  const sample = { rate: 40_000, p50Ms: 1, p99Ms: 1, maxMs: 1, cpuUs: 24 }
  expect(figure?.note?.(sample)).toBe('96 % of a core')
})

test('createFlumeBody: an array of events, each whole as a body, its type as a header', () => {
  const events = [createEvent(0, eventBytes), createEvent(1, eventBytes)]
  expect(JSON.parse(createFlumeBody(events[0] ?? '').toString())).toEqual([
    { headers: { type: 'PageView' }, body: events[0] },
  ])
  expect(JSON.parse(createFlumeBody(`[${events.join()}]`).toString())).toEqual([
    { headers: { type: 'PageView' }, body: events[0] },
    { headers: { type: 'Click_it' }, body: events[1] },
  ])
})

test.each<[RequestKind, number]>([
  ['flume', 1],
  ['flume-batch', eventsPerBatch],
])('createRequests: %s is a POST to / with %d events', (kind, count) => {
  expect(eventsOf(kind)).toBe(count)
  for (const request of createRequests(kind, 'host:1')) {
    const [head = '', body = ''] = request.toString().split('\r\n\r\n')
    expect(head).toMatch(/^POST \/ HTTP\/1\.1\r\n/)
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`)
    expect(JSON.parse(body)).toHaveLength(count)
  }
})
