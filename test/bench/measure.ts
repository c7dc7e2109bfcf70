import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mainScript } from '../suites/start-command.ts'
import type { RequestKind, Shape } from './events.ts'
import { runLoad, toWarmUpMs } from './load-run.ts'
import { type Running, runToEnd, start, toProfileArgs } from './process.ts'
import type { SpoolBenchOptions, SpoolResult } from './spool.ts'

/** One run of one side; latencies in ms, of one request (of one batch for the spool alone). */
export type Sample = {
  /** Events/s, or MB/s where bytes are what counts. */
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time per event in µs: hardly depends on what else the machine does. */
  readonly cpuUs: number
  /** MB that memory grew by, or that were read for one answer, where that is measured. */
  readonly megabytes?: number
  /** MB that memory grew by in the last of several rounds more than in the first of them, where that is measured. */
  readonly driftMb?: number
  /** Share (0 to 1) of requests that were refused with a 503; they are in no other value. @default 0 */
  readonly refusedShare?: number
}

/** What is run: a server under load, or the spool alone. */
export type Side =
  | {
      readonly server: 'baseline' | 'sluice'
      readonly ack: 'fsync' | 'written'
      readonly kind: RequestKind
      readonly shape?: Shape
      readonly connections: number
    }
  | { readonly spool: SpoolBenchOptions['kind'] }

/** Where and for how long. */
export type MeasureOptions = {
  /** Files of a run go to a directory of their own below it, which is removed. */
  readonly directory: string
  readonly durationMs: number
  /** Where CPU profiles of Sluice's process go; undefined for none. */
  readonly profileDirectory: string | undefined
  /** Of Sluice, as `key=value`, beside those that a figure sets; the last one of a key counts. */
  readonly settings: readonly string[]
}

const here = import.meta.dirname

/** Runs one side once, in fresh processes on an empty directory. */
export const measure = async (side: Side, options: MeasureOptions): Promise<Sample> => {
  const cwd = await mkdtemp(join(options.directory, 'run-'))
  const warmUpMs = toWarmUpMs(options.durationMs)
  const times = { warmUpMs, durationMs: options.durationMs }
  const timeoutMs = warmUpMs + options.durationMs + 30_000
  try {
    if ('spool' in side) {
      const spoolOptions: SpoolBenchOptions = { directory: cwd, kind: side.spool, ...times }
      const script = {
        script: join(here, 'spool.ts'),
        args: [JSON.stringify(spoolOptions)],
        core: 'server',
        cwd,
      } as const
      const result = (await runToEnd(script, timeoutMs)) as SpoolResult
      return { ...result, rate: result.megabytesPerSecond }
    }
    const server = await startServer(side, cwd, options)
    try {
      const { kind, connections, shape } = side
      const load = { kind, connections, ...(shape ? { shape } : {}), durationMs: options.durationMs }
      return await runLoad(cwd, { url: urlOf(server, kind), pid: server.pid }, load)
    } finally {
      // A profile is written by an orderly end only; what the spool holds is nobody's.
      await server.stop(options.profileDirectory === undefined ? 'SIGKILL' : 'SIGTERM')
    }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

const startServer = (
  { server, ack }: { readonly server: 'baseline' | 'sluice'; readonly ack: string },
  cwd: string,
  { profileDirectory, settings: more }: MeasureOptions,
): Promise<Running> => {
  if (server === 'baseline') {
    const script = join(here, 'baseline.ts')
    return start({ script, args: [join(cwd, 'baseline.tmp'), ack], core: 'server', cwd }, isReady)
  }
  const settings = [
    `data.dir=${join(cwd, 'data')}`,
    'services=collector',
    'server.port=0',
    'admin.port=0',
    'collector.scribe.port=0',
    `collector.ack=${ack}`,
    'log.format=json',
    ...more,
  ]
  const nodeArgs = toProfileArgs(profileDirectory)
  return start(
    { script: mainScript, args: settings.flatMap(setting => ['--set', setting]), nodeArgs, core: 'server', cwd },
    isReady,
  )
}

const isReady = (line: string): boolean => line.startsWith('{') && line.includes(' is ready"')

const urlOf = ({ line }: Running, kind: RequestKind): string => {
  const { server, scribe } = JSON.parse(line) as { readonly server?: unknown; readonly scribe?: unknown }
  const address = kind === 'scribe' ? scribe : server
  if (typeof address !== 'string') throw new Error(`The server printed no address: ${line}`)
  return address
}
