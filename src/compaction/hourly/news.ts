/** What a pass over all tables is to do, and what it says meanwhile: messages between two processes of the same version. */
import type { LogLine } from '../../log/log-line.ts'
import type { CompactedHour } from '../compact-hour.ts'
import type { OldRows } from '../plan-retention.ts'

export type PassScope = {
  /** Whether files of closed hours are merged. */
  readonly merges: boolean
  /** Days that rows stay, by the name of a table's directory; `*` is all others. Without them rows stay for ever. */
  readonly retention: ReadonlyMap<string, number>
  /** After its end an hour is closed, in ms. */
  readonly afterMs: number
  /** Of a file. */
  readonly targetBytes: number
  /** Paths of tables that have had their turns. */
  readonly skip: readonly string[]
  /** Paths of tables whose turns come last. */
  readonly last: readonly string[]
  /** On whose behalf. */
  readonly collectorId?: string | undefined
}

/** The first message. `Setup` is what the process makes its file systems of. */
export type PassOrder<Setup> = PassScope & { readonly setup: Setup }

/** What holds the files of a table, or of an hour of it, as they are; without a table the pass itself failed. */
export type PassFailure = {
  readonly table: string | undefined
  /** Since the epoch; undefined where it is not about one. */
  readonly hour: number | undefined
  readonly reason: string
}

export type MergedHour = Omit<CompactedHour, 'left' | 'overtaken'> & { readonly table: string }

/** Hours of a table that were beyond its retention. */
export type RemovedRows = OldRows & {
  readonly table: string
  readonly days: number
  /** The snapshot that does without them. */
  readonly snapshotId: bigint
}

/**
 * What a pass says:
 *
 *     begins    the turn of a table
 *     removed   rows of it that were beyond their retention
 *     waits     closed hours of a table with files to merge
 *     merged    files of an hour
 *     failed    a table, or an hour of it
 *     alive     it is at work
 *     ended     a table has no further turn
 *     done      no table has
 */
export type PassNews =
  | { readonly kind: 'begins' | 'ended'; readonly table: string }
  | { readonly kind: 'waits'; readonly table: string; readonly hours: number }
  | ({ readonly kind: 'removed' } & RemovedRows)
  | ({ readonly kind: 'merged' } & MergedHour)
  | ({ readonly kind: 'failed' } & PassFailure)
  | { readonly kind: 'alive' | 'done' }
  | ({ readonly kind: 'log' } & LogLine)
