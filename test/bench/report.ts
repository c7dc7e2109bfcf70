import { cpus, release, type } from 'node:os'
import type { Figure, Measured, Outcome } from './figure.ts'
import { isPinned } from './process.ts'

/** A figure with what was measured, or why nothing was. */
export type Result = { readonly figure: Figure } & ({ readonly outcome: Outcome } | { readonly skipped: string })

/** How it was measured; for the reader of the figures. */
export type Conditions = {
  readonly cpu: string
  readonly cores: number
  readonly kernel: string
  readonly node: string
  readonly pinned: boolean
  /** The system's load average of the last minute before the start; above 0, others took a part of the machine. */
  readonly loadBefore: number
  /** One write of 512 bytes with `fdatasync`, in ms. */
  readonly syncP50Ms: number
  readonly syncP99Ms: number
  readonly rounds: number
  readonly seconds: number
  /** ISO 8601, UTC. */
  readonly date: string
  readonly command: string
}

/** The conditions of this process and machine; names no host and no path. */
export const toConditions = (
  run: Pick<Conditions, 'loadBefore' | 'syncP50Ms' | 'syncP99Ms' | 'rounds' | 'seconds' | 'command'>,
): Conditions => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  kernel: `${type()} ${release().split('-')[0]}`,
  node: process.version,
  pinned: isPinned,
  date: new Date().toISOString().slice(0, 10),
  ...run,
})

const header = [
  '',
  'what',
  'Sluice',
  'p50 / p99 ms',
  'baseline',
  'p50 / p99 ms',
  'ratio',
  'goal',
  'verdict',
  'CPU µs/event',
]

/** Rows of the table, the header first. */
export const toRows = (results: readonly Result[]): readonly (readonly string[])[] => [
  header,
  ...results.map(result =>
    'skipped' in result ? toSkippedRow(result.figure, result.skipped) : toRow(result.figure, result.outcome),
  ),
]

const toSkippedRow = ({ id, what, goal }: Figure, reason: string): readonly string[] => [
  id,
  what,
  ...Array.from({ length: 5 }, () => '–'),
  goal,
  `skipped: ${reason}`,
  '–',
]

const toRow = (figure: Figure, outcome: Outcome): readonly string[] => [
  figure.id,
  figure.what,
  toAmount(figure, outcome.sluice),
  toTimes(outcome.sluice),
  `${toAmount(figure, outcome.baseline)} (${figure.baselineIs})`,
  toTimes(outcome.baseline),
  outcome.ratio.toFixed(2),
  figure.goal,
  figure.isMet(outcome) ? 'met' : 'missed',
  outcome.sluice.cpuUs > 0 ? `${outcome.sluice.cpuUs.toFixed(1)} : ${outcome.baseline.cpuUs.toFixed(1)}` : '–',
]

/** A table for a terminal. */
export const toText = (rows: readonly (readonly string[])[]): string => {
  const plain = rows.map(row => row.map(cell => cell.replaceAll('`', '')))
  const widths = header.map((_, column) => Math.max(...plain.map(row => row[column]?.length ?? 0)))
  return plain
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The whole of BENCHMARKS.md. */
export const toMarkdown = (results: readonly Result[], conditions: Conditions): string => {
  const [head = [], ...rows] = toRows(results)
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const { cpu, cores, kernel, node, pinned, rounds, seconds } = conditions
  return `# Benchmarks

What a 202 costs (P: events are on the disk, with \`fdatasync\`, before they are acknowledged), what files cost on their
way out (G), and the management (A). Every figure is measured against a bare server in the same run, because machines differ and are noisy: the **ratio** is what counts.

${[toLine(head), toLine(head.map(() => '---')), ...rows.map(toLine)].join('\n')}

Sluice is the real process with its default settings (\`node src/main.ts\`, collector only, embedded file system). The
bare server (\`test/bench/baseline.ts\`) is \`node:http\` with one \`JSON.parse\`, and one write and one \`fdatasync\` for all
requests that wait: it checks, counts, frames and limits nothing; for P8 it is \`node:net\`. P7 compares Sluice with
itself: the baseline takes the same events as JSON. Load comes from a process of its own
(\`test/bench/load.ts\`), connections that each wait for their answer; any answer but a plain 202, or OK, fails the run. The ratio
of P5 is how many times more \`ack=written\` takes; a ratio of P6 above 1 is slower. The last column is the CPU time of
all threads of the server for one event, Sluice : baseline.

G: the gateway alone, on the embedded file system, G1 on a real HDFS of one NameNode and one DataNode on this machine;
one client at a time, one request after the other. The bare gateway (\`test/bench/bare-gateway.ts\`) does the work for
one file and one format in the shortest way: it checks and bounds nothing. Rates of rows count the bytes of the text, or
of the unfolded values. Growth of memory is the highest \`VmRSS\` while the request runs, less that before it, in a process
that has served a small file (G6: a small directory) before; its ratio is to what the bare one grows by. What is read of
a file counts in \`/proc/PID/io\`. G7 runs without a server, in one process. A1 is a listener of its own with 5 000 beans.
A2 is the whole server with its default settings, under a load that keeps its rate: a request that cannot be sent
because answers are late counts from when it was due. Its baseline is the same server left alone.

## The last run

- ${conditions.date}, \`${conditions.command}\`
- ${rounds} rounds of ${seconds} s, the two sides in turn, fresh processes each time; medians, and the median of each round's ratio
- ${cpu}, ${cores} cores, ${kernel}, Node ${node}
- ${pinned ? 'server (all its threads) on one core, load on another' : 'no process was bound to a core'}
- load average before the start: ${conditions.loadBefore.toFixed(1)}; with more than a few tenths others had a part of the machine, and
  rates and p99 are lower than they would be alone
- the disk takes ${conditions.syncP50Ms.toFixed(2)} ms (p50) and ${conditions.syncP99Ms.toFixed(2)} ms (p99) for one write with \`fdatasync\`

## Measuring it yourself

    npm run bench                                  all figures
    npm run bench -- P1 P3 --seconds 2 --rounds 3  some of them, quickly
    npm run bench -- --dir DIR                     on another disk than that of the temporary directory
    npm run bench -- --json FILE                   every sample, for scripts
    npm run bench -- P1 --profile DIR              CPU profiles of Sluice
    npm run bench -- --write                       and this page
`
}

const toAmount = (figure: Figure, measured: Measured): string => {
  const value = figure.value(measured)
  const amount = {
    'events/s': `${toCount(value)}/s`,
    'MB/s': `${Math.round(value)} MB/s`,
    MB: `${Math.round(value)} MB`,
    'ms p50': `${value.toFixed(2)} ms`,
    'ms p99': `${value.toFixed(2)} ms`,
  }[figure.unit]
  return figure.note ? `${amount}, ${figure.note(measured)}` : amount
}

const toCount = (value: number): string =>
  value < 10_000 ? String(Math.round(value)) : `${(value / 1_000).toFixed(1)} K`

const toTimes = ({ p50Ms, p99Ms }: { readonly p50Ms: number; readonly p99Ms: number }): string =>
  `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`
