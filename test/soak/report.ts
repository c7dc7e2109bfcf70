import { cpus, release, type } from 'node:os'
import { type LinePlot, toLinePlot } from '../plot/svg.ts'
import { type Sample, sampleEveryMs } from './sample.ts'
import { toMean, toMedian } from './series.ts'
import { type Check, type Ended, leastMinutesToJudge, ofQuarter } from './verdict.ts'

/** What the report tells beyond what was measured. */
export type SoakConditions = {
  /** ISO 8601 day, UTC. */
  readonly date: string
  readonly command: string
  readonly rate: number
  /** The storage of the server: `HDFS 3.4.3 …`, or the embedded file system. */
  readonly fileSystem: string
  /** Load average of the system before the start and at the end. */
  readonly loadBefore: number
  readonly loadAfter: number
  readonly complaints: number
  /** What else the reader has to know. */
  readonly note: string | undefined
  /** Rounds of the client of the gateway and of the one of the management. */
  readonly visits: number
  readonly polls: number
  /** Files that the consumer took out of the file system. */
  readonly files: number
}

type Row = readonly string[]

/** The plots, by the name of their file. */
export const toPlots = (samples: readonly Sample[], note: string): Readonly<Record<string, string>> => {
  const line = (name: string, pick: (sample: Sample) => number): LinePlot['series'][number] => ({
    name,
    points: samples.map(sample => [sample.atMs / 60_000, pick(sample)]),
  })
  const x = { label: 'time (min)' }
  return {
    'soak-memory.svg': toLinePlot({
      title: 'Memory of the server',
      x,
      y: { label: 'memory (MB)' },
      series: [
        line('resident', ({ residentMb }) => residentMb),
        line('heap used', ({ heapMb }) => heapMb),
        line('external', ({ externalMb }) => externalMb),
      ],
      note,
    }),
    'soak-latency.svg': toLinePlot({
      title: 'Latency of intake, of each 10 s',
      x,
      y: { label: 'latency (ms)', scale: 'log' },
      series: [
        line('p50', ({ p50Ms }) => p50Ms),
        line('p99', ({ p99Ms }) => p99Ms),
        line('longest', ({ maxMs }) => maxMs),
        line('bare sync, p99', ({ syncP99Ms }) => syncP99Ms),
      ],
      note,
    }),
    'soak-descriptors.svg': toLinePlot({
      title: 'Descriptors, threads and backlog of the server',
      x,
      y: { label: 'number' },
      series: [
        line('descriptors', ({ descriptors }) => descriptors),
        line('threads', ({ threads }) => threads),
        line('files that wait', ({ backlogFiles }) => backlogFiles),
      ],
      note,
    }),
  }
}

/** Each quarter in a row, the header first. */
export const toQuarterRows = ({ samples, minutes, quarterP99Ms }: Ended): readonly Row[] => [
  [
    'quarter',
    'events/s',
    'p50 ms',
    'p99 ms',
    'max ms',
    'bare sync p99 ms',
    'resident MB',
    'heap MB',
    'external MB',
    'descriptors',
    'threads',
    'backlog',
    'errors',
  ],
  ...[0, 1, 2, 3].map(quarter => {
    const these = ofQuarter(samples, minutes, quarter)
    const all = (pick: (sample: Sample) => number): number[] => these.map(pick)
    const sum = (pick: (sample: Sample) => number): number => all(pick).reduce((a, b) => a + b, 0)
    const max = (pick: (sample: Sample) => number): number => Math.max(0, ...all(pick))
    return [
      String(quarter + 1),
      (sum(({ acknowledged }) => acknowledged) / Math.max(1, (these.length * sampleEveryMs) / 1_000)).toFixed(0),
      toMedian(all(({ p50Ms }) => p50Ms)).toFixed(2),
      (quarterP99Ms[quarter] ?? 0).toFixed(1),
      max(({ maxMs }) => maxMs).toFixed(0),
      toMedian(all(({ syncP99Ms }) => syncP99Ms)).toFixed(1),
      `${toMean(all(({ residentMb }) => residentMb)).toFixed(0)} (≤ ${max(({ residentMb }) => residentMb).toFixed(0)})`,
      toMean(all(({ heapMb }) => heapMb)).toFixed(0),
      toMean(all(({ externalMb }) => externalMb)).toFixed(0),
      `${toMedian(all(({ descriptors }) => descriptors))} (≤ ${max(({ descriptors }) => descriptors)})`,
      String(toMedian(all(({ threads }) => threads))),
      `≤ ${max(({ backlogFiles }) => backlogFiles)} files, ${max(({ backlogMb }) => backlogMb).toFixed(1)} MB`,
      String(sum(({ errors }) => errors)),
    ]
  }),
]

/** Each check in a row, the header first. */
export const toCheckRows = (checks: readonly Check[]): readonly Row[] => [
  ['what', 'measured', 'bound', 'verdict'],
  ...checks.map(({ what, measured, bound, holds }) => [
    what,
    measured,
    bound,
    holds === undefined ? `not judged below ${leastMinutesToJudge} minutes` : holds ? 'holds' : 'FAILS',
  ]),
]

/** The whole of docs/soak.md. */
export const toMarkdown = (ended: Ended, checks: readonly Check[], conditions: SoakConditions): string => `# Soak

The whole server, as a real process with its default settings but ports, directory and shorter times until segments are
sealed and committed, under a load that never pauses. Clients send events by JSON, Smile, Thrift, \`/1\`, \`/2\` and Scribe at a
fixed rate; a latency counts from when its request was due. One request in twenty has a connection of its own.
A client of the gateway looks at pages, reads rows of event files and of a file that grows, uploads, downloads and
deletes; another one reads \`/metrics\`, \`/jolokia\` and \`/rpc\` every few seconds. A consumer takes files out of the file
system after some minutes, and every event in them is held against what was acknowledged.

- ${conditions.date}, \`${conditions.command}\`
- ${ended.minutes} minutes at ${conditions.rate} events/s; ${conditions.fileSystem}
- ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, ${type()} ${release().split('-')[0]}, Node ${process.version}
- load average ${conditions.loadBefore.toFixed(1)} before the start, ${conditions.loadAfter.toFixed(1)} at the end. Clients, HDFS and server share the
  cores${conditions.note === undefined ? '' : `; ${conditions.note}`}
- ${conditions.files} event files, ${conditions.visits} rounds at the gateway, ${conditions.polls} of the management, ${conditions.complaints} warnings or errors in the
  server's log

${toTable(toCheckRows(checks))}

${toTable(toQuarterRows(ended))}

p50 is the median of the samples, p99 that of all requests of the quarter; memory is the mean and the highest sample. A
bare sync is one write of 512 bytes with \`fdatasync\` by another process, twenty times a second, from when it was due; the
median of the p99 of the samples: what the machine leaves to everybody.

![Memory](soak-memory.svg)

![Latency](soak-latency.svg)

![Descriptors](soak-descriptors.svg)
`

const toTable = ([head = [], ...rows]: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
