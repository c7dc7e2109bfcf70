/**
 * Measures the figures of this project against a bare server:
 *
 *     npm run bench [-- P1 P3 … --seconds 5 --rounds 3 --gigabytes 1 --dir DIR --json FILE --profile DIR --write]
 *
 * Both sides of a figure take turns in the same run, each time in fresh processes on an empty directory. Exits with 0
 * whatever the figures are, 1 when something could not be measured, 2 for wrong arguments.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type DiskTimes, measureDisk } from './disk.ts'
import type { Figure, FigureSides, Measured, Outcome } from './figure.ts'
import { figures } from './figures.ts'
import { type MeasureOptions, measure, type Sample } from './measure.ts'
import { type Result, toConditions, toMarkdown, toRows, toText } from './report.ts'
import { Skipped, type Trial } from './trial.ts'

/** Below it an fdatasync has reached no disk: the directory is in memory. */
const leastSyncMs = 0.02

type Round = { readonly baseline: Sample; readonly sluice: Sample; readonly disk: DiskTimes }

const runAll = async (): Promise<void> => {
  const options = readArguments()
  const loadBefore = loadavg()[0] ?? 0
  const directory = mkdtempSync(join(options.dir, 'sluice-bench-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  if (measureDisk(directory).p50Ms < leastSyncMs) {
    progress(`${options.dir} seems to be in memory: an fdatasync costs nothing there. Use --dir.`)
  }
  const disks: DiskTimes[] = []
  const samples: { readonly id: string; readonly what: string; readonly rounds: readonly Round[] }[] = []
  const results: Result[] = []
  for (const figure of options.figures) {
    const rounds = await runRounds(figure, { ...options, directory })
    if ('skipped' in rounds) {
      progress(`${figure.id} ${figure.what}: skipped, ${rounds.skipped}`)
      results.push({ figure, skipped: rounds.skipped })
      continue
    }
    disks.push(...rounds.map(({ disk }) => disk))
    samples.push({ id: figure.id, what: figure.what, rounds })
    results.push({ figure, outcome: toOutcome(figure, rounds) })
  }
  const conditions = toConditions({
    loadBefore,
    syncP50Ms: median(disks.map(({ p50Ms }) => p50Ms)),
    syncP99Ms: median(disks.map(({ p99Ms }) => p99Ms)),
    rounds: options.rounds,
    seconds: options.seconds,
    command: options.command,
  })
  process.stdout.write(`\n${toText(toRows(results))}\n\n`)
  process.stdout.write(
    `one write with fdatasync: p50 ${conditions.syncP50Ms.toFixed(2)} ms, p99 ${conditions.syncP99Ms.toFixed(2)} ms\n`,
  )
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ conditions, samples }, null, 2)}\n`)
  if (options.write) writeFileSync(join(import.meta.dirname, '../../BENCHMARKS.md'), toMarkdown(results, conditions))
}

type RoundOptions = {
  readonly directory: string
  readonly seconds: number
  readonly rounds: number
  readonly gigabytes: number
  readonly profile: string | undefined
}

/** All rounds of a figure, or why there are none. */
const runRounds = async (
  figure: Figure,
  { directory, seconds, rounds, gigabytes, profile }: RoundOptions,
): Promise<readonly Round[] | { readonly skipped: string }> => {
  const cwd = mkdtempSync(join(directory, 'figure-'))
  const options = { directory: cwd, durationMs: seconds * 1_000, profileDirectory: profile, gigabytes }
  try {
    const trial = 'open' in figure ? await figure.open(options) : toTrial(figure, options)
    try {
      const done: Round[] = []
      for (let round = 1; round <= rounds; round++) done.push(await runRound(figure, trial, round, cwd))
      return done
    } finally {
      await trial.close()
    }
  } catch (error) {
    if (error instanceof Skipped) return { skipped: error.message }
    // The other figures are worth having all the same.
    progress(String(error instanceof Error ? error.stack : error))
    process.exitCode = 1
    return { skipped: 'it failed' }
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Of a figure without files or servers of its own. */
const toTrial = ({ sluice, baseline }: FigureSides, options: MeasureOptions): Trial => ({
  sluice: () => measure(sluice, options),
  baseline: () => measure(baseline, options),
  close: async () => {},
})

const runRound = async (figure: Figure, trial: Trial, round: number, directory: string): Promise<Round> => {
  const disk = measureDisk(directory)
  const baseline = await trial.baseline()
  const sluice = await trial.sluice()
  const value = (sample: Sample): string =>
    `${Math.round(figure.value(sample) * 100) / 100} ${figure.unit}${figure.note ? ` (${figure.note(sample)})` : ''}`
  const ratio = figure.ratio(sluice, baseline).toFixed(2)
  progress(`${figure.id} ${figure.what}, round ${round}: ${value(sluice)}, baseline ${value(baseline)}, ratio ${ratio}`)
  return { baseline, sluice, disk }
}

const toOutcome = (figure: Figure, rounds: readonly Round[]): Outcome => ({
  sluice: toMedians(rounds.map(({ sluice }) => sluice)),
  baseline: toMedians(rounds.map(({ baseline }) => baseline)),
  ratio: median(rounds.map(({ sluice, baseline }) => figure.ratio(sluice, baseline))),
  syncP50Ms: median(rounds.map(({ disk }) => disk.p50Ms)),
})

const toMedians = (samples: readonly Sample[]): Measured => ({
  rate: median(samples.map(({ rate }) => rate)),
  p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
  maxMs: median(samples.map(({ maxMs }) => maxMs)),
  cpuUs: median(samples.map(({ cpuUs }) => cpuUs)),
  megabytes: median(samples.map(({ megabytes = 0 }) => megabytes)),
})

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

const readArguments = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '5' },
      gigabytes: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '3' },
      dir: { type: 'string', default: tmpdir() },
      json: { type: 'string' },
      profile: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  const wanted = new Set(positionals.map(id => id.toUpperCase()))
  const unknown = [...wanted].filter(id => !figures.some(figure => figure.id === id))
  if (unknown.length > 0)
    throw new RangeError(
      `There is no figure ${unknown.join(', ')}; expected ${[...new Set(figures.map(({ id }) => id))].join(', ')}`,
    )
  if (values.write && wanted.size > 0) throw new RangeError('--write needs all figures')
  return {
    figures: figures.filter(({ id }) => wanted.size === 0 || wanted.has(id)),
    seconds: toPositive('--seconds', values.seconds),
    gigabytes: toPositive('--gigabytes', values.gigabytes),
    rounds: Math.ceil(toPositive('--rounds', values.rounds)),
    dir: resolve(values.dir),
    json: values.json,
    profile: values.profile === undefined ? undefined : resolve(values.profile),
    write: values.write,
    command: `npm run bench -- --seconds ${values.seconds} --rounds ${values.rounds} --gigabytes ${values.gigabytes}${values.write ? ' --write' : ''}`,
  }
}

const toPositive = (option: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0 && value <= 3_600)) throw new RangeError(`${option} is "${text}"; expected a number above 0`)
  return value
}

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

try {
  await runAll()
} catch (error) {
  const isUsage = error instanceof RangeError || (error instanceof TypeError && 'code' in error)
  progress(error instanceof Error && isUsage ? error.message : String(error instanceof Error ? error.stack : error))
  process.exitCode = isUsage ? 2 : 1
}
