/**
 * Seals a recorded log of JSON events: segment after segment by a sealing thread of this process, or all of it by a
 * server that finds it at its start.
 *
 *     node test/bench/seal.ts '{"how":"segments","format":"parquet","types":21,"segments":2}'
 *     node test/bench/seal.ts '{"how":"queue","format":"jsonl","segments":6,"settings":["collector.output.compression=gzip"]}'
 *
 * prints a {@link Sealed} as one line of JSON. `parquet` beside it parses the events of one segment by `JSON.parse` and
 * gives them to `hyparquet-writer`, `parse` does nothing more with them; each as often as there are segments.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodecName } from '../../src/codecs/codecs.ts'
import type { OutputFormat } from '../../src/spool/files/bucket-file.ts'
import { createSealer } from '../../src/spool/seal/sealer.ts'
import { measureGrowth } from './proc.ts'
import { writeBareParquet } from './sealing/bare-parquet.ts'
import { sealQueue } from './sealing/queue.ts'
import { createBodies, type RecordedLog, recordLog } from './sealing/recorded-log.ts'
import type { Sealed } from './sealing/sealed.ts'

/** What to measure; all that is not said is as in P11. */
export type SealBenchOptions = Partial<RecordedLog> & {
  readonly how: 'segments' | 'queue' | 'parquet' | 'parse'
  readonly directory?: string
  readonly format?: OutputFormat
  readonly codec?: CodecName
  /** Of the server, as `key=value`. */
  readonly settings?: readonly string[]
}

type Options = Required<SealBenchOptions>

const defaults = {
  directory: tmpdir(),
  format: 'parquet',
  codec: 'none',
  types: 21,
  segments: 2,
  eventsPerSegment: 380_000,
  eventsPerRequest: 1,
  settings: [],
} as const

/** Seals a segment, or does with its events what is compared with that. */
type Work = (segment: number) => Promise<void>

const toWork = async ({ how, format, codec, ...options }: Options): Promise<Work> => {
  if (how === 'segments') {
    await recordLog(options)
    const sealer = createSealer({ directory: options.directory })
    return async segment => {
      const { files } = await sealer.seal({
        segment,
        end: undefined,
        events: undefined,
        collectorId: 'c'.repeat(32),
        outputDirectory: '/events',
        format,
        codec,
        layout: 'hive',
        envelope: true,
        withKeys: false,
      })
      const sealed = files.reduce((sum, file) => sum + file.events, 0)
      if (sealed !== options.eventsPerSegment) throw new Error(`${sealed} events of segment ${segment} were sealed`)
    }
  }
  const texts = createBodies(options)
  if (how === 'parquet') return () => writeBareParquet(texts)
  return async () => {
    for (const text of texts) JSON.parse(text)
  }
}

/** All segments in turn; the first one makes the code warm and counts for memory alone. */
const workOff = async (options: Options): Promise<Sealed> => {
  const work = await toWork(options)
  let cpu = process.cpuUsage()
  let from = performance.now()
  const { growthMb } = await measureGrowth(process.pid, async () => {
    for (let segment = 1; segment <= options.segments; segment++) {
      await work(segment)
      if (segment > 1) continue
      cpu = process.cpuUsage()
      from = performance.now()
    }
  })
  const milliseconds = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  const rows = (options.segments - 1) * options.eventsPerSegment
  return {
    rowsPerSecond: (rows * 1_000) / milliseconds,
    cpuUs: (user + system) / rows,
    megabytes: growthMb,
    milliseconds,
  }
}

const run = async (wanted: SealBenchOptions): Promise<Sealed> => {
  const options = { ...defaults, ...wanted }
  const directory = await mkdtemp(join(options.directory, 'seal-'))
  try {
    if (options.how !== 'queue') return await workOff({ ...options, directory })
    const { format, codec, settings } = options
    return await sealQueue({ directory, durationMs: 0, profileDirectory: undefined, settings }, format, codec, options)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const options = JSON.parse(process.argv[2] ?? '') as SealBenchOptions
if (options.segments !== undefined && options.segments < 2) throw new RangeError('expected at least 2 segments')
console.log(JSON.stringify(await run(options)))
// The sealing thread has nothing to do any more, and waits.
process.exit()
