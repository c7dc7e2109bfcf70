import type { Finding, Verdict } from '../../../src/spool/tool/verify.ts'

/** The outcome of a check, for people and programs. */
export type SpoolCheck = {
  readonly directory: string
  readonly holder: string | null
  readonly problems: number
  readonly segments: number
  readonly segmentEvents: number
  readonly files: number
  readonly fileEvents: number
  readonly checkedBytes: number
  readonly findings: readonly Finding[]
}

export const toSpoolCheck = ({ view, findings, ...sums }: Verdict, holder: string | undefined): SpoolCheck => ({
  directory: view.directory,
  holder: holder ?? null,
  problems: findings.filter(({ level }) => level === 'problem').length,
  segments: view.segments.length,
  files: view.files.filter(({ state }) => state.at !== 'committed').length,
  ...sums,
  findings,
})
