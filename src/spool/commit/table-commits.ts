import type { Logger } from '../../log/log.ts'
import { targetPath } from '../files/target-path.ts'
import { createInTurn } from '../heartbeat/in-turn.ts'
import type { Outage } from '../heartbeat/outage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { QuarantineMoves } from '../quarantine/quarantine-moves.ts'
import type { AppendToTable, TableOutcome } from '../tables/append-to-table.ts'
import { createTableLanes } from '../tables/table-lanes.ts'
import type { CommitStats } from './carry-file.ts'
import { gatherTables, type TableFiles, tablesWithFiles } from './gather-tables.ts'
import { createSnapshotTurns, type SnapshotTurnsOptions } from './snapshot-turns.ts'

/** Files of one snapshot: their statistics are in memory together. */
const maxFiles = 2_000

/** Snapshots of tables since the start. */
export type SnapshotStats = { snapshots: number; failures: number; lastAt: number | undefined; lastError: string }

export type TableCommitsOptions = Omit<SnapshotTurnsOptions, 'isDrained'> & {
  readonly ledger: Ledger
  readonly append: AppendToTable
  readonly moves: Pick<QuarantineMoves, 'setAside'>
  readonly outage: Pick<Outage, 'failed' | 'worked'>
  readonly log: Logger
  readonly stats: CommitStats
  readonly signal: AbortSignal
}

/** Makes files that are at their places part of their tables. */
export type TableCommits = {
  /** Of each table whose time has come, or of all. Of the former it does not wait for slow ones. */
  commit(all?: boolean): Promise<SnapshotReport>
  /** Ends the pauses after failures: a caller waits. */
  hurry(): void
  readonly stats: Readonly<SnapshotStats>
}

export type SnapshotReport = { files: number; bytes: number; failures: number }

export const createTableCommits = (options: TableCommitsOptions): TableCommits => {
  const { ledger, append, outage, log, now, signal } = options
  const { files: known } = ledger.state
  const placed = known.figures.of('placed')
  const wasRemoved = (name: string): boolean => ledger.state.settled.has(name)
  const snapshots: SnapshotStats = { snapshots: 0, failures: 0, lastAt: undefined, lastError: '' }
  const turns = createSnapshotTurns({ ...options, isDrained: () => ledger.state.drained })
  const inTurn = createInTurn()
  const lanes = createTableLanes({
    signal,
    onSlow: table => log.warn({ table }, 'the snapshot of a table takes long; other tables do not wait for it'),
  })

  const commitTable = async (table: string, files: TableFiles, report: SnapshotReport): Promise<void> => {
    const inOrder = files.placed.toSorted((a, b) => a.segment - b.segment)
    for (let from = 0; from < inOrder.length && !signal.aborted; from += maxFiles) {
      const lot = inOrder.slice(from, from + maxFiles)
      const outcome = await append(table, lot, [...files.others, ...inOrder], wasRemoved)
      await noteOutcome(options, outcome, report)
      if (outcome.committed.length === 0) continue
      snapshots.snapshots++
      snapshots.lastAt = now()
    }
    turns.worked(table)
  }

  const tryTable = async (table: string, files: TableFiles, report: SnapshotReport): Promise<void> => {
    try {
      await commitTable(table, files, report)
    } catch (error) {
      if (signal.aborted) return
      report.failures++
      snapshots.failures++
      snapshots.lastError = `${table}: ${(error as Error).message}`
      turns.failed(table)
      outage.failed(snapshots.lastError, { table, err: error })
    }
  }

  const pass = async (all: boolean): Promise<SnapshotReport> => {
    const report: SnapshotReport = { files: 0, bytes: 0, failures: 0 }
    const waiting = tablesWithFiles(known)
    turns.forget(table => waiting.has(table))
    const due = [...waiting].filter(table => !lanes.isBusy(table) && (all || turns.isDue(table)))
    if (due.length === 0) return report
    const gathered = gatherTables(known, due)
    await lanes.run(due, table => tryTable(table, gathered.get(table) ?? { placed: [], others: [] }, report))
    if (report.files > 0) log.info(report, 'files are part of their tables')
    if (turns.hasFailed) return report
    snapshots.lastError = ''
    outage.worked()
    return report
  }

  const passInTurn = (all: boolean): Promise<SnapshotReport> =>
    inTurn(async () => (placed.files > 0 ? await pass(all) : { files: 0, bytes: 0, failures: 0 }))

  return {
    stats: snapshots,
    commit: async (all = false) => {
      // Slow tables are waited for separately, while other tables continue.
      if (all) await lanes.settle()
      const report = await passInTurn(all)
      if (all) await lanes.settle()
      return report
    },
    hurry: () => turns.hurry(),
  }
}

/** Notes in the ledger, and counts, what became of files. */
const noteOutcome = async (
  { ledger, moves, log, stats, now }: TableCommitsOptions,
  { committed, refused, gone }: TableOutcome,
  report: SnapshotReport,
): Promise<void> => {
  const at = now()
  await ledger.append(...committed.map(({ name }) => ({ type: 'committed' as const, name, at })))
  for (const { events, length } of committed) {
    stats.flushes++
    stats.flushedEvents += events
    report.files++
    report.bytes += length
  }
  for (const { file, reason } of refused) await moves.setAside(file, 'quarantined', reason.message, reason)
  for (const file of gone) {
    const fields = { file: targetPath(file), events: file.events }
    log.warn(fields, 'a file disappeared before its table listed it; it is sent again')
    await ledger.append({ type: 'requeued', name: file.name })
  }
}
