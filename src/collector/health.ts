import type { Handler } from '../http/call/call.ts'
import { toOrigin } from '../http/origin/origin.ts'
import type { SpoolForPerson } from '../spool/replica/replica-status.ts'
import type { Spool, SpoolStats } from '../spool/spool.ts'
import { type CollectorFigures, sumCounters } from './counters.ts'
import { compactionItem, toCompactionProblems } from './problems/compaction-problems.ts'
import { toFileProblems } from './problems/file-problems.ts'
import { toReplicaItem, toReplicaProblems } from './problems/replica-problems.ts'
import { toSetAsideItem, toSetAsideProblems } from './problems/set-aside-problems.ts'
import { type ThreadFigures, toThreadProblems, toThreadRefusal, toThreadsItem } from './problems/thread-problems.ts'
import { type Problem, type RealtimeProblem, toAbout, toOtherProblem, toProblems } from './problems.ts'

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

/** The sources of the report; everything answers at once, from what is known. */
export type HealthParts = {
  readonly spool: Spool
  readonly counters: CollectorFigures
  readonly now: () => number
  /** @default a realtime subsystem that is switched off */
  readonly realtime: (() => Omit<HealthItem, 'type'> & Pick<RealtimeProblem, 'problem' | 'isEnabled'>) | undefined
  readonly fileSystem: () => FileSystemStatus
  /** What is wrong with the file of tokens; empty while nothing is, and then the report does not speak of it. */
  readonly tokenProblem: (() => string) | undefined
  /** What is wrong with the settings that were read last; empty while nothing is. */
  readonly settingsProblem: (() => string) | undefined
  /** What is wrong with files of schemas, or with schemas; empty while nothing is. */
  readonly schemaProblem: (() => string) | undefined
  /** What the last pass over the tables could not merge; empty where it could all. */
  readonly compactionProblem: (() => string) | undefined
  /** Threads that take connections, where there are some and they were started. */
  readonly threads: (() => ThreadFigures | undefined) | undefined
  /** Earlier spools of the collector that wait for a person; without one the report does not speak of them. */
  readonly setAside: (() => readonly SpoolForPerson[]) | undefined
  readonly isDraining: () => boolean
}

/** Parameters of `/1.0/healthcheck`. */
export type HealthParams = { readonly pretty?: boolean | undefined }

/** Makes the report for a server reached at `origin`, such as `http://127.0.0.1:8080`. */
export const toHealthReport = (parts: HealthParts, origin: string): HealthReport => {
  const stats = parts.spool.stats()
  const realtime = parts.realtime?.() ?? realtimeOff
  const items: HealthItem[] = [
    toWriterItem(stats, parts.counters, parts.now()),
    { type: 'RealtimeHealthCheck', code: realtime.code, message: realtime.message },
    toFileSystemItem(stats, parts.fileSystem()),
    ...toReplicaItem(stats.replica),
    ...toSetAsideItem(parts.setAside?.() ?? []),
    ...toThreadsItem(threadsOf(parts)),
    ...toSchemasItem(parts.spool.schemas, parts.now()),
    ...toQuietItem('TokenFileHealthCheck', parts.tokenProblem),
    ...toQuietItem('SettingsFileHealthCheck', parts.settingsProblem),
    ...toQuietItem('SchemaFilesHealthCheck', parts.schemaProblem),
    ...toQuietItem(compactionItem, parts.compactionProblem),
  ]
  return {
    location: `${origin}/1.0/healthcheck`,
    size: items.length,
    formatVersion: '1',
    generated: new Date(parts.now()).toISOString(),
    items,
  }
}

/** In a drain they end one after the other, as they should. */
const threadsOf = ({ threads, isDraining }: HealthParts): ThreadFigures | undefined =>
  isDraining() ? undefined : threads?.()

/** Files, and work, of which the report does not speak while nothing is wrong with them. */
const toQuietItem = (type: string, problem: (() => string) | undefined): HealthItem[] => {
  const message = problem?.() ?? ''
  return message === '' ? [] : [{ type, code: 'WARN', message }]
}

/** What is wrong, with what to do: one for each item of the report that is not OK at least, and none where all are. */
export const toReportProblems = (parts: HealthParts, items: readonly HealthItem[]): readonly Problem[] => {
  const stats = parts.spool.stats()
  const ofParts = toProblems({
    stats,
    realtime: parts.realtime?.(),
    fileSystem: parts.fileSystem().problem,
  })
  const ofFiles = toFileProblems({
    tokens: parts.tokenProblem?.() ?? '',
    settings: parts.settingsProblem?.() ?? '',
    schemas: parts.schemaProblem?.() ?? '',
  })
  const ofReplica = toReplicaProblems(stats.replica, stats.accepting)
  const ofAside = toSetAsideProblems(parts.setAside?.() ?? [])
  const ofCompaction = toCompactionProblems(parts.compactionProblem?.() ?? '')
  const ofSpool = [...ofReplica, ...ofAside, ...ofParts]
  const known = [...toThreadProblems(threadsOf(parts)), ...ofSpool, ...ofFiles, ...ofCompaction]
  const rest = items.filter(({ type, code }) => code !== 'OK' && !known.some(({ item }) => item === type))
  return [...known, ...rest.map(toOtherProblem)]
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
  ({ spool, threads, isDraining }: HealthParts) =>
  (): Response => {
    if (isDraining()) return toProbe(503, 'draining')
    const { accepting, refusal } = spool.stats()
    const reason = accepting ? toThreadRefusal(threads?.()) : refusal
    return reason === '' ? toProbe(200, 'ok') : toProbe(503, reason)
  }

/** Never cached, and never rendered as a page. */
const plainHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

const toProbe = (status: number, text: string): Response =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain', ...plainHeaders } })

const realtimeOff: Pick<HealthItem, 'code' | 'message'> = {
  code: 'OK',
  message:
    'enabled: false, running: false, types: [], queue sizes: {}, enqueued: 0, sent: 0, dropped: 0, errored: 0, ignored: 0',
}

/** Lost segments that the report names; the log has all of them. */
const maxNamed = 10

const toWriterItem = (stats: SpoolStats, counters: CollectorFigures, now: number): HealthItem => {
  const { accepting, refusal, flushEnabled, quarantinedFiles, takenFiles, lostSegments } = stats
  const localFiles = [...stats.localFiles].map(([file, events]) => `${file}: ${events}`).join(', ')
  const notes = [
    accepting ? '' : `refusing: ${refusal}`,
    ...toDelays(stats, now),
    stats.idempotencyProblem === '' ? '' : `idempotency keys or event ids are missing: ${stats.idempotencyProblem}`,
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
  // On a small screen the cause has to come first.
  return { type: 'WriterHealthCheck', code, message: [...notes, ...figures].join(', ') }
}

/** The stages of the way to the file system, for people. */
const stageWords = { log: 'open segment', sealing: 'segments to be sealed', commit: 'sealed files' } as const

/** What holds acknowledged events up: work that fails, and where they are old. The file system has an item of its own. */
const toDelays = ({ troubles, stages, lateSeconds }: SpoolStats, now: number): string[] => [
  ...troubles
    .filter(({ work }) => work !== 'commit' && work !== 'log')
    .map(({ work, reason, since }) => `${work} fails since ${toAbout((now - since) / 1_000)}: ${reason}`),
  ...(['log', 'sealing', 'commit'] as const)
    .filter(stage => stages[stage].oldestSeconds > lateSeconds)
    .map(stage => {
      const { events, oldestSeconds } = stages[stage]
      return `late: ${events} events in the ${stageWords[stage]}, the oldest waits for ${toAbout(oldestSeconds)}`
    }),
]

/** For how long values that their columns could not hold are part of the report, in ms. */
const misfitMs = 24 * 3_600_000

/** Columns whose sums miss values; the report does not mention it otherwise. */
const toSchemasItem = (schemas: Spool['schemas'], now: number): HealthItem[] => {
  const recent = schemas.recentMisfits(now - misfitMs)
  const [latest] = recent
  if (!latest) return []
  const columns = recent
    .slice(0, maxNamed)
    .map(({ eventName, name, type, misfits }) => `${eventName}.${name} ${type}: ${misfits} values`)
  const more = recent.length > maxNamed ? [`and ${recent.length - maxNamed} more columns`] : []
  const message = [
    'columns of Parquet files could not hold values, which are in _extra',
    ...columns,
    ...more,
    `the last ${toAbout((now - latest.lastMisfitAt) / 1_000)} ago`,
  ].join(', ')
  return [{ type: 'ParquetSchemasHealthCheck', code: 'WARN', message }]
}

const toFileSystemItem = ({ lastFlushError }: SpoolStats, { configuration, problem }: FileSystemStatus): HealthItem => {
  const problems = [problem, lastFlushError && `last flush: ${lastFlushError}`].filter(text => text !== '')
  const code = problems.length === 0 ? 'OK' : 'WARN'
  const rest = lastFlushError === '' ? [configuration] : [configuration, sealedWhenFull]
  // On a small screen the cause has to come first.
  return { type: 'HadoopHealthCheck', code, message: [...problems, ...rest].join(', ') }
}

/** What is done meanwhile, where files cannot go. */
const sealedWhenFull = 'segments are sealed when they are full'
