import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The result of a long run of one target. */
export type ReportRow = {
  readonly target: string
  readonly cases: number
  readonly seed: number
  readonly seconds: number
  readonly findings: number
}

const head = ['| Target | Cases | Seed | Seconds | Findings |', '|---|---:|---:|---:|---:|']
const row = /^\| ([\w-]+) \| ([\d,]+) \| (\d+) \| (\d+) \| (\d+) \|$/

/** Puts a row into the table in a Markdown file, in place of an older one of the same target. */
export const writeReportRow = (file: string, added: ReportRow): void => {
  const known = existsSync(file) ? parseReport(readFileSync(file, 'utf8')) : []
  const rows = [...known.filter(({ target }) => target !== added.target), added]
  writeFileSync(file, toReport(rows))
}

/** The rows of a table as {@link toReport} writes it; other lines are ignored. */
export const parseReport = (markdown: string): ReportRow[] =>
  markdown.split('\n').flatMap(line => {
    const [, target, cases = '', seed, seconds, findings] = row.exec(line) ?? []
    if (target === undefined) return []
    const count = Number(cases.replaceAll(',', ''))
    return [{ target, cases: count, seed: Number(seed), seconds: Number(seconds), findings: Number(findings) }]
  })

/** A Markdown table, by target. */
export const toReport = (rows: readonly ReportRow[]): string => {
  const lines = rows
    .toSorted((a, b) => (a.target < b.target ? -1 : 1))
    .map(({ target, cases, seed, seconds, findings }) => {
      const cells = [target, cases.toLocaleString('en-US'), seed, Math.round(seconds), findings]
      return `| ${cells.join(' | ')} |`
    })
  return `${[...head, ...lines].join('\n')}\n`
}
