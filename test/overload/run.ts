import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readResidentMb } from '../bench/proc.ts'
import { isPinned, type Running, runToEnd, start } from '../bench/process.ts'
import { runTool } from '../suites/run-tool.ts'
import { mainScript } from '../suites/start-command.ts'
import type { GeneratorOptions, GeneratorResult } from './load.ts'
import { reckon } from './reckon.ts'
import { type Measured, type Overload, toMarkdown } from './report.ts'

const here = import.meta.dirname
const warmUpMs = 2_000
const memoryEveryMs = 50
/** Clients that wait for each answer, beside the others, and connections that are closed and opened anew in a second. */
const honest = 32
const renewalsPerSecond = 100

const run = async (options: ReturnType<typeof readArguments>): Promise<Overload> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-overload-'))
  const [loadBefore = 0] = loadavg()
  let server: Running | undefined
  try {
    server = await startServer(directory)
    const usual = { port: portOf(server), warmUpMs, durationMs: options.seconds * 1_000 }
    const files = ['before', 'overload', 'after'].map(name => join(directory, name))
    const [beforeFile = '', overloadFile = '', afterFile = ''] = files
    const closedLoop = { ...usual, connections: 128, depth: 1, requestsPerSecond: 0, honest: 0, renewalsPerSecond: 0 }
    const capacity = await measure(server.pid, directory, { ...closedLoop, firstEvent: 0, file: beforeFile })
    const overload = await measure(server.pid, directory, {
      ...usual,
      firstEvent: capacity.result.nextEvent,
      connections: options.connections,
      depth: options.depth,
      requestsPerSecond: capacity.result.accepted * options.factor,
      honest,
      renewalsPerSecond,
      file: overloadFile,
    })
    const after = { ...closedLoop, firstEvent: overload.result.nextEvent, file: afterFile }
    const capacityAfter = await measure(server.pid, directory, after)
    await server.stop('SIGTERM')
    server = undefined
    const { seconds, factor, connections, depth } = options
    const books = await reckon(join(directory, 'data/fs'), files)
    return { seconds, factor, connections, depth, isPinned, loadBefore, capacity, overload, capacityAfter, books }
  } finally {
    await server?.stop('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

const startServer = (directory: string): Promise<Running> => {
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

/** Linux counts in hundredths of a second: `utime` and `stime` are the 14th and 15th field of `proc_pid_stat(5)`. */
const readCpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field is the command in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const readArguments = () => {
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

/** Between two comments of the page, which somebody put where the rows belong. */
const writeRows = (rows: string): void => {
  const page = join(here, '../../RELIABILITY.md')
  const [before, rest] = readFileSync(page, 'utf8').split('<!-- overload -->\n')
  const after = rest?.split('<!-- /overload -->')[1]
  if (before === undefined || after === undefined) {
    throw new RangeError('RELIABILITY.md has no place between <!-- overload --> and <!-- /overload -->')
  }
  writeFileSync(page, `${before}<!-- overload -->\n\n${rows}\n\n<!-- /overload -->${after}`)
}

/** Capacity is measured on the same server, before and afterwards: between the two is what one may expect meanwhile. */
const usage = `How much of its capacity a server keeps when ten times as much is due, and how quickly it refuses.

    npm run overload -- [--seconds 10] [--factor 10] [--connections 2000] [--depth 1] [--json FILE] [--write]

Prints rows for RELIABILITY.md; with --write they go there, in place of those of the last run.
`

await runTool(usage, async () => {
  const options = readArguments()
  const overload = await run(options)
  const rows = toMarkdown(overload)
  process.stdout.write(`${rows}\n`)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(overload, null, 2)}\n`)
  if (options.write) writeRows(rows)
})
