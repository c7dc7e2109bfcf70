/** How one long run went. */
export type Result = {
  readonly name: string
  readonly shows: string
  readonly passed: boolean
  /** What it said of itself. */
  readonly verdict: string
  readonly seconds: number
  /** `yyyy-mm-dd` */
  readonly date: string
}

const start = '<!-- nightly -->'
const end = '<!-- /nightly -->'
const head = ['| Run | Shows | Last | Result | Took |', '|---|---|---|---|---|']

/**
 * The page with these results in its table, in place of those of the same name.
 * @throws RangeError when the page has no place for them
 */
export const toTable = (page: string, results: readonly Result[]): string => {
  const [before, rest] = page.split(start)
  const [table, after] = rest?.split(end) ?? []
  if (before === undefined || table === undefined || after === undefined) {
    throw new RangeError(`The page has no place between ${start} and ${end}`)
  }
  const rows = new Map<string, string>()
  for (const line of table.split('\n')) {
    const name = /^\| `([a-z-]+)` \|/.exec(line)?.[1]
    if (name !== undefined) rows.set(name, line)
  }
  for (const result of results) rows.set(result.name, toRow(result))
  return `${before}${start}\n\n${[...head, ...rows.values()].join('\n')}\n\n${end}${after}`
}

const toRow = ({ name, shows, passed, verdict, seconds, date }: Result): string =>
  `| \`${name}\` | ${shows} | ${date} | ${passed ? '' : '**failed**: '}${verdict} | ${toText(seconds)} |`

const toText = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
