/**
 * P11: seals a segment of 128 MB into Parquet files, in a process of its own:
 *
 *     node test/bench/seal.ts '{"kind":"sluice","directory":"/tmp/x"}'
 *
 * prints a {@link SealBenchResult} as one line of JSON. `bare` parses the same events by `JSON.parse` and gives them to
 * `hyparquet-writer`, whose columns are named here; nothing else is done with them.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { directories } from '../../src/spool/files/spool-paths.ts'
import { createLog } from '../../src/spool/log/log.ts'
import { createSealer } from '../../src/spool/seal/sealer.ts'
import { createEvent, eventBytes, nameOf } from './events.ts'
import { measureGrowth } from './proc.ts'

export type SealBenchOptions = { readonly kind: 'sluice' | 'bare'; readonly directory: string }

export type SealBenchResult = {
  readonly rowsPerSecond: number
  /** CPU time of the process for a row, in µs: of the second segment, once the code is compiled. */
  readonly cpuUs: number
  /** By what resident memory grew at most in the first and second segment. */
  readonly megabytes: number
  readonly milliseconds: number
}

const rows = 380_000
const rowsPerGroup = 16_384
const collectorId = 'c'.repeat(32)

const events = (): string[] => Array.from({ length: rows }, (_, i) => createEvent(i, eventBytes))

const openSluice = async (directory: string): Promise<{ seal: () => Promise<void>; close: () => Promise<void> }> => {
  for (const name of directories) await mkdir(join(directory, name))
  const disk = createNodeDisk({ directory })
  const log = createLog({
    disk,
    collectorId,
    firstSegment: 1,
    ack: 'memory',
    settings: () => ({ maxSegmentBytes: 2 ** 30, maxUncommittedEvents: rows + 1, flushIntervalMs: 2 ** 40 }),
    now: Date.now,
    onClosed: async () => {},
  })
  const encoder = new TextEncoder()
  for (const [i, text] of events().entries()) {
    const head = { index: 0, name: nameOf(i), date: 1_767_323_045_000, granularity: 'HOURLY' } as const
    const kept = log.append({ api: 'POST_Json_API', format: 'json', events: [head], body: encoder.encode(text) })
    if (i % 1_000 === 0) await kept
  }
  await log.roll()
  const sealer = createSealer({ directory })
  return {
    seal: async () => {
      const { files } = await sealer.seal({
        segment: 1,
        end: undefined,
        events: undefined,
        collectorId,
        outputDirectory: '/events',
        format: 'parquet',
        codec: 'none',
        layout: 'hive',
        envelope: true,
        withKeys: false,
      })
      const sealed = files.reduce((sum, file) => sum + file.events, 0)
      if (sealed !== rows) throw new Error(`${sealed} of ${rows} events were sealed`)
    },
    close: async () => {
      await sealer.close()
      await disk.close()
    },
  }
}

const optional = { repetition_type: 'OPTIONAL' } as const
const text = { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const columns = {
  eventDate: { ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  host: text,
  path: text,
  referrer: text,
  visitor: text,
  memberId: { ...optional, type: 'INT64' },
  isMember: { ...optional, type: 'BOOLEAN' },
  loadMs: { ...optional, type: 'DOUBLE' },
  note: text,
} as const
const list = [
  { ...optional, name: 'tags', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { ...text, name: 'element' },
] as const

type Payload = { readonly [name: string]: unknown }

const openBare = (): { seal: () => Promise<void>; close: () => Promise<void> } => {
  const texts = events()
  return {
    seal: async () => {
      const writer = new ByteWriter()
      const names = Object.keys(columns)
      const file = new ParquetWriter({
        writer,
        schema: [
          { name: 'event', num_children: names.length + 1 },
          ...Object.entries(columns).map(([name, element]) => ({ ...element, name })),
          ...list,
        ],
        codec: 'ZSTD',
        compressors: { ZSTD: bytes => zstdCompressSync(bytes) },
      })
      for (let at = 0; at < rows; at += rowsPerGroup) {
        const payloads = texts
          .slice(at, at + rowsPerGroup)
          .map(event => (JSON.parse(event) as { payload: Payload }).payload)
        const column = (name: string) => ({
          name,
          data: payloads.map(payload =>
            name === 'eventDate' || name === 'memberId' ? BigInt(Number(payload[name])) : payload[name],
          ),
        })
        await file.write({ columnData: [...names, 'tags'].map(column), rowGroupSize: rowsPerGroup })
      }
      await file.finish()
    },
    close: async () => {},
  }
}

const run = async ({ kind, directory }: SealBenchOptions): Promise<SealBenchResult> => {
  const data = await mkdtemp(join(directory, 'seal-'))
  const { seal, close } = kind === 'sluice' ? await openSluice(data) : openBare()
  try {
    let cpuUs = 0
    let milliseconds = 0
    const { growthMb } = await measureGrowth(process.pid, async () => {
      for (let round = 0; round < 2; round++) {
        const cpu = process.cpuUsage()
        const startedAt = performance.now()
        await seal()
        milliseconds = performance.now() - startedAt
        const { user, system } = process.cpuUsage(cpu)
        cpuUs = (user + system) / rows
      }
    })
    return { rowsPerSecond: (rows * 1_000) / milliseconds, cpuUs, megabytes: growthMb, milliseconds }
  } finally {
    await close()
    await rm(data, { recursive: true, force: true })
  }
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '') as SealBenchOptions)))
