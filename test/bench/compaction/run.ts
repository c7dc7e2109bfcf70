/**
 * `node test/bench/compaction/run.ts [ROWS [FILES]]`: P15, an hour of a table made one file by the process of a pass: CPU time of
 * a row and peak memory, beside DuckDB's COPY of the same files.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { queryDuckDb } from '../../foreign/duckdb.ts'
import { processesOf, readCpuSeconds, readPeakMb } from '../proc.ts'
import { importHour, sourcesOf, writeHour } from './make-table.ts'
import { startPass } from './pass.ts'

/** What a process took; MB are resident memory at its peak. */
export type Taken = { readonly seconds: number; readonly cpuSeconds: number; readonly peakMb: number }

const goal = { cpuUs: 8, peakMb: 512 }
const sampleMs = 20
/** A pass as the collector makes it. Its process ends itself, so that what it took is what was seen last. */
const runPass = async (dataDirectory: string): Promise<Taken> => {
  const before = new Set(processesOf(process.pid))
  const started = performance.now()
  const { done } = startPass(dataDirectory)
  const [pid = 0] = processesOf(process.pid).filter(one => !before.has(one))
  let [cpuSeconds, peakMb] = [0, 0]
  const timer = setInterval(() => {
    cpuSeconds = Math.max(cpuSeconds, readCpuSeconds(pid))
    peakMb = Math.max(peakMb, readPeakMb(pid))
  }, sampleMs)
  await done.finally(() => clearInterval(timer))
  return { seconds: (performance.now() - started) / 1_000, cpuSeconds, peakMb }
}

const runCopy = async (sources: string, directory: string): Promise<Taken> => {
  const script = join(import.meta.dirname, 'copy.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    sources,
    join(directory, 'copy.parquet'),
    directory,
  ])
  return JSON.parse(stdout) as Taken
}

const measure = async (rows: number, files: number): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-p15-'))
  try {
    const table = join(directory, 'fs/events/Order')
    await writeHour(table, rows, files)
    const copied = await runCopy(`${sourcesOf(table)}/*.parquet`, directory)
    await importHour(directory, 'Order')
    const merged = await runPass(directory)
    const [[found] = []] = await queryDuckDb(
      `SELECT count(*) FROM read_parquet('${table}/data/*/*.parquet', hive_partitioning = false)`,
    )
    if (Number(found) !== rows) throw new Error(`expected ${rows} rows, found ${String(found)}`)
    const toLine = ({ seconds, cpuSeconds, peakMb }: Taken) => ({
      'CPU, µs a row': ((cpuSeconds * 1e6) / rows).toFixed(2),
      'peak, MB': peakMb.toFixed(0),
      seconds: seconds.toFixed(1),
    })
    console.log(
      `P15: ${rows} rows in ${files} files made one; goal ≤ ${goal.cpuUs} µs of CPU a row, ≤ ${goal.peakMb} MB`,
    )
    console.table({ 'pass of the collector': toLine(merged), "DuckDB's COPY": toLine(copied) })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const [rows = 10_000_000, files = 300] = process.argv.slice(2).map(Number)
await measure(rows, files)
