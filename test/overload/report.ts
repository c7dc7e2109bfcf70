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
      ? `; ${times(sent)} went out: all ${run.connections} connections had ${run.depth} on their way, and the rest was held back`
      : ''
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'offered',
      `${run.factor} × the capacity of ${rate(capacity.result.accepted)}, afterwards ${rate(run.capacityAfter.result.accepted)}`,
      `${times(due)} was due${heldBack}`,
    ],
    ['goodput', '≥ 80 % of capacity', `${rate(accepted)}, ${percent(accepted / usual)}`],
    ['goodput by CPU time', '≥ 80 %', describeCpu(run)],
    [
      '`node:http` alone under the same load',
      '–',
      `${rate(bareResult.accepted)} of ${rate(bareUsual)}, ${percent(bareResult.accepted / bareUsual)}; by CPU time ${describeCpu(run.bare)}`,
    ],
    ['refusals, p50 / p99', '≤ 100 ms at p99', `${toTimes(refusedMs)} ms, ${rate(refused)}, 503 with Retry-After`],
    ['accepted, p50 / p99', '–', `${toTimes(acceptedMs)} ms (under capacity ${toTimes(capacity.result.acceptedMs)})`],
    ['honest clients', '–', `${rate(honestAccepted)} accepted, ${toTimes(honestMs)} ms`],
    ['first answers of new connections, p50 / p99', '–', `${toTimes(newMs)} ms, ${newMs.max.toFixed(0)} ms at most`],
    ['peak memory', '≤ 400 MB', `${overload.peakMb.toFixed(0)} MB (under capacity ${capacity.peakMb.toFixed(0)} MB)`],
    [
      'accepted, then dropped',
      '0',
      `${books.lost} of ${books.accepted}; ${books.twice} twice; ${books.refusedButKept} of ${books.refused} refused ones kept`,
    ],
    ['other answers', '0', `${overload.result.failures}; ${overload.result.unanswered} without an answer`],
  ]
  const conditions = [
    `${run.seconds} s`,
    run.isPinned ? 'server and generator on a core each' : 'no process bound to a core',
    `the generator's own delay ${overload.result.ownDelayP99Ms.toFixed(0)} ms at p99`,
    `load average before the start ${run.loadBefore.toFixed(1)}`,
    `measured ${new Date().toISOString().slice(0, 10)} by \`${toCommand(run)}\``,
  ]
  return [
    `| R10, ${run.connections} connections${run.depth === 1 ? '' : ` with ${run.depth} requests each`} | goal | measured |`,
    '| --- | --- | --- |',
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
  return `${overload.cpuUs.toFixed(0)} µs for an accepted event, all else included, ${usual.toFixed(0)} µs under capacity: ${percent(usual / overload.cpuUs)}`
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

const toTimes = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): string =>
  `${p50.toFixed(0)} / ${p99.toFixed(0)}`
