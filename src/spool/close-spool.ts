import type { Disk } from '../disk/disk.ts'
import type { Logger } from '../log/log.ts'
import { startTimeout } from '../runtime/timers.ts'
import type { Committing } from './commit/committing.ts'
import type { Gate } from './gate.ts'
import type { Heartbeat } from './heartbeat/heartbeat.ts'
import type { Invariants } from './invariants/invariants.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { Ledger } from './ledger/ledger.ts'
import { isCarrying, type LedgerState, notedSegments, unsettledSegments } from './ledger/ledger-state.ts'
import type { Replica } from './replica/replica.ts'

/** How long a stop waits for the file system to take what is left; the rest is taken at the next start. */
const closeFlushMs = 10_000

export type CloseParts = Pick<Committing, 'flusher' | 'tables' | 'upkeep' | 'strays' | 'abort'> & {
  readonly gate: Gate
  readonly invariants: Pick<Invariants, 'broken'>
  /** Only for a spool that is replicated to HDFS. */
  readonly replica: Pick<Replica, 'isInStep' | 'leave' | 'stop'> | undefined
  readonly stopHeartbeat: () => void
  readonly heart: Heartbeat
  readonly sealEverything: () => Promise<void>
  readonly ledger: Ledger
  readonly keys: KeyStore
  readonly disk: Disk
  readonly log: Logger
}

/** Makes what closes the spool: it seals, tries one commit, and says what is left. */
export const createClose = (parts: CloseParts): (() => Promise<void>) => {
  const { gate, invariants, replica, stopHeartbeat, heart, sealEverything, flusher, tables, strays, abort } = parts
  const { ledger, keys, disk, log } = parts
  const { state } = ledger
  const { waiting } = state.files.figures

  /** Whether anything that is noted counts. */
  const canNote = (): boolean => !invariants.broken && (replica?.isInStep ?? true)

  const leave = async (): Promise<void> => {
    await sealEverything()
    if (isCarrying(state) && waiting.files > 0) {
      await flusher.flush()
      await tables.commit(true)
    }
    if (state.drained && waiting.files === 0) await strays.leave()
  }

  return async () => {
    if (gate.isClosing) return
    gate.close()
    stopHeartbeat()
    parts.upkeep.stop()
    replica?.stop()
    // A pass under way counts as well: it may have a large backlog before it.
    const giveUp = startTimeout(abort, canNote() ? closeFlushMs : 0)
    await heart.stop()
    if (canNote()) await leave()
    clearTimeout(giveUp)
    if (waiting.files > 0) {
      const left = { files: waiting.files, events: waiting.events, bytes: waiting.bytes }
      log.warn(left, 'stopped with events that are not in the file system yet; the next start delivers them')
    }
    await keys.flush().catch(() => {})
    await keys.close()
    await ledger.close()
    if (canNote() && isSettled(state)) await replica?.leave()
    await disk.close()
  }
}

/** Whether everything ever accepted is in the file system, and an operator has nothing to look into. */
const isSettled = (state: LedgerState): boolean =>
  notedSegments(state).size === 0 && unsettledSegments(state).size === 0 && state.damage.lost.files.length === 0
