/**
 * BENCHMARKS.md: fixed text around measured sections. Each is between `<!-- NAME -->` and `<!-- /NAME -->`, so that a
 * run which measures some of them leaves the others as they are.
 */
import { sweeps } from './sweeps/sweeps.ts'

/** Markdown by the name of its section: `capacity`, `figures`, `replicated`, `others`, `sizes`, `sweep-<name>`. */
export type Sections = Readonly<Record<string, string>>

/** Name of the section of a sweep. */
export const sweepSection = (name: string): string => `sweep-${name}`

/** The whole page; a section that was not measured now is taken from the page as it was, if it is there. */
export const toPage = (sections: Sections, before: string): string => {
  const section = (name: string, command: string): string => {
    const text = sections[name] ?? find(before, name) ?? `Not measured yet: \`npm run bench -- ${command} --write\`.\n`
    return `<!-- ${name} -->\n\n${text.trim()}\n\n<!-- /${name} -->`
  }
  const grown = sweeps.map(({ name }) => section(sweepSection(name), `--sweep ${name}`))
  return `${head}
## What one core takes for good

${section('capacity', 'P14')}

${howForGood}
## The figures

${section('figures', '')}

${ofTables}
## A log on three machines

${section('replicated', 'P13')}

${onThreeMachines}
## Beside others

${section('others', 'O1 O2 O3')}

${besideOthers}
## How the cost grows

One parameter grows; Sluice and the bare server in turn, on fresh processes.

${grown.join('\n\n')}

## Sizes

${section('sizes', '--sizes')}

Beside it: \`node -e\` with a \`node:http\` server (for commands, one that does nothing). Medians; memory is \`VmRSS\`.

${commands}`
}

const find = (page: string, name: string): string | undefined => {
  const from = page.indexOf(`<!-- ${name} -->`)
  const to = page.indexOf(`<!-- /${name} -->`)
  return from === -1 || to < from ? undefined : page.slice(from + `<!-- ${name} -->`.length, to)
}

const head = `# Benchmarks

Throughput and latency: what a 202 costs (P: events are on disk before it, by \`fdatasync\`), what files cost (G), the management (A), brokers (R), and other
software (O). Each figure is measured beside a bare server (\`node:http\` unless named) or that software in the same run: the **ratio**
counts, because machines differ. An event has 315 bytes of JSON. A rate of events has its p99 and the CPU time of one event (µs).
The server has one core and the load another. [How each is measured](test/bench/README.md).
`

const howForGood = `Here all threads share one core for a minute, and the backlog does not grow. The rates
below are those of intake; what arrives in a few seconds is sealed later.
`

/** By runs of their own, which take long. */
const ofTables = `## Tables, stores and compaction

Backlogs drain to tables at 3.94 × (embedded files), 2.86 × (HDFS) and 3.41 × (S3Mock) of what arrives, to 300 tables on HDFS at 3.05 × (P9, ≥2×). 1 GiB from
S3Mock: 1.05 × a presigned URL, 61 % core, +25 MB (G1). 250 000 keys: first page 54 ms; all as JSON +161 MB and 1.37 × \`lstat\` (G6, ≤64 MB, ≤1.2×:
**missed**; stores give 1 000 keys an answer). 300 files with 10 million rows made one: 3.8 µs a row, 436 MB, DuckDB's \`COPY\` 0.9 µs, 781 MB (P15, ≤8 µs, ≤512 MB);
p99 meanwhile 1.01 × (A2). 2026-11-28 and 29.
`

const onThreeMachines = `NameNode, three DataNodes (or Kafka brokers) and the collector share two cores and one disk: the CPU time of an event counts. Each
side names it by process.
`

const besideOthers = `A kill or a power cut loses nothing of Sluice and Flume's file channel. nginx answers before it writes: a kill takes a line, a power
cut half a minute; with \`buffer=64k\` each takes a second of lines or more.
`

const commands = `## Measuring it yourself

\`\`\`sh not-run=takes-hours
npm run bench                                  # all figures; -- --all --write: this page
npm run bench -- P1 P3 --seconds 2 --rounds 3  # some, quickly
npm run bench -- O1 O2 O3                      # beside nginx, Flume and HttpFS (JDK, Maven)
npm run bench -- --sweep [NAME…]               # ${sweeps.map(({ name }) => name).join(', ')}
npm run bench -- --help                        # the rest
\`\`\`
`
