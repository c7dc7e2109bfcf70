/**
 * `node test/bench/waiting/run.ts [FILES…]`: a server whose spool holds many waiting files, and whose file system is
 * unavailable: how long it takes to start, its memory, the longest turn of its event loop, and what health and metrics
 * cost.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createSluice, type Sluice } from '../../suites/sluice-process.ts'
import { makeSpool } from './make-spool.ts'
import { type Turns, turnLine } from './turn-watch.ts'

const defaultFiles = [10, 100_000, 1_000_000]

/** How often each figure is asked for. */
const asks = 40

/** How long the server runs with its backlog, commits failing all the time. */
const idleMs = 10_000

const measure = async (files: number): Promise<Readonly<Record<string, string>>> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-waiting-'))
  const turns: Turns[] = []
  let pid = 0
  const server = await createSluice({
    directory,
    // A port without a listener.
    settings: ['namenode.url=hdfs://127.0.0.1:1', 'namenode.webhdfs.url=http://127.0.0.1:1', 'log.level=info'],
    env: { NODE_OPTIONS: `--import ${import.meta.resolve('./turn-watch.ts')}` },
    onLine: line => {
      if (line.startsWith(turnLine)) turns.push(JSON.parse(line.slice(turnLine.length)) as Turns)
      pid ||= Number(/"pid":(\d+)/.exec(line)?.[1] ?? 0)
    },
  })
  const longestTurn = async (): Promise<string> => {
    const before = turns.length
    process.kill(pid, 'SIGUSR2')
    while (turns.length === before) await pause(10)
    const { long = 0, longest = 0, elapsed = 0 } = turns.at(-1) ?? {}
    return `${longest.toFixed(0)} ms of ${elapsed.toFixed(0)} (${long} over 50 ms)`
  }
  try {
    await makeSpool(join(directory, '.diskpool'), files)
    const started = performance.now()
    await server.start()
    const startMs = performance.now() - started
    const first = await fetch(`${urlOf(server, 'server')}/1?v=Hello,sWorld`)
    await first.arrayBuffer()
    const firstMs = performance.now() - started
    const startCpu = cpuSeconds(pid)
    const atStart = await longestTurn()
    await pause(idleMs)
    const idle = await longestTurn()
    const health = await ask(`${urlOf(server, 'server')}/1.0/healthcheck`)
    const metrics = await ask(`${urlOf(server, 'admin')}/metrics`)
    const asked = await longestTurn()
    const memory = readFileSync(`/proc/${pid}/status`, 'utf8')
    const mb = (name: string): string =>
      `${Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(memory)?.[1]) / 1_024)} MB`
    const { size } = await stat(join(directory, '.diskpool/ledger'))
    const stopping = performance.now()
    await server.drain()
    return {
      files: String(files),
      'start, first answer': `${(startMs / 1_000).toFixed(1)} s, ${(firstMs / 1_000).toFixed(1)} s (${first.status})`,
      'processor time until then': `${startCpu.toFixed(1)} s`,
      'resident, at most': `${mb('VmRSS')}, ${mb('VmHWM')}`,
      'longest turn at the start (modules are loaded in one)': atStart,
      'longest turn afterwards': idle,
      'longest turn, asked': asked,
      'health, metrics (median)': `${health}, ${metrics}`,
      ledger: `${Math.round(size / 2 ** 20)} MB`,
      stop: `${((performance.now() - stopping) / 1_000).toFixed(1)} s`,
    }
  } finally {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Of all threads, in user and system; clock ticks are hundredths of a second. */
const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const urlOf = (server: Sluice, name: string): string => server.urls()?.[name] ?? ''

const ask = async (url: string): Promise<string> => {
  const times: number[] = []
  for (let n = 0; n < asks; n++) {
    const started = performance.now()
    const response = await fetch(url)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${url} answers ${response.status}`)
    times.push(performance.now() - started)
  }
  return `${times.sort((a, b) => a - b)[asks >> 1]?.toFixed(1)} ms`
}

const sizes = process.argv.slice(2).map(Number)
for (const files of sizes.length > 0 ? sizes : defaultFiles) console.table(await measure(files))
