import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mainScript } from '../suites/start-command.ts'
import type { RequestKind, Shape } from './events.ts'
import { runLoad, toWarmUpMs } from './load-run.ts'
import type { Started } from './others/other.ts'
import { type OtherName, others } from './others/others.ts'
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
  /** The same of the daemons of HDFS behind it, where they are asked. */
  readonly clusterCpuUs?: number
  /** The same of each process that has a part in it, by its name, where that is measured. */
  readonly processesUs?: ProcessesCpu
  /** Until the first byte of an answer, in ms, where that is measured. */
  readonly firstByteMs?: number
  /** MB that memory grew by, or that were read for one answer, where that is measured. */
  readonly megabytes?: number
  /** MB that memory grew by in the last of several rounds more than in the first of them, where that is measured. */
  readonly driftMb?: number
  /** Of {@link Sample.cpuUs} what the main thread and those that seal have, where that is measured. */
  readonly mainUs?: number
  readonly sealingUs?: number
  /** The same of another run, where edge threads take connections, and what those have, where that is measured. */
  readonly withEdges?: WithEdges
  /** Events that waited at both ends of a run, where that is measured. */
  readonly backlogFrom?: number
  readonly backlogTo?: number
  /** Share (0 to 1) of requests that were refused with a 503; they are in no other value. @default 0 */
  readonly refusedShare?: number
}

/** CPU time of some processes, by their names. */
export type ProcessesCpu = Readonly<Record<string, number>>

/** CPU time of an event in µs, where edge threads take it: of all threads, and of some. */
export type WithEdges = {
  readonly cpuUs: number
  readonly mainUs: number
  readonly edgesUs: number
  readonly sealingUs: number
}

/** What is run: a server under load, or the spool alone. */
export type Side =
  | (Load & { readonly server: 'baseline' | 'bare-net' | 'sluice'; readonly ack: 'fsync' | 'written' })
  | (Load & { readonly other: OtherName })
  | { readonly spool: SpoolBenchOptions['kind'] }

type Load = {
  readonly kind: RequestKind
  readonly shape?: Shape
  readonly connections: number
  /** How long it runs before it counts. @default in proportion to how long it does */
  readonly warmUpMs?: number
}

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
    const server = await ('other' in side ? others[side.other].start(cwd) : startServer(side, cwd, options))
    try {
      const { kind, connections, shape, warmUpMs: warmUp } = side
      const more = { ...(shape ? { shape } : {}), ...(warmUp === undefined ? {} : { warmUpMs: warmUp }) }
      return await runLoad(cwd, server, { kind, connections, durationMs: options.durationMs, ...more })
    } finally {
      await server.stop()
    }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

const startServer = async (
  { server, ack, kind }: Extract<Side, { readonly server: unknown }>,
  cwd: string,
  { profileDirectory, settings: more }: MeasureOptions,
): Promise<Started> => {
  if (server !== 'sluice') {
    const script = join(here, 'baseline.ts')
    const running = await start({ script, args: [join(cwd, 'baseline.tmp'), ack], core: 'server', cwd }, isReady)
    return toServer(running, server === 'bare-net' ? 'net' : toListener(kind))
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
  const args = settings.flatMap(setting => ['--set', setting])
  const nodeArgs = toProfileArgs(profileDirectory)
  const running = await start({ script: mainScript, args, nodeArgs, core: 'server', cwd }, isReady)
  // Only an orderly end writes a profile; the content of the spool is not needed.
  return toServer(running, toListener(kind), profileDirectory === undefined ? 'SIGKILL' : 'SIGTERM')
}

const isReady = (line: string): boolean => line.startsWith('{') && line.includes(' is ready"')

/** Of the listeners that a server says it has. */
type Listener = 'net' | 'scribe' | 'server'

const toListener = (kind: RequestKind): Listener => (kind === 'scribe' ? 'scribe' : 'server')

const toServer = (running: Running, listener: Listener, stopBy: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Started => ({
  pid: running.pid,
  url: urlOf(running, listener),
  stop: () => running.stop(stopBy),
})

const urlOf = ({ line }: Running, listener: Listener): string => {
  const { [listener]: address } = JSON.parse(line) as { readonly [listener in Listener]?: unknown }
  if (typeof address !== 'string') throw new Error(`The server printed no address: ${line}`)
  return address
}
