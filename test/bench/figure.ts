import type { Sample, Side } from './measure.ts'
import type { SoftwareName } from './others/others.ts'
import type { OpenTrial } from './trial.ts'

/** Medians over the rounds; `ratio` is the median of the ratios that each round gave. */
export type Outcome = {
  readonly sluice: Measured
  readonly baseline: Measured
  readonly ratio: number
  /** The ratio of each round, ascending: how far they lie apart says what the machine did meanwhile. */
  readonly ratios: readonly number[]
}

/** One side's medians. */
export type Measured = Sample

/** One measurement: two sides that take turns, and what is expected of their ratio. */
export type Figure = FigureFacts & (FigureSides | { readonly open: OpenTrial })

/** One side each, restarted for each round. */
export type FigureSides = { readonly sluice: Side; readonly baseline: Side }

/** What a figure is, however it is measured. */
export type FigureFacts = {
  readonly id: string
  /** Section of the page that its row belongs to. @default `figures` */
  readonly section?: 'capacity' | 'others' | 'replicated'
  readonly what: string
  /** Measured and printed, but not on the page, which has another figure of the kind. */
  readonly isDetail?: boolean
  readonly baselineIs: string
  /** Software of others that takes part beside a {@link FigureSides}' own. */
  readonly others?: readonly SoftwareName[]
  readonly unit: 'events/s' | 'rows/s' | 'files/s' | 'MB/s' | 'ms p99' | 'ms p50' | 'MB'
  /** More of what was measured, beside the value. */
  readonly note?: (measured: Measured) => string
  /** The value of `unit` that the table shows. */
  readonly value: (measured: Measured) => number
  /** Of one round: Sluice to baseline, or how much dearer it is. */
  readonly ratio: (sluice: Measured, baseline: Measured) => number
  readonly goal: string
  readonly isMet: (outcome: Outcome) => boolean
  /** Rounds at least, where one says little: the slowest requests of two runs are compared. @default 1 */
  readonly minRounds?: number
}

/** Name of the section that shows a figure. */
export const sectionOf = ({ section }: FigureFacts): NonNullable<FigureFacts['section']> | 'figures' =>
  section ?? 'figures'

/** {@link FigureFacts.minRounds} of figures that compare the p99 of two runs. */
export const minRoundsOfP99 = 5

/** A goal of a ratio alone. */
export const atLeast = (least: number): Pick<FigureFacts, 'goal' | 'isMet'> => ({
  goal: `≥ ${least} ×`,
  isMet: ({ ratio }) => ratio >= least,
})

/** The same for what is better when it is less. */
export const atMost = (most: number): Pick<FigureFacts, 'goal' | 'isMet'> => ({
  goal: `≤ ${most} ×`,
  isMet: ({ ratio }) => ratio <= most,
})
