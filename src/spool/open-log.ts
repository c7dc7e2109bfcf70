import type { Disk } from '../disk/disk.ts'
import { describeDiskError, type Stages } from './heartbeat/stages.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { BrokenEnds } from './log/broken-ends.ts'
import { createLog, type Log, type LogOptions } from './log/log.ts'
import { noteClosed } from './recovery/recovery.ts'
import type { Replica } from './replica/replica.ts'
import type { SealQueue } from './seal/seal-queue.ts'
import { segmentPath } from './segment/segment-files.ts'

export type OpenLogParts = Pick<
  LogOptions,
  'collectorId' | 'firstSegment' | 'ack' | 'mark' | 'settings' | 'mayRoll' | 'now' | 'onSync' | 'invariant'
> & {
  readonly disk: Disk
  readonly ledger: Ledger
  readonly keys: KeyStore
  readonly sealQueue: SealQueue
  readonly ends: BrokenEnds
  /** Only for a spool that is replicated to HDFS. */
  readonly replica: Pick<Replica, 'onKept' | 'isInStep'> | undefined
  /** Of the log. */
  readonly outage: Stages['log']
}

/** The log with those who hear of its segments: ledger, keys, and what seals them. */
export const openLog = ({ ledger, keys, sealQueue, ends, replica, outage, ...options }: OpenLogParts): Log =>
  createLog({
    ...options,
    onKept: replica?.onKept,
    // Nothing waits for it: it only notes which file should exist.
    onOpened: segment => void ledger.append({ type: 'opened', segment }).catch(() => {}),
    onFailed: (error, segment) => {
      const { reason, ...fields } = describeDiskError(error, options.disk, segmentPath(segment))
      outage.failed(reason, { ...fields, segment, err: error })
    },
    onRetried: () => outage.mayWork(),
    onRecovered: () => outage.worked(),
    hasIds: keys.ids.size > 0,
    onIdentity: identity => keys.note(identity, options.now()),
    onClosed: async (closed, load) => {
      const { number: segment, end } = closed
      sealQueue.add(closed, load, true)
      // Nothing waits for the note: a start reads the segments that the ledger does not know of.
      if (end === undefined) noteClosed(ledger, keys, segment, load.events).catch(() => {})
      else await ends.add(segment, end)
      // What is not in HDFS yet is sealed once it is.
      if (replica?.isInStep ?? true) void sealQueue.run()
    },
  })
