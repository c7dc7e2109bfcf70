import type { GeneratorResult } from './load.ts'
import type { Books } from './reckon.ts'

/** One load on the server, and the most memory that it took meanwhile. */
export type Measured = {
  readonly result: GeneratorResult
  readonly peakMb: number
  /** CPU time of the server, refusals included, for each accepted event: what others do on the machine hardly counts. */
  readonly cpuUs: number
}

/** A server under all that it can take, under the overload, and under all that it can take again. */
export type Side = { readonly capacity: Measured; readonly overload: Measured; readonly capacityAfter: Measured }

/** A whole run: its conditions, what was measured, and what the books say. */
export type Overload = Side & {
  readonly seconds: number
  /** How many times its capacity was due. */
  readonly factor: number
  readonly connections: number
  readonly depth: number
  readonly isPinned: boolean
  /** The system's load average before the start: others had a part of the machine. */
  readonly loadBefore: number
  /** The bare server of the benchmarks under the same: what Node alone keeps of its capacity with so many connections. */
  readonly bare: Side
  readonly books: Books
}

/** Rows for RELIABILITY.md: what, goal, measured. */
export const toMarkdown = (run: Overload): string => {
  const { capacity, overload, books } = run
  const { due, sent, accepted, refused, refusedMs, acceptedMs, honestMs, honestAccepted, newMs } = overload.result
  const usual = toCapacity(run)
  const bareUsual = toCapacity(run.bare)
  const { result: bareResult } = run.bare.overload
  const times = (count: number): string => `${(count / usual).toFixed(1)} ×`
  const rate = (count: number): string => `${Math.round(count)}/s`
  const heldBack =
    sent < due * 0.99
      ? `; ${times(sent)} sent: each connection waits for ${run.depth} answer${run.depth === 1 ? '' : 's'}`
      : ''
  const rows: readonly (readonly [string, string])[] = [
    ['offered', `${times(due)} ${rate(usual)}${heldBack}`],
    ['goodput', `${rate(accepted)}, ${percent(accepted / usual)} (≥ 80 %)`],
    ['by CPU', `${describeCpu(run)} (≥ 80 %)`],
    [
      '`node:http` alone',
      `${rate(bareResult.accepted)}, ${percent(bareResult.accepted / bareUsual)}; by CPU ${describeCpu(run.bare)}`,
    ],
    ['refusals', `${toTimes(refusedMs)} ms (≤ 100), ${rate(refused)}`],
    ['accepted', `${toTimes(acceptedMs)} ms (at capacity ${toTimes(capacity.result.acceptedMs)})`],
    ['honest clients', `${toTimes(honestMs)} ms, ${rate(honestAccepted)}`],
    ['new connections', `${toTimes(newMs)} ms, max ${newMs.max.toFixed(0)}`],
    ['peak memory', `${overload.peakMb.toFixed(0)} MB (≤ 400; at capacity ${capacity.peakMb.toFixed(0)})`],
    [
      'dropped, twice; kept though refused',
      `${books.lost}, ${books.twice} of ${books.accepted}; ${books.refusedButKept} of ${books.refused}`,
    ],
    ['other answers, none', `${overload.result.failures}, ${overload.result.unanswered}`],
  ]
  const conditions = [
    `${run.seconds} s`,
    ...(run.isPinned ? [] : ['no process bound to a core']),
    `generator's delay ${overload.result.ownDelayP99Ms.toFixed(0)} ms p99`,
    `load average ${run.loadBefore.toFixed(1)}`,
    `${new Date().toISOString().slice(0, 10)}, \`${toCommand(run)}\``,
  ]
  return [
    `| R10, ${run.connections} connections${run.depth === 1 ? '' : ` with ${run.depth} requests each`}, p50/p99 | measured (goal) |`,
    '| --- | --- |',
    ...rows.map(cells => `| ${cells.join(' | ')} |`),
    '',
    `${conditions.join('; ')}.`,
  ].join('\n')
}

/** The command that measures the same again. */
const toCommand = ({ seconds, connections, factor, depth }: Overload): string =>
  [
    `npm run overload -- --seconds ${seconds} --connections ${connections}`,
    ...(factor === 10 ? [] : [`--factor ${factor}`]),
    ...(depth === 1 ? [] : [`--depth ${depth}`]),
  ].join(' ')

/** Name of the place in RELIABILITY.md for the rows of such a load. */
export const placeOf = ({ connections, depth }: Pick<Overload, 'connections' | 'depth'>): string =>
  `overload-${connections}${depth === 1 ? '' : `x${depth}`}`

/** Events/s that the server takes, before and after. */
const toCapacity = ({ capacity, capacityAfter }: Side): number =>
  (capacity.result.accepted + capacityAfter.result.accepted) / 2

const describeCpu = ({ capacity, overload, capacityAfter }: Side): string => {
  const usual = (capacity.cpuUs + capacityAfter.cpuUs) / 2
  return percent(usual / overload.cpuUs)
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

const toTimes = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): string =>
  `${p50.toFixed(0)}/${p99.toFixed(0)}`
