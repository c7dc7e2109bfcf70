import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DiskTimes, measureDisk } from './disk.ts'
import type { Figure, FigureSides, Measured, Outcome } from './figure.ts'
import { type MeasureOptions, measure, type ProcessesCpu, type Sample, type WithEdges } from './measure.ts'
import { median } from './median.ts'
import { type Trial, type TrialOptions, toReason, withoutProfile } from './trial.ts'

/** A figure with what was measured, or why nothing was. */
export type Result = { readonly figure: Figure } & (
  | { readonly outcome: Outcome; readonly rounds: readonly Round[] }
  | { readonly missing: string }
)

/** What was measured in turn. */
export type Round = { readonly baseline: Sample; readonly sluice: Sample; readonly disk: DiskTimes }

export type FigureOptions = TrialOptions & {
  /** Settings of another Sluice that takes the place of the baseline. @default the figure's own baseline */
  readonly against?: readonly string[] | undefined
  readonly rounds: number
  readonly progress: (line: string) => void
}

/** Measures all rounds of a figure. A side that fails is the reason of the figure, and ends nothing else. */
export const runFigure = async (wanted: Figure, options: FigureOptions): Promise<Result> => {
  const { against } = options
  const figure = against ? { ...wanted, baselineIs: `with ${against.join(', ')}` } : wanted
  const directory = mkdtempSync(join(options.directory, 'figure-'))
  if (options.profileDirectory !== undefined) mkdirSync(options.profileDirectory, { recursive: true })
  try {
    const inside = { ...options, directory }
    const trial = against ? await openAgainst(figure, inside, against) : await open(figure, inside)
    try {
      const rounds: Round[] = []
      for (let round = 1; round <= Math.max(options.rounds, figure.minRounds ?? 1); round++) {
        rounds.push(await runRound(trial, directory, round % 2 === 1))
        options.progress(`${figure.id} ${figure.what}, round ${round}: ${toLine(figure, rounds.at(-1))}`)
      }
      return { figure, outcome: toOutcome(figure, rounds), rounds }
    } finally {
      await trial.close()
    }
  } catch (error) {
    options.progress(`${figure.id} ${figure.what}: ${String(error instanceof Error ? error.stack : error)}`)
    return { figure, missing: toReason(error) }
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

const open = async (figure: Figure, options: TrialOptions): Promise<Trial> =>
  'open' in figure ? await figure.open(options) : toTrial(figure, options)

/** Sluice twice, with other settings as the baseline; each has files of its own. */
const openAgainst = async (figure: Figure, options: TrialOptions, settings: readonly string[]): Promise<Trial> => {
  const one = await open(figure, options)
  const directory = mkdtempSync(join(options.directory, 'against-'))
  const other = await open(figure, withoutProfile({ ...options, directory, settings })).catch(async error => {
    await one.close()
    throw error
  })
  return {
    sluice: () => one.sluice(),
    baseline: () => other.sluice(),
    close: async () => void (await Promise.all([one.close(), other.close()])),
  }
}

/** Of a figure without files or servers of its own. */
const toTrial = ({ sluice, baseline }: FigureSides, options: MeasureOptions): Trial => ({
  sluice: () => measure(sluice, options),
  baseline: () => measure(baseline, withoutProfile(options)),
  close: async () => {},
})

/** Each side comes first in turn: what changes with time on the machine is then on neither side. */
const runRound = async (trial: Trial, directory: string, baselineFirst: boolean): Promise<Round> => {
  const disk = measureDisk(directory)
  if (baselineFirst) {
    const baseline = await trial.baseline()
    return { disk, baseline, sluice: await trial.sluice() }
  }
  const sluice = await trial.sluice()
  return { disk, sluice, baseline: await trial.baseline() }
}

const toLine = (figure: Figure, round: Round | undefined): string => {
  if (!round) return ''
  const value = (sample: Sample): string =>
    `${Math.round(figure.value(sample) * 100) / 100} ${figure.unit}${figure.note ? ` (${figure.note(sample)})` : ''}`
  const ratio = figure.ratio(round.sluice, round.baseline).toFixed(2)
  return `${value(round.sluice)}, baseline ${value(round.baseline)}, ratio ${ratio}`
}

const toOutcome = (figure: Figure, rounds: readonly Round[]): Outcome => {
  const ratios = rounds.map(({ sluice, baseline }) => figure.ratio(sluice, baseline)).sort((a, b) => a - b)
  return {
    sluice: toMedians(rounds.map(({ sluice }) => sluice)),
    baseline: toMedians(rounds.map(({ baseline }) => baseline)),
    ratio: median(ratios),
    ratios,
  }
}

const toMedians = (samples: readonly Sample[]): Measured => ({
  ...toMediansWithEdges(samples.flatMap(({ withEdges }) => withEdges ?? [])),
  ...toMediansOfProcesses(samples.flatMap(({ processesUs }) => (processesUs ? [processesUs] : []))),
  rate: median(samples.map(({ rate }) => rate)),
  p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
  maxMs: median(samples.map(({ maxMs }) => maxMs)),
  cpuUs: median(samples.map(({ cpuUs }) => cpuUs)),
  clusterCpuUs: median(samples.map(({ clusterCpuUs = 0 }) => clusterCpuUs)),
  firstByteMs: median(samples.map(({ firstByteMs = 0 }) => firstByteMs)),
  megabytes: median(samples.map(({ megabytes = 0 }) => megabytes)),
  driftMb: median(samples.map(({ driftMb = 0 }) => driftMb)),
  mainUs: median(samples.map(({ mainUs = 0 }) => mainUs)),
  sealingUs: median(samples.map(({ sealingUs = 0 }) => sealingUs)),
  backlogFrom: median(samples.map(({ backlogFrom = 0 }) => backlogFrom)),
  backlogTo: median(samples.map(({ backlogTo = 0 }) => backlogTo)),
  refusedShare: median(samples.map(({ refusedShare = 0 }) => refusedShare)),
})

const toMediansOfProcesses = (prices: readonly ProcessesCpu[]): Pick<Measured, 'processesUs'> => {
  const names = Object.keys(prices[0] ?? {})
  if (names.length === 0) return {}
  return { processesUs: Object.fromEntries(names.map(name => [name, median(prices.map(price => price[name] ?? 0))])) }
}

const toMediansWithEdges = (prices: readonly WithEdges[]): Pick<Measured, 'withEdges'> => {
  if (prices.length === 0) return {}
  const of = (key: keyof WithEdges): number => median(prices.map(price => price[key]))
  return {
    withEdges: { cpuUs: of('cpuUs'), mainUs: of('mainUs'), edgesUs: of('edgesUs'), sealingUs: of('sealingUs') },
  }
}
