import type { Verdict } from '../suites/ledger-of-client.ts'
import { longestMs } from './latencies.ts'
import type { Books } from './operator.ts'
import type { Sample } from './sample.ts'
import { toMedian, toQuarter, toSlope } from './series.ts'

/** What is known when all is over. */
export type Ended = {
  readonly minutes: number
  readonly samples: readonly Sample[]
  /** p99 of intake in each quarter, in ms. */
  readonly quarterP99Ms: readonly number[]
  readonly errors: number
  /** The clients' ledger against the contents of the file system. */
  readonly events: Verdict
  readonly acknowledged: number
  /** Events in the file system. */
  readonly found: number
  readonly books: Books
  /** Files that wait, are set aside, or were left in the temporary directory. */
  readonly strayFiles: number
  readonly exitCode: number | null
}

/** One thing that has to hold. */
export type Check = {
  readonly what: string
  readonly measured: string
  readonly bound: string
  /** Undefined where the run was too short to tell. */
  readonly holds: boolean | undefined
}

/** Over the last three quarters, the line of least squares; at 300 events/s a leak of 19 bytes for each is beyond it. */
export const maxSlopeMbPerHour = 20
/** Growth of the median from the second quarter to the last: in the first one, slow answers hold connections. */
export const maxDescriptorDrift = 5
/** p99 of the last quarter against that of the second; the first one has the compiler's warm-up. */
export const maxLatencyRatio = 1.5
/** Caches, pools and compiled code settle in the first minutes: shorter runs say nothing of slopes. */
export const leastMinutesToJudge = 20

/** Every check of a run, with what was measured. */
export const toChecks = (ended: Ended): readonly Check[] => {
  const { events, books, acknowledged, found, strayFiles, errors, exitCode, samples, minutes } = ended
  const isLong = minutes >= leastMinutesToJudge
  const lost = events.lost.length
  const twice = events.twice.length
  const unknown = events.unknown.length
  const slope = toResidentSlope(samples, minutes)
  const drift = toDescriptorDrift(samples, minutes)
  const [, second = 0, , last = 0] = ended.quarterP99Ms
  const ratio = second > 0 ? last / second : 0
  const isMeasured = second > 0 && Math.max(second, last) < longestMs
  const isBalanced =
    books.received === books.accepted + books.rejected && books.accepted === acknowledged && books.committed === found
  return [
    {
      what: 'every acknowledged event is in the file system once',
      measured: `${acknowledged} acknowledged, ${found} found: ${lost} lost, ${twice} twice, ${unknown} unknown`,
      bound: '0 lost, 0 twice, 0 unknown',
      holds: acknowledged > 0 && lost + twice + unknown === 0,
    },
    {
      what: 'the books balance',
      measured: `${books.received} received, ${books.accepted} accepted, ${books.rejected} rejected, ${books.committed} committed`,
      bound: 'received = accepted + rejected; accepted = acknowledged; committed = found',
      holds: isBalanced,
    },
    { what: 'nothing is left over', measured: `${strayFiles} files`, bound: '0 files', holds: strayFiles === 0 },
    { what: 'no error answers', measured: String(errors), bound: '0', holds: errors === 0 },
    { what: 'an orderly end', measured: `exit code ${exitCode}`, bound: '0', holds: exitCode === 0 },
    {
      what: 'resident memory, last three quarters',
      measured: `${slope.toFixed(1)} MB/h`,
      bound: `< ${maxSlopeMbPerHour} MB/h`,
      holds: isLong ? slope < maxSlopeMbPerHour : undefined,
    },
    {
      what: 'open descriptors, last quarter against the second',
      measured: `${drift > 0 ? '+' : ''}${drift}`,
      bound: `≤ ${maxDescriptorDrift}`,
      holds: isLong ? drift <= maxDescriptorDrift : undefined,
    },
    {
      what: 'p99 of intake, last quarter against the second',
      measured: `${ratio.toFixed(2)} (${last.toFixed(1)} ms : ${second.toFixed(1)} ms)`,
      bound: `≤ ${maxLatencyRatio}`,
      holds: isLong ? isMeasured && ratio <= maxLatencyRatio : undefined,
    },
  ]
}

/** Samples of one quarter of the run. */
export const ofQuarter = (samples: readonly Sample[], minutes: number, quarter: number): readonly Sample[] =>
  samples.filter(({ atMs }) => toQuarter(atMs, minutes * msPerMinute) === quarter)

const msPerMinute = 60_000
const msPerHour = 3_600_000

const toResidentSlope = (samples: readonly Sample[], minutes: number): number =>
  toSlope(
    samples
      .filter(({ atMs }) => toQuarter(atMs, minutes * msPerMinute) > 0)
      .map(({ atMs, residentMb }) => [atMs / msPerHour, residentMb]),
  )

const toDescriptorDrift = (samples: readonly Sample[], minutes: number): number => {
  const [second, last] = [1, 3].map(quarter =>
    toMedian(ofQuarter(samples, minutes, quarter).map(({ descriptors }) => descriptors)),
  )
  return (last ?? 0) - (second ?? 0)
}
