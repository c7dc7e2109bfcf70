import type { MeasureOptions } from '../measure.ts'
import { toReason } from '../trial.ts'

/** A row of the page: what was measured, and the same of a bare process or another thing to compare with. */
export type SizeRow = { readonly what: string; readonly value: string; readonly beside: string }

/** Measures some rows. @throws Skipped when this machine lacks something for them */
export type MeasureSizes = (options: MeasureOptions) => Promise<readonly SizeRow[]>

/** Rows that belong together; a group that fails is a row that says so. */
export type SizeGroup = { readonly what: string; readonly measure: MeasureSizes }

/** Runs a group to its rows. */
export const measureGroup = async (
  { what, measure }: SizeGroup,
  options: MeasureOptions,
): Promise<readonly SizeRow[]> => {
  try {
    return await measure(options)
  } catch (error) {
    return [{ what, value: toReason(error), beside: '–' }]
  }
}

/** `12.3 MB` */
export const toMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** `12.3 ms` */
export const toMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`
