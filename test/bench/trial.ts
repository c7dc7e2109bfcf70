import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MeasureOptions, Sample } from './measure.ts'

/** A measurement with files and servers of its own, which both sides share through all rounds. */
export type Trial = {
  /** Once the server that is measured. */
  sluice(): Promise<Sample>
  /** Once what it is compared with. */
  baseline(): Promise<Sample>
  close(): Promise<void>
}

export type TrialOptions = MeasureOptions & {
  /** Size of what is streamed where memory is watched: GB of 10⁹ bytes. */
  readonly gigabytes: number
}

/** For a baseline that is Sluice too: a profile is of the other side alone. */
export const withoutProfile = <T extends MeasureOptions>(options: T): T => ({ ...options, profileDirectory: undefined })

/** Makes ready what a {@link Trial} needs. @throws Skipped when this machine lacks something for it */
export type OpenTrial = (options: TrialOptions) => Promise<Trial>

/** The machine lacks something that the measurement needs; the message says what. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Why something was not measured, for the page: a {@link Skipped} says it, anything else has failed. */
export const toReason = (error: unknown): string => {
  if (error instanceof Skipped) return `skipped: ${error.message}`
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n')
  return `failed: ${line.replaceAll(root, '').replaceAll(tmpdir(), '')}`
}

const root = join(import.meta.dirname, '../../')
