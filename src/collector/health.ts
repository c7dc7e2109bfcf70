import type { Handler } from '../http/call.ts'
import { toOrigin } from '../http/origin.ts'
import type { Spool, SpoolStats } from '../spool/spool.ts'
import { type CollectorCounters, sumCounters } from './counters.ts'

/** ERROR while intake refuses, and when events are lost; what costs no event yet is WARN. */
export type HealthCode = 'OK' | 'WARN' | 'ERROR'

/** One subsystem, in the old server's wording: `name: value, …`. */
export type HealthItem = { readonly type: string; readonly code: HealthCode; readonly message: string }

/** The health report of the collector's specification, part 2. */
export type HealthReport = {
  readonly location: string
  readonly size: number
  readonly formatVersion: string
  /** ISO 8601 with ms, UTC. */
  readonly generated: string
  readonly items: readonly HealthItem[]
}

/** The file system behind the spool: its configuration as text, and what is wrong with it now, if anything. */
export type FileSystemStatus = { readonly configuration: string; readonly problem: string }

/** What the report is made of; everything answers at once, from what is known. */
export type HealthParts = {
  readonly spool: Spool
  readonly counters: CollectorCounters
  readonly now: () => number
  /** @default a realtime subsystem that is switched off */
  readonly realtime: (() => Omit<HealthItem, 'type'>) | undefined
  readonly fileSystem: () => FileSystemStatus
  /** What is wrong with the file of tokens; empty while nothing is, and then the report does not speak of it. */
  readonly tokenProblem: (() => string) | undefined
  readonly isDraining: () => boolean
}

/** Parameters of `/1.0/healthcheck`. */
export type HealthParams = { readonly pretty?: boolean | undefined }

/** Makes the report for a server reached at `origin`, such as `http://127.0.0.1:8080`. */
export const toHealthReport = (parts: HealthParts, origin: string): HealthReport => {
  const stats = parts.spool.stats()
  const realtime = parts.realtime?.() ?? realtimeOff
  const tokenProblem = parts.tokenProblem?.() ?? ''
  const items: HealthItem[] = [
    toWriterItem(stats, parts.counters),
    { type: 'RealtimeHealthCheck', ...realtime },
    toFileSystemItem(stats, parts.fileSystem()),
    ...(tokenProblem === '' ? [] : [{ type: 'TokenFileHealthCheck', code: 'WARN', message: tokenProblem } as const]),
  ]
  return {
    location: `${origin}/1.0/healthcheck`,
    size: items.length,
    formatVersion: '1',
    generated: new Date(parts.now()).toISOString(),
    items,
  }
}

/** Answers the report; 503 when an item is ERROR. */
export const createGetHealth =
  (parts: HealthParts): Handler<HealthParams> =>
  call => {
    const report = toHealthReport(parts, toOrigin(call))
    return new Response(JSON.stringify(report, null, call.params.pretty === true ? 2 : undefined), {
      status: report.items.some(item => item.code === 'ERROR') ? 503 : 200,
      headers: { 'content-type': 'application/json; charset=UTF-8', ...plainHeaders },
    })
  }

/** The process runs: always 200. */
export const getLivez = (): Response => toProbe(200, 'ok')

/** New requests are welcome; 503 from the moment a drain begins, so that balancers look elsewhere in time. */
export const createGetReadyz =
  ({ spool, isDraining }: HealthParts) =>
  (): Response => {
    if (isDraining()) return toProbe(503, 'draining')
    const { accepting, refusal } = spool.stats()
    return accepting ? toProbe(200, 'ok') : toProbe(503, refusal)
  }

/** Never kept, and never taken for a page. */
const plainHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

const toProbe = (status: number, text: string): Response =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain', ...plainHeaders } })

const realtimeOff: Omit<HealthItem, 'type'> = {
  code: 'OK',
  message:
    'enabled: false, running: false, types: [], queue sizes: {}, enqueued: 0, sent: 0, dropped: 0, errored: 0, ignored: 0',
}

/** Lost segments that the report names; all of them stand in the log. */
const maxNamed = 10

const toWriterItem = (stats: SpoolStats, counters: CollectorCounters): HealthItem => {
  const { accepting, refusal, flushEnabled, quarantinedFiles, takenFiles, lostSegments } = stats
  const localFiles = [...stats.localFiles].map(([file, events]) => `${file}: ${events}`).join(', ')
  const notes = [
    accepting ? '' : `refusing: ${refusal}`,
    flushEnabled ? '' : `flushing is disabled, ${sealedWhenFull}`,
    lostSegments.length === 0
      ? ''
      : `lost: ${stats.lostEvents} events of ${lostSegments.slice(0, maxNamed).join(', ')}`,
    quarantinedFiles === 0 ? '' : `quarantined: ${quarantinedFiles}`,
    takenFiles === 0
      ? ''
      : `taken: ${takenFiles} files with ${stats.takenEvents} events are not seen in the file system`,
  ].filter(note => note !== '')
  const figures = [
    `running: ${accepting}`,
    `local files: {${localFiles}}`,
    `enqueued: ${stats.queuedEvents + stats.writtenEvents + stats.erroredEvents + stats.unknownEvents}`,
    `written: ${stats.writtenEvents}`,
    `dropped: ${sumCounters(counters, 'lost')}`,
    `errored: ${sumCounters(counters, 'errored')}`,
    `ignored: ${sumCounters(counters, 'ignored')}`,
    `pendingFiles: ${stats.pendingFiles}`,
    `flushes: ${stats.flushes}`,
  ]
  const code = accepting && lostSegments.length === 0 ? (notes.length === 0 ? 'OK' : 'WARN') : 'ERROR'
  return { type: 'WriterHealthCheck', code, message: [...figures, ...notes].join(', ') }
}

const toFileSystemItem = ({ lastFlushError }: SpoolStats, { configuration, problem }: FileSystemStatus): HealthItem => {
  const problems = [problem, lastFlushError && `last flush: ${lastFlushError}`].filter(text => text !== '')
  const code = problems.length === 0 ? 'OK' : 'WARN'
  const rest = lastFlushError === '' ? [configuration] : [configuration, sealedWhenFull]
  // Whoever reads on a small screen reads the cause first.
  return { type: 'HadoopHealthCheck', code, message: [...problems, ...rest].join(', ') }
}

/** What is done meanwhile, where files cannot go. */
const sealedWhenFull = 'segments are sealed when they are full'
