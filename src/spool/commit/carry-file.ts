import { FileSystemError } from '../../filesystem/filesystem.ts'
import type { Logger } from '../../log/log.ts'
import type { FileRecord } from '../files/bucket-file.ts'
import { targetPath } from '../files/target-path.ts'
import type { Outage } from '../heartbeat/outage.ts'
import type { Invariant } from '../invariants/invariants.ts'
import type { QuarantineMoves } from '../quarantine/quarantine-moves.ts'
import { type CommitContext, commitFile, LocalDamage } from './commit.ts'
import { isAway } from './is-away.ts'

/** The outcomes of commits since the start. */
export type CommitStats = { flushes: number; flushedEvents: number; errors: number; retries: number; lastError: string }

/** What a pass did so far; `away` once the file system has not answered. */
export type PassReport = { files: number; events: number; bytes: number; failures: number; away?: Error }

export type CarrierOptions = {
  readonly context: CommitContext
  readonly moves: Pick<QuarantineMoves, 'setAside'>
  /** Of commits that fail for another reason than that the file system does not answer. */
  readonly outage: Pick<Outage, 'failed'>
  readonly log: Logger
  readonly stats: CommitStats
  readonly invariant: Invariant
}

/** Commits one file or sets it aside; resolves to whether the pass continues. */
export type CarryFile = (record: FileRecord, report: PassReport) => Promise<boolean>

export const createCarrier = ({ context, moves, outage, log, stats, invariant }: CarrierOptions): CarryFile => {
  const onCommitted = ({ file }: FileRecord, report: PassReport): void => {
    stats.flushes++
    stats.flushedEvents += file.events
    stats.lastError = ''
    report.files++
    report.bytes += file.length
    report.events += file.events
    log.debug({ file: targetPath(file), events: file.events, bytes: file.length }, 'file committed')
  }

  const setAside = async ({ file }: FileRecord, error: Error): Promise<boolean> => {
    try {
      await moves.setAside(file, 'quarantined', error.message, error)
      return true
    } catch (failure) {
      // Thrown on, it would end the pass while other files of it are still under way.
      const reason = `The file could not be quarantined: ${(failure as Error).message}`
      outage.failed(reason, { file: targetPath(file), err: failure })
      return false
    }
  }

  const carry: CarryFile = async (record, report) => {
    const { file } = record
    try {
      if (record.state.at === 'moving') stats.retries++
      const outcome = await commitFile(context, record)
      if (outcome === 'committed') onCommitted(record, report)
      else if (outcome === 'taken')
        await moves.setAside(file, 'taken', 'Its RENAME had no answer, and it stands neither here nor there')
      return true
    } catch (error) {
      if (context.signal.aborted) return false
      report.failures++
      stats.errors++
      stats.lastError = (error as Error).message
      if (isFinal(error)) return await setAside(record, error)
      if (isAway(error)) report.away = error
      // Those under way beside it fail for the same reason: one line for all, for it may last.
      else outage.failed((error as Error).message, { file: targetPath(file), err: error })
      return false
    }
  }

  const underWay = new Set<string>()
  return async (record, report) => {
    const { name } = record.file
    // Two at once could both send it, and each take what it finds for its own.
    invariant(!underWay.has(name), 'a file is committed by one at a time', () => ({ file: name }))
    underWay.add(name)
    try {
      return await carry(record, report)
    } finally {
      underWay.delete(name)
    }
  }
}

/** The last word about one file, of the local disk or of the file system; everything else is a matter of time. */
const isFinal = (error: unknown): error is Error =>
  error instanceof LocalDamage ||
  (error instanceof FileSystemError && error.code !== 'unavailable' && error.code !== 'not-found')
