/**
 * Throughput of the spool alone, without HTTP, in a process of its own:
 *
 *     node test/bench/spool.ts '{"directory":"/tmp/x","kind":"spool","warmUpMs":500,"durationMs":5000}'
 *
 * Batches of 100 events of 2 KB, 16 of them on their way at any time, each acknowledged after its `fdatasync`. `bare`
 * appends the same bytes to one file with one write and one `fdatasync` per group. Prints a {@link SpoolResult} as
 * one line of JSON.
 */
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import type { Logger } from '../../src/log/log.ts'
import type { Batch } from '../../src/spool/batch.ts'
import { openSpool } from '../../src/spool/open-spool.ts'
import type { SpoolSettings } from '../../src/spool/spool-settings.ts'
import { createBatch, eventsPerBatch, largeEventBytes, nameOf } from './events.ts'
import { createHistogram } from './histogram.ts'

export type SpoolBenchOptions = {
  readonly directory: string
  readonly kind: 'spool' | 'bare'
  readonly warmUpMs: number
  readonly durationMs: number
}

/** Latencies in ms, of one batch. */
export type SpoolResult = {
  readonly megabytesPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time of this process per event, in µs. */
  readonly cpuUs: number
}

type Sink = { append(batch: Batch): Promise<void>; close(): Promise<void> }

const inFlight = 16
const variety = 8

/** As the settings table has them, with an output that is not written: the file system is not what is measured. */
const settings: SpoolSettings = {
  outputDirectory: '/events',
  outputFormat: 'native',
  outputCodec: 'none',
  outputLayout: 'dated',
  outputEnvelope: true,
  snapshotMs: 60_000,
  keepSnapshotsMs: 18_000_000,
  ack: 'fsync',
  replicated: { sync: 'hsync', replication: 3, min: 2, gatherMs: 20, takeoverMs: 20_000, whenUnavailable: 'refuse' },
  flushEnabled: false,
  flushIntervalMs: 30_000,
  maxSegmentBytes: 128 * 2 ** 20,
  maxUncommittedMs: 60_000,
  maxUncommittedEvents: 1_000_000,
  minFreeBytes: 0,
  maxKeys: 2_000_000,
  maxEventIds: 2_000_000,
  eventIdColumn: false,
  keepCommittedMs: 900_000,
}

const log: Logger = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => console.error(message, fields),
  error: (fields, message) => console.error(message, fields),
}

const run = async ({ directory, kind, warmUpMs, durationMs }: SpoolBenchOptions): Promise<SpoolResult> => {
  const batches = Array.from({ length: variety }, (_, i) => toBatch(i))
  const sink = kind === 'bare' ? await createBareLog(directory) : await createRealSpool(directory)
  const latencies = createHistogram()
  const countsFrom = performance.now() + warmUpMs
  const endsAt = countsFrom + durationMs
  let next = 0
  let bytes = 0
  let cpu: NodeJS.CpuUsage | undefined
  const feed = async (): Promise<void> => {
    for (;;) {
      const batch = batches[next++ % batches.length]
      if (batch === undefined) return
      const sentAt = performance.now()
      await sink.append(batch)
      const now = performance.now()
      if (now >= endsAt) return
      if (now < countsFrom) continue
      cpu ??= process.cpuUsage()
      latencies.record(now - sentAt)
      bytes += batch.body.length
    }
  }
  await Promise.all(Array.from({ length: inFlight }, feed))
  const { user, system } = process.cpuUsage(cpu)
  return {
    megabytesPerSecond: bytes / durationMs / 1_000,
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    maxMs: latencies.max,
    cpuUs: (user + system) / Math.max(1, latencies.count * eventsPerBatch),
  }
}

const toBatch = (i: number): Batch => {
  const date = Date.now()
  const events = Array.from({ length: eventsPerBatch }, (_, index) => ({
    index,
    name: nameOf(i * eventsPerBatch + index),
    date: date + index,
    granularity: 'HOURLY' as const,
  }))
  return { api: 'POST_Json_API', format: 'json', events, body: Buffer.from(createBatch(i, largeEventBytes)) }
}

const createRealSpool = async (directory: string): Promise<Sink> => {
  const root = join(directory, 'fs')
  await mkdir(root, { recursive: true })
  const fileSystem = await createLocalFileSystem({ root })
  return openSpool(join(directory, 'spool'), { fileSystem, settings: () => settings, log })
}

const createBareLog = async (directory: string): Promise<Sink> => {
  const file = await open(join(directory, 'bare.tmp'), 'a')
  let pending: Uint8Array[] = []
  let committing: Promise<void> | undefined
  let next: Promise<void> | undefined
  const commit = async (): Promise<void> => {
    await committing
    committing = next
    next = undefined
    const group = Buffer.concat(pending)
    pending = []
    await file.write(group)
    await file.datasync()
  }
  return {
    append: batch => {
      pending.push(batch.body)
      next ??= commit()
      return next
    },
    close: () => file.close(),
  }
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)
// The rest need not be sealed: the directory is removed.
process.exit(0)
