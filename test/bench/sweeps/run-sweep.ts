import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { MeasureOptions } from '../measure.ts'
import { toReason } from '../trial.ts'
import type { Point, Sweep, SweepResult, SweepRun } from './sweep.ts'
import { toNumber } from './sweep-page.ts'

/** Measures every point; one that fails is reported as missing, and the others continue. */
export const runSweep = async (
  sweep: Sweep,
  options: MeasureOptions,
  progress: (line: string) => void,
): Promise<SweepResult> => {
  const directory = mkdtempSync(join(options.directory, 'sweep-'))
  try {
    const run = await sweep.open({ ...options, directory })
    try {
      const points: Point[] = []
      for (const x of sweep.xs) {
        const point = await measurePoint(run, x)
        progress(`${sweep.name}, ${x} ${sweep.x.label}: ${'missing' in point ? point.missing : toLine(sweep, point)}`)
        points.push(point)
      }
      return { sweep, points }
    } finally {
      await run.close()
    }
  } catch (error) {
    const missing = toReason(error)
    progress(`${sweep.name}: ${missing}`)
    return { sweep, missing }
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

const measurePoint = async (run: SweepRun, x: number): Promise<Point> => {
  try {
    return { x, ...(await run.measure(x)) }
  } catch (error) {
    return { x, missing: toReason(error) }
  }
}

const toLine = ({ panels }: Sweep, { reading }: Extract<Point, { reading: unknown }>): string =>
  panels
    .map(({ y, series }, i) => series.map((name, k) => `${y.label} ${name} ${toNumber(reading[i]?.[k])}`).join(', '))
    .join('; ')
