import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { runTool } from '../suites/run-tool.ts'
import { type Arguments, parseArguments, toCommand } from './arguments.ts'
import { measureDisk } from './disk.ts'
import { type Figure, sectionOf } from './figure.ts'
import { toModel } from './for-good/for-good-figures.ts'
import { median } from './median.ts'
import { describeOthers } from './others/others.ts'
import { type Sections, sweepSection, toPage } from './page.ts'
import { toDatedSweep, toFiguresSection, toPlotNote, toSizesSection } from './page-sections.ts'
import { readProfiles, toTopSelf, toTopText } from './profile-top.ts'
import { type Conditions, toConditions, toRows, toText } from './report.ts'
import { type Result, runFigure } from './run-figure.ts'
import { measureGroup, type SizeRow } from './sizes/size.ts'
import { sizeGroups } from './sizes/sizes.ts'
import { runSweep } from './sweeps/run-sweep.ts'
import type { SweepResult } from './sweeps/sweep.ts'
import { plotName, toPlot, toSweepSection } from './sweeps/sweep-page.ts'

/** Below it an fdatasync has reached no disk: the directory is in memory. */
const leastSyncMs = 0.02

/** Functions that `--notes` lists. */
const topFunctions = 10

const root = join(import.meta.dirname, '../..')

type Measurements = {
  readonly results: readonly Result[]
  readonly swept: readonly SweepResult[]
  readonly sizes: readonly SizeRow[]
}

const run = async (): Promise<void> => {
  const options = parseArguments(process.argv.slice(2))
  const loadBefore = loadavg()[0] ?? 0
  const directory = mkdtempSync(join(options.dir, 'sluice-bench-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  const disk = measureDisk(directory)
  if (disk.p50Ms < leastSyncMs) {
    progress(`${options.dir} seems to be in memory: an fdatasync costs nothing there. Use --dir.`)
  }
  const measured = await measureAll(options, directory)
  const disks = [disk, ...measured.results.flatMap(result => ('rounds' in result ? result.rounds : [])).map(toDisk)]
  const conditions = toConditions({
    loadBefore,
    syncP50Ms: median(disks.map(({ p50Ms }) => p50Ms)),
    syncP99Ms: median(disks.map(({ p99Ms }) => p99Ms)),
    rounds: options.rounds,
    seconds: options.seconds,
    pointSeconds: options.pointSeconds,
    command: toCommand(options),
    others: await describeOthers(options.figures.flatMap(toOther)),
  })
  print(measured, conditions)
  if (options.json !== undefined) writeFileSync(options.json, toJson(measured, conditions))
  if (options.write) write(measured, conditions)
  if (hasFailed(measured)) process.exitCode = 1
}

const toOther = (figure: Figure) => [
  ...('baseline' in figure && 'other' in figure.baseline ? [figure.baseline.other] : []),
  ...(figure.others ?? []),
]

const toDisk = ({ disk }: { readonly disk: { readonly p50Ms: number; readonly p99Ms: number } }) => disk

const measureAll = async (options: Arguments, directory: string): Promise<Measurements> => {
  const results: Result[] = []
  for (const [index, figure] of options.figures.entries()) {
    results.push(await measureFigure(figure, options, directory, `${figure.id}-${index + 1}`))
  }
  const { settings } = options
  const inside = { directory, durationMs: options.pointSeconds * 1_000, profileDirectory: undefined, settings }
  const swept: SweepResult[] = []
  for (const sweep of options.sweeps) swept.push(await runSweep(sweep, inside, progress))
  const sizes: SizeRow[] = []
  for (const group of options.sizes ? sizeGroups : []) {
    progress(`measuring ${group.what}`)
    sizes.push(...(await measureGroup(group, inside)))
  }
  return { results, swept, sizes }
}

const measureFigure = async (
  figure: Figure,
  { rounds, seconds, gigabytes, profile, notes, settings, against }: Arguments,
  directory: string,
  name: string,
): Promise<Result> => {
  const profiles = profile ?? (notes ? join(directory, 'profiles') : undefined)
  const profileDirectory = profiles === undefined ? undefined : join(profiles, name)
  const times = { durationMs: seconds * 1_000, gigabytes, rounds }
  const result = await runFigure(figure, { directory, profileDirectory, settings, against, ...times, progress })
  if (notes && profileDirectory !== undefined) {
    progress(`${figure.id} ${figure.what}: ${toTopText(toTopSelf(readProfiles(profileDirectory), topFunctions))}`)
  }
  return result
}

const print = ({ results, swept, sizes }: Measurements, { syncP50Ms, syncP99Ms }: Conditions): void => {
  const parts = [
    ...(results.length > 0 ? [toText(toRows(results))] : []),
    ...swept.map(toSweepSection),
    ...(sizes.length > 0 ? [toText(sizes.map(({ what, value, beside }) => [what, value, beside]))] : []),
    `one write with fdatasync: p50 ${syncP50Ms.toFixed(2)} ms, p99 ${syncP99Ms.toFixed(2)} ms`,
  ]
  process.stdout.write(`\n${parts.join('\n\n')}\n`)
}

const toJson = ({ results, swept, sizes }: Measurements, conditions: Conditions): string => {
  const samples = results.map(({ figure: { id, what }, ...rest }) => ({ id, what, ...rest }))
  const sweeps = swept.map(({ sweep: { name }, ...rest }) => ({ name, ...rest }))
  return `${JSON.stringify({ conditions, samples, sweeps, sizes }, null, 2)}\n`
}

/** Only what was measured; the rest of the page stays. */
const write = ({ results, swept, sizes }: Measurements, conditions: Conditions): void => {
  const page = join(root, 'BENCHMARKS.md')
  const bySection = Object.entries(Object.groupBy(results, ({ figure }) => sectionOf(figure)))
  const sections: Sections = {
    ...Object.fromEntries(bySection.map(([name, some]) => [name, toFiguresSection(some, conditions, toModel(some))])),
    ...Object.fromEntries(swept.map(result => [sweepSection(result.sweep.name), toDatedSweep(result, conditions)])),
    ...(sizes.length > 0 ? { sizes: toSizesSection(sizes, conditions) } : {}),
  }
  mkdirSync(join(root, 'docs'), { recursive: true })
  for (const result of swept) {
    writeFileSync(join(root, 'docs', plotName(result.sweep)), toPlot(result, toPlotNote(conditions)))
  }
  writeFileSync(page, toPage(sections, readFileSync(page, 'utf8')))
}

/** What this machine cannot measure is skipped; anything else that is missing has failed. */
const hasFailed = ({ results, swept, sizes }: Measurements): boolean => {
  const parts: readonly object[] = [...results, ...swept, ...swept.flatMap(one => ('points' in one ? one.points : []))]
  const missing = parts.map(part => ('missing' in part ? String(part.missing) : ''))
  return [...missing, ...sizes.map(({ value }) => value)].some(text => text.startsWith('failed'))
}

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Both sides of a figure take turns, each time in fresh processes on an empty directory. */
const usage = `Measures this project against a bare server, and how its costs grow.

    npm run bench -- [P1 P3 … | --sweep [NAME…] | --sizes | --all] [--write]
        [--seconds 5] [--rounds 3] [--point-seconds 2] [--gigabytes 1] [--dir DIR] [--json FILE] [--profile DIR] [--notes]
        [--set KEY=VALUE …] [--against KEY=VALUE …]

--write puts the figures into BENCHMARKS.md, --profile CPU profiles into a directory, --notes says where the time goes.

    npm run bench -- P1 --seconds 3 --rounds 1                      one figure, quickly
    npm run bench -- A2:listed --rounds 10                          one of several with an id, by words of it
    npm run bench -- O1 O2 O3                                       beside nginx, Flume and HttpFS, where they can be had
    npm run bench -- G4 --set gateway.readers=2                     with other settings
    npm run bench -- G4 --against gateway.readers=0                 two settings against one another
    SLUICE_TEST_CORES=0,1 npm run bench -- A2                      the server on more cores than the first
`

await runTool(usage, run)
