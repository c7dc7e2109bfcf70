import { setTimeout as sleep } from 'node:timers/promises'
import type { DrainStatus, LeftPiece } from '../../../src/spool/drain/drain-status.ts'
import type { CommandInput } from '../command/command.ts'
import { CliError } from '../command/failure.ts'
import { createProgress } from '../print/progress.ts'
import { marks, style } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount, toCountOrDash } from '../print/units.ts'

/** What is left in a spool, and in the queues of the broker beside it. */
export type DrainReport = DrainStatus & {
  readonly realtime: { readonly events: number; readonly types: Readonly<Record<string, number>> }
}

/** How often is looked. */
const pollMs = 250

/** How often a line is written where no bar can be drawn. */
const lineMs = 5_000

/** The broker accepts nothing any more: the wait ends. */
const brokerPatienceMs = 5_000

type WaitOptions = {
  readonly read: () => Promise<DrainReport>
  readonly timeoutMs: number
  readonly onReport?: (report: DrainReport) => void
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/**
 * Waits until nothing is on its way any more, or the time is over: the rest is delivered by itself or not at all.
 * @throws CliError `undone` when the drain is undone meanwhile
 */
const waitUntilDrained = async (options: WaitOptions): Promise<DrainReport> => {
  const { read, timeoutMs, onReport, now = () => performance.now(), wait = sleep } = options
  const until = now() + timeoutMs
  let least = Number.POSITIVE_INFINITY
  let leastAt = now()
  for (;;) {
    const report = await read()
    onReport?.(report)
    if (!report.drained) throw new CliError('The drain was undone meanwhile', { code: 'undone' })
    const { left, realtime } = report
    const at = now()
    if (realtime.events < least) {
      least = realtime.events
      leastAt = at
    }
    const isForwarded = realtime.events === 0 || at - leastAt > brokerPatienceMs
    const isCarried = left.waiting.files === 0 && left.waiting.events === 0
    if ((isCarried && isForwarded) || at >= until) return report
    await wait(Math.min(pollMs, until - at))
  }
}

/** Waits as {@link waitUntilDrained} does, and shows how far it is: a bar on a terminal, a line now and then elsewhere. */
export const showDrain = async (
  label: string,
  options: Pick<WaitOptions, 'read' | 'timeoutMs'>,
  { output, logToStderr }: Pick<CommandInput<unknown, unknown>, 'output' | 'logToStderr'>,
): Promise<DrainReport> => {
  const progress = createProgress({ label, format: toCount })
  let first: DrainStatus['flushed'] | undefined
  let toldAt = performance.now()
  const onReport = (report: DrainReport): void => {
    first ??= report.flushed
    const done = report.flushed.events - first.events
    const { events, files } = report.left.waiting
    progress.update(done, done + events, `${plural(files, 'file')} left ${report.problem}`)
    if (process.stderr.isTTY || output !== 'table' || performance.now() - toldAt < lineMs) return
    toldAt = performance.now()
    const problem = report.problem === '' ? '' : `: ${toSafeText(report.problem)}`
    logToStderr(`${label}: ${toCount(done)} of ${plural(done + events, 'event')} have gone${problem}`)
  }
  try {
    return await waitUntilDrained({ ...options, onReport })
  } finally {
    progress.end()
  }
}

/**
 * Reports the outcome; ends with exit code 1 when anything is left.
 * @param waits what becomes of files on their way
 * @param place where the events are that have gone
 */
export const tellDrained = (
  report: DrainReport,
  { verb, waits, place }: { readonly verb: string; readonly waits: string; readonly place?: string },
  { log, table, fail, warn }: Pick<CommandInput<unknown, unknown>, 'log' | 'table' | 'fail' | 'warn'>,
): void => {
  const { left, directory, flushed, realtime, lostEvents, problem } = report
  if (realtime.events > 0) {
    const types = Object.entries(realtime.types).map(([type, events]) => `${type}: ${toCount(events)}`)
    const waiting = `${plural(realtime.events, 'event')} (${types.join(', ')})`
    warn(toSafeText(`The broker has not taken ${waiting}, which are in the file system: it never gets them from here`))
  }
  if (lostEvents > 0)
    warn(`${plural(lostEvents, 'event')} were lost before, with files of the spool: see \`sluice spool verify\``)
  const { waiting, quarantined, taken } = left
  const all = [waiting, quarantined, taken]
  const [files, events, bytes] = (['files', 'events', 'bytes'] as const).map(figure =>
    all.reduce((sum, one) => sum + one[figure], 0),
  ) as [number, number, number]
  const tellPlace = (): void => {
    if (place !== undefined) log(`  The events that went are in ${toSafeText(place)}`)
  }
  if (files === 0 && events === 0) {
    const gone = `${plural(flushed.files, 'file')} with ${plural(flushed.events, 'event')} went to the file system`
    log(`${marks.ok()} ${verb}${flushed.files === 0 ? '' : `: ${gone}`}`)
    log(`  Nothing is left in ${toSafeText(directory)}: it may be deleted.`)
    tellPlace()
    return
  }
  table(left.pieces, [
    { title: 'STATE', cell: row => row.state, paint: text => style('yellow', text) },
    { title: 'EVENTS', cell: row => toCountOrDash(row.events), align: 'right' },
    { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
    { title: 'FILE', field: 'path', cell: row => row.path, flexible: true },
    { title: 'WHY', field: 'reason', cell: row => row.reason || whyNot(row, problem), flexible: true },
  ])
  if (left.pieces.length < files) log(`… and ${plural(files - left.pieces.length, 'file')} more`)
  for (const [state, tally, advice] of [
    ['waiting', waiting, waits],
    [
      'quarantined',
      quarantined,
      'refused, damaged, or a conflict of names: `sluice spool quarantine list`; fix the reason, then drain again',
    ],
    ['taken', taken, 'perhaps in the file system: look there, then `sluice spool quarantine release` or `remove`'],
  ] as const)
    if (tally.files > 0) log(`${marks.warn()} ${plural(tally.files, 'file')} ${state}: ${advice}`)
  tellPlace()
  fail(
    `${plural(events, 'event')} in ${plural(files, 'file')} of ${toBytes(bytes)} are left in ${directory}: do not delete it`,
    'left',
  )
}

const whyNot = ({ state }: LeftPiece, problem: string): string => {
  if (state === 'waiting' || state === 'unsealed') return problem || 'not sent yet'
  return ''
}
