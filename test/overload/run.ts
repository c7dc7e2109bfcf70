import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readCpuSeconds, readResidentMb } from '../bench/proc.ts'
import { isPinned, type Running, runToEnd, start } from '../bench/process.ts'
import { runTool } from '../suites/run-tool.ts'
import { mainScript } from '../suites/start-command.ts'
import type { GeneratorOptions, GeneratorResult } from './load.ts'
import { reckon } from './reckon.ts'
import { type Measured, type Overload, placeOf, type Side, toMarkdown } from './report.ts'

const here = import.meta.dirname
const warmUpMs = 2_000
const memoryEveryMs = 50
/** Clients that wait for each answer, beside the others, and connections that are closed and reopened per second. */
const honest = 32
const renewalsPerSecond = 100

const run = async (options: Options): Promise<Overload> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-overload-'))
  const [loadBefore = 0] = loadavg()
  try {
    const side = await measureSide(await startSluice(directory), directory, 'sluice', options)
    const bare = await measureSide(await startBare(directory), directory, 'bare', options)
    const { seconds, factor, connections, depth } = options
    const books = await reckon(
      join(directory, 'data/fs'),
      phases.map(phase => toFile(directory, 'sluice', phase)),
    )
    return { seconds, factor, connections, depth, isPinned, loadBefore, ...side, bare, books }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const phases = ['before', 'overload', 'after'] as const

/** Where a generator notes the numbers of accepted and refused events. */
const toFile = (directory: string, side: string, phase: (typeof phases)[number]): string =>
  join(directory, `${side}-${phase}`)

/** Measures a server, and stops it also when that fails: nothing may write while its directory is removed. */
const measureSide = async (server: Running, directory: string, side: string, options: Options): Promise<Side> => {
  try {
    return await measurePhases(server, directory, side, options)
  } finally {
    await server.stop('SIGTERM')
  }
}

/** Capacity, overload, and capacity again: between the first and the last is what one may expect meanwhile. */
const measurePhases = async (server: Running, directory: string, side: string, options: Options): Promise<Side> => {
  const usual = { port: portOf(server), warmUpMs, durationMs: options.seconds * 1_000 }
  const closedLoop = { ...usual, connections: 128, depth: 1, requestsPerSecond: 0, honest: 0, renewalsPerSecond: 0 }
  const capacity = await measure(server.pid, directory, {
    ...closedLoop,
    firstEvent: 0,
    file: toFile(directory, side, 'before'),
  })
  const overload = await measure(server.pid, directory, {
    ...usual,
    firstEvent: capacity.result.nextEvent,
    connections: options.connections,
    depth: options.depth,
    requestsPerSecond: capacity.result.accepted * options.factor,
    honest,
    renewalsPerSecond,
    file: toFile(directory, side, 'overload'),
  })
  const capacityAfter = await measure(server.pid, directory, {
    ...closedLoop,
    firstEvent: overload.result.nextEvent,
    file: toFile(directory, side, 'after'),
  })
  return { capacity, overload, capacityAfter }
}

const startSluice = (directory: string): Promise<Running> => {
  const settings = [
    `data.dir=${join(directory, 'data')}`,
    'services=collector',
    'server.port=0',
    'admin.port=0',
    'collector.scribe.enabled=false',
    'collector.output.format=jsonl',
    'log.format=json',
  ]
  const args = settings.flatMap(setting => ['--set', setting])
  const script = { script: mainScript, args, core: 'server', cwd: directory } as const
  return start(script, line => line.includes('"sluice is ready"'))
}

const startBare = (directory: string): Promise<Running> => {
  const args = [join(directory, 'bare.log')]
  const script = { script: join(here, '../bench/baseline.ts'), args, core: 'server', cwd: directory } as const
  return start(script, line => line.includes('"baseline is ready"'))
}

const portOf = ({ line }: Running): number => {
  const { server } = JSON.parse(line) as { readonly server?: unknown }
  if (typeof server !== 'string') throw new Error(`The server printed no address: ${line}`)
  return Number(new URL(server).port)
}

/** Runs a generator, and keeps the most resident memory that the server has meanwhile. */
const measure = async (pid: number, cwd: string, load: GeneratorOptions): Promise<Measured> => {
  let peakMb = 0
  const cpuBefore = readCpuSeconds(pid)
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, readResidentMb(pid))
  }, memoryEveryMs)
  try {
    const script = { script: join(here, 'generator.ts'), args: [JSON.stringify(load)], core: 'load', cwd } as const
    // A generator prints a GeneratorResult and nothing else.
    const result = (await runToEnd(script, load.durationMs + 60_000)) as GeneratorResult
    return { result, peakMb, cpuUs: ((readCpuSeconds(pid) - cpuBefore) * 1e6) / Math.max(1, result.acceptedInAll) }
  } finally {
    clearInterval(timer)
  }
}

type Options = {
  readonly seconds: number
  readonly factor: number
  readonly connections: number
  readonly depth: number
  readonly json: string | undefined
  readonly write: boolean
}

const readArguments = (): Options => {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      factor: { type: 'string', default: '10' },
      connections: { type: 'string', default: '2000' },
      depth: { type: 'string', default: '1' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  const toNumber = (name: 'seconds' | 'factor' | 'connections' | 'depth'): number => {
    const value = Number(values[name])
    if (!(value > 0 && value <= 10_000)) throw new RangeError(`--${name} is "${values[name]}"; expected 1 to 10000`)
    return value
  }
  return {
    seconds: toNumber('seconds'),
    factor: toNumber('factor'),
    connections: toNumber('connections'),
    depth: toNumber('depth'),
    json: values.json,
    write: values.write,
  }
}

/** Between two comments of the page, which somebody put where the rows of such a load belong. */
const writeRows = (place: string, rows: string): void => {
  const page = join(here, '../../RELIABILITY.md')
  const start = `<!-- ${place} -->`
  const end = `<!-- /${place} -->`
  const [before, rest] = readFileSync(page, 'utf8').split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) {
    throw new RangeError(`RELIABILITY.md has no place between ${start} and ${end}`)
  }
  writeFileSync(page, `${before}${start}\n\n${rows}\n\n${end}${after}`)
}

const usage = `How much of its capacity a server keeps when ten times as much is due, and how quickly it refuses. Beside it the bare
server of the benchmarks under the same load: what Node by itself keeps with so many connections.

    npm run overload -- [--seconds 10] [--factor 10] [--connections 2000] [--depth 1] [--json FILE] [--write]

With a depth of 1 a connection that waits for its answer sends nothing else, so that no more than --connections are
unanswered at a time; with --depth 10 ten times as many are, on the same connections.

Prints rows for RELIABILITY.md; with --write they go there, in place of those of the last run with so many connections and
such a depth (1000 and 2000 with a depth of 1 have a place).
`

await runTool(usage, async () => {
  const options = readArguments()
  const overload = await run(options)
  const rows = toMarkdown(overload)
  process.stdout.write(`${rows}\n`)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(overload, null, 2)}\n`)
  if (options.write) writeRows(placeOf(options), rows)
})
