/** What a pass over all tables is to do, and what it says meanwhile: messages between two processes of the same version. */
import type { LogLine } from '../../log/log-line.ts'
import type { CompactedHour } from '../compact-hour.ts'

export type PassScope = {
  /** After its end an hour is closed, in ms. */
  readonly afterMs: number
  /** Of a file. */
  readonly targetBytes: number
  /** Paths of tables that have had their turns. */
  readonly skip: readonly string[]
  /** Paths of tables whose turns come last. */
  readonly last: readonly string[]
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

/**
 * What a pass says:
 *
 *     begins    the turn of a table
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
  | ({ readonly kind: 'merged' } & MergedHour)
  | ({ readonly kind: 'failed' } & PassFailure)
  | { readonly kind: 'alive' | 'done' }
  | ({ readonly kind: 'log' } & LogLine)
