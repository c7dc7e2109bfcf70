/**
 * `node test/bench/compaction/run.ts [ROWS [FILES]]`: P15, an hour of a table made one file by the process of a pass: CPU time of
 * a row and peak memory, beside DuckDB's COPY of the same files.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createStartPassProcess } from '../../../src/compaction/hourly/pass-process.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { queryDuckDb } from '../../foreign/duckdb.ts'
import { runCli } from '../../suites/run-cli.ts'
import { processesOf, readCpuSeconds, readPeakMb } from '../proc.ts'

/** What a process took; MB are resident memory at its peak. */
export type Taken = { readonly seconds: number; readonly cpuSeconds: number; readonly peakMb: number }

const goal = { cpuUs: 8, peakMb: 512 }
const hour = '2026-11-22 08:00:00+00'
const sampleMs = 20
/** Larger than all of them: one file. */
const targetBytes = 2 ** 40

const writeFiles = async (directory: string, rows: number, files: number): Promise<void> => {
  const each = Math.ceil(rows / files)
  for (let file = 0; file < files; file++) {
    const from = file * each
    await queryDuckDb(`COPY (
      SELECT range AS id, TIMESTAMPTZ '${hour}' + to_microseconds(CAST(floor(random() * 3.6e9) AS BIGINT)) AS eventDate,
        'user-' || (hash(range) % 100000) AS userId, '/products/' || (hash(range + 1) % 5000) || '/reviews' AS path,
        (hash(range + 2) % 100000) / 100 AS price, range % 3 = 0 AS isNew
      FROM range(${from}, ${Math.min(rows, from + each)})
    ) TO '${directory}/${file}.parquet' (FORMAT parquet, COMPRESSION zstd)`)
  }
}

/** A pass as the collector makes it. Its process ends itself, so that what it took is what was seen last. */
const runPass = async (dataDirectory: string): Promise<Taken> => {
  const argv = ['--set', `data.dir=${dataDirectory}`]
  const { settings } = loadConfig({ argv, env: {}, cwd: '/', readFile: () => '' })
  const module = new URL('../../../src/app/compaction/compaction-process.ts', import.meta.url)
  const start = createStartPassProcess({ module, setup: () => settings, logger: silentLogger })
  const started = performance.now()
  const failures: string[] = []
  const scope = { merges: true, retention: new Map<string, number>(), afterMs: 0, targetBytes, skip: [], last: [] }
  const before = new Set(processesOf(process.pid))
  const { ended } = start(scope, news => void (news.kind === 'failed' && failures.push(news.reason)))
  const [pid = 0] = processesOf(process.pid).filter(one => !before.has(one))
  let [cpuSeconds, peakMb] = [0, 0]
  const timer = setInterval(() => {
    cpuSeconds = Math.max(cpuSeconds, readCpuSeconds(pid))
    peakMb = Math.max(peakMb, readPeakMb(pid))
  }, sampleMs)
  await ended
  clearInterval(timer)
  if (failures.length > 0) throw new Error(failures.join('\n'))
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
    const sources = join(table, 'hour=08')
    await mkdir(sources, { recursive: true })
    await writeFiles(sources, rows, files)
    const copied = await runCopy(`${sources}/*.parquet`, directory)
    const imported = await runCli(['table', 'import', 'Order', '--json', '--set', `data.dir=${directory}`])
    if (imported.code !== 0) throw new Error(imported.stderr)
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
