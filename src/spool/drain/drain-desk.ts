import { resolve } from 'node:path'
import type { Disk } from '../../disk/disk.ts'
import type { Flusher } from '../commit/flusher.ts'
import type { TableCommits } from '../commit/table-commits.ts'
import { localPath } from '../files/spool-paths.ts'
import type { Stages } from '../heartbeat/stages.ts'
import type { Invariants } from '../invariants/invariants.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isSealed } from '../ledger/ledger-state.ts'
import type { Log } from '../log/log.ts'
import { viewQuarantine } from '../quarantine/quarantine.ts'
import type { QuarantineMoves } from '../quarantine/quarantine-moves.ts'
import type { SealQueue } from '../seal/seal-queue.ts'
import { parseSegmentName } from '../segment/segment-files.ts'
import type { DrainStatus, LeftPiece } from './drain-status.ts'

/** Takes the spool out of service, and reports the progress. */
export type DrainDesk = {
  drain(): Promise<void>
  undo(): Promise<void>
  status(): Promise<DrainStatus>
}

export type DrainDeskParts = {
  readonly collectorId: string
  readonly disk: Disk
  readonly ledger: Ledger
  readonly log: Log
  readonly sealQueue: SealQueue
  readonly flusher: Pick<Flusher, 'hurry' | 'stats'>
  readonly tables: Pick<TableCommits, 'hurry' | 'stats'>
  readonly stages: Pick<Stages, 'sealing'>
  readonly moves: Pick<QuarantineMoves, 'requeue'>
  readonly invariants: Pick<Invariants, 'check'>
  /** What is left in spools that were set aside: on its way, and for a person. */
  readonly aside: () => Promise<{ readonly waiting: readonly LeftPiece[]; readonly kept: readonly LeftPiece[] }>
}

/** Pieces that are named; the sums count all. */
const maxNamed = 100

/**
 * Sluice 0.1.0 leaves it when it is started on a spool of a later version, which it refuses: a copy of the ledger, which
 * holds no events. Of a ledger that was damaged the ledger itself knows.
 */
const oldLedger = /^_quarantine\/ledger-[\da-f]+\.damaged$/

export const createDrainDesk = (parts: DrainDeskParts): DrainDesk => {
  const { collectorId, disk, ledger, log, sealQueue, flusher, tables, stages, moves, invariants, aside } = parts
  const { state } = ledger

  /** Segments that are not sealed, and pieces in quarantine of which the ledger knows nothing. */
  const lookAround = async () => {
    const segments = await disk.list('log')
    const unknown: LeftPiece[] = []
    for (const directory of ['_quarantine', '_taken'] as const) {
      const pieces = viewQuarantine(directory, await disk.list(directory), state)
      for (const { kind, path, events, bytes, reason } of pieces)
        if (kind === 'unknown' && !oldLedger.test(path)) unknown.push({ path, state: 'damaged', events, bytes, reason })
    }
    return { segments, unknown }
  }

  return {
    drain: async () => {
      // Once this entry is written nothing is accepted: earlier events are before the end of the segment.
      if (!state.drained) await ledger.append({ type: 'drained', drained: true })
      await log.roll()
      await moves.requeue(Number.POSITIVE_INFINITY, 'may go')
      sealQueue.hurry()
      flusher.hurry()
      tables.hurry()
    },
    undo: async () => {
      if (state.drained) await ledger.append({ type: 'drained', drained: false })
    },
    status: async () => {
      // What waits for the end of the drain must not wait forever.
      invariants.check()
      const { segments, unknown } = await lookAround()
      const earlier = await aside()
      const { figures } = state.files
      const unsealed = segments.flatMap(({ name, length }): LeftPiece[] => {
        const number = parseSegmentName(name)
        if (number === undefined || isSealed(state, number)) return []
        const events = state.closed.get(number) ?? 0
        return [{ path: `log/${name}`, state: 'unsealed', events, bytes: length, reason: '' }]
      })
      const damaged = [
        ...unknown,
        ...earlier.kept,
        ...state.damage.values().flatMap(({ file, events, bytes, reason, lost, torn }): LeftPiece[] => {
          // Nothing of the one is left; nothing of the other was ever promised.
          return lost || torn ? [] : [{ path: `_quarantine/${file}`, state: 'damaged', events, bytes, reason }]
        }),
      ]
      const queued = sealQueue.waiting.events + log.openEvents + log.counts.queuedEvents
      const waiting = {
        files: figures.waiting.files + unsealed.length + earlier.waiting.length,
        events: figures.waiting.events + queued,
        bytes: figures.waiting.bytes + sum([...unsealed, ...earlier.waiting], 'bytes') + log.counts.queuedBytes,
      }
      const quarantined = figures.of('quarantined')
      return {
        collectorId,
        directory: resolve(disk.directory),
        drained: state.drained,
        left: {
          waiting,
          quarantined: {
            files: quarantined.files + damaged.length,
            events: quarantined.events + sum(damaged, 'events'),
            bytes: quarantined.bytes + sum(damaged, 'bytes'),
          },
          taken: { ...figures.of('taken') },
          pieces: [...damaged, ...earlier.waiting, ...bucketFiles(state.files), ...unsealed].slice(0, maxNamed),
        },
        problem: stages.sealing.now?.reason ?? (flusher.stats.lastError || tables.stats.lastError),
        lostEvents: state.damage.lost.events,
        flushed: { files: flusher.stats.flushes, events: flusher.stats.flushedEvents },
      }
    },
  }
}

/** The first bucket files that are left: those that will not go by themselves first. */
const bucketFiles = (files: Ledger['state']['files']): LeftPiece[] => {
  const pieces: LeftPiece[] = []
  for (const records of [
    files.inState('quarantined'),
    files.inState('taken'),
    files.waiting(),
    files.inState('placed'),
  ]) {
    for (const { file, state } of records) {
      if (pieces.length === maxNamed) return pieces
      pieces.push({
        path: localPath(file.name, state.at),
        state: state.at === 'quarantined' || state.at === 'taken' ? state.at : 'waiting',
        events: file.events,
        bytes: file.length,
        reason: 'reason' in state ? state.reason : '',
      })
    }
  }
  return pieces
}

const sum = (pieces: readonly LeftPiece[], figure: 'events' | 'bytes'): number =>
  pieces.reduce((all, one) => all + one[figure], 0)
