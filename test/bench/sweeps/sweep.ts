import type { Axis } from '../../plot/svg.ts'
import type { MeasureOptions } from '../measure.ts'

/** One plot of a sweep: what it shows, and of whom. */
export type Panel = { readonly y: Axis; readonly series: readonly string[] }

/** For each panel, for each of its series: a value, or undefined without one at this point. */
export type Reading = readonly (readonly (number | undefined)[])[]

/** How a cost grows: the same measurement over and over, one thing made larger. */
export type Sweep = {
  /** Its plot is `docs/bench-<name>.svg`. */
  readonly name: string
  readonly title: string
  /** What is measured, one sentence for the page. */
  readonly what: string
  readonly x: Axis
  readonly xs: readonly number[]
  readonly panels: readonly Panel[]
  /** Makes ready what all points share. @throws Skipped when this machine lacks something for it */
  readonly open: (options: MeasureOptions) => Promise<SweepRun>
}

/** A sweep under way. */
export type SweepRun = {
  /** Is asked for every point, from the smallest to the largest. @throws Skipped when it is too large for this machine */
  measure(x: number): Promise<PointMeasured>
  close(): Promise<void>
}

/** What was measured at a point, and what has to be known with it, such as `2 % refused`. */
export type PointMeasured = { readonly reading: Reading; readonly note?: string }

/** A point, or why it could not be measured. */
export type Point = { readonly x: number } & (PointMeasured | { readonly missing: string })

/** A sweep with what was measured, or why nothing was. */
export type SweepResult = { readonly sweep: Sweep } & (
  | { readonly points: readonly Point[] }
  | { readonly missing: string }
)
