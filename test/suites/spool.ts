import type { Disk } from '../../src/disk/disk.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { stringifyJson } from '../../src/formats/json.ts'
import type { Value } from '../../src/formats/number.ts'
import { encodeRecord } from '../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import type { Logger } from '../../src/log/log.ts'
import type { Batch, EventHead } from '../../src/spool/batch.ts'
import { createSpool } from '../../src/spool/create-spool.ts'
import { createSealing } from '../../src/spool/seal/sealing.ts'
import type { Spool } from '../../src/spool/spool.ts'
import type { SpoolOptions } from '../../src/spool/spool-options.ts'
import type { SpoolSettings } from '../../src/spool/spool-settings.ts'
import { listAll } from './list-all.ts'

export const testSettings: SpoolSettings = {
  outputDirectory: '/events',
  outputFormat: 'jsonl',
  outputCodec: 'none',
  outputLayout: 'dated',
  outputEnvelope: true,
  snapshotMs: 60_000,
  keepSnapshotsMs: 18_000_000,
  ack: 'fsync',
  replicated: { sync: 'hsync', replication: 3, min: 2, gatherMs: 20, takeoverMs: 20_000, whenUnavailable: 'refuse' },
  flushEnabled: true,
  flushIntervalMs: 30_000,
  maxSegmentBytes: 1 << 20,
  maxUncommittedMs: 60_000,
  maxUncommittedEvents: 1_000_000,
  minFreeBytes: 0,
  keepCommittedMs: 900_000,
  maxKeys: 100_000,
  maxEventIds: 100_000,
  eventIdColumn: false,
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A spool whose time only moves when the test says so. */
export type TestSpool = {
  readonly spool: Spool
  readonly clock: { ms: number }
  /** What time brings, done at once: the first heartbeat seals, the second one commits. */
  readonly beat: () => Promise<void>
}

export type TestSpoolOptions = Partial<Omit<SpoolOptions, 'settings'>> & {
  readonly disk: Disk
  readonly fileSystem: FileSystem
  readonly settings?: Partial<SpoolSettings>
  readonly clock?: { ms: number }
}

/** 2026-01-02T03:04:05Z */
export const startMs = 1_767_323_045_000

export const openTestSpool = async (options: TestSpoolOptions): Promise<TestSpool> => {
  const { settings, clock = { ms: startMs }, ...rest } = options
  let beat: () => Promise<void> = async () => {}
  const spool = await createSpool({
    log: silent,
    sealing: createSealing(options.disk),
    now: () => clock.ms,
    random: () => 0.5,
    heartbeat: body => {
      beat = body
      return () => {}
    },
    ...rest,
    settings: () => ({ ...testSettings, ...settings }),
  })
  return { spool, clock, beat: () => beatTwice(beat) }
}

/** What the first beat seals, the second one commits. */
export const beatTwice = async (beat: () => Promise<void>): Promise<void> => {
  await beat()
  await beat()
}

/** A batch of JSON events, one per payload, as the collector hands them over. */
export const jsonBatch = (
  payloads: readonly { readonly [key: string]: Value }[],
  { name = 'Hello', date = startMs, granularity = 'HOURLY' }: Partial<EventHead> = {},
): Batch => ({
  api: 'POST_Json_API',
  format: 'json',
  events: payloads.map((_, index) => ({ index, name, date, granularity })),
  body: new TextEncoder().encode(stringifyJson(payloads.map(payload => ({ eventName: name, payload })))),
})

/** A batch of one Thrift event with one string field. */
export const thriftBatch = (text: string, { name = 'Hello', date = startMs }: Partial<EventHead> = {}): Batch => ({
  api: 'GET_API',
  format: 'thrift',
  events: [{ index: 0, name, date, granularity: 'HOURLY' }],
  body: encodeRecord({
    date,
    granularity: 'HOURLY',
    typeName: name,
    payload: encodeFields([{ id: 1, type: thriftType.string, value: new TextEncoder().encode(text) }]),
  }),
})

/** All files below a directory with their contents, temporary ones and logs of collectors aside. */
export const readFiles = async (fileSystem: FileSystem, directory = '/events'): Promise<Map<string, Uint8Array>> => {
  const files = new Map<string, Uint8Array>()
  const walk = async (path: string): Promise<void> => {
    for (const entry of await listAll(fileSystem, path)) {
      if (/\/_(?:tmp|log)$/.test(entry.path)) continue
      if (entry.isDirectory) await walk(entry.path)
      else files.set(entry.path, new Uint8Array(await new Response(await fileSystem.open(entry.path)).arrayBuffer()))
    }
  }
  await walk(directory).catch((error: { code?: string }) => {
    if (error.code !== 'not-found') throw error
  })
  return files
}

/** The lines of all `.jsonl` files below the output directory. */
export const readEvents = async (
  fileSystem: FileSystem,
): Promise<{ eventName: string; payload: Record<string, unknown> }[]> => {
  const texts = [...(await readFiles(fileSystem)).values()].map(bytes => new TextDecoder().decode(bytes))
  return texts.flatMap(text => text.split('\n').slice(0, -1)).map(line => JSON.parse(line))
}
