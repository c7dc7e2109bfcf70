import type { Tally } from '../ledger/table/file-figures.ts'

/** Something in the spool that the file system does not have, or of which that is not known. */
export type LeftPiece = {
  /** Below the spool's directory. */
  readonly path: string
  /**
   * `unsealed`: a segment of the log; `waiting`: a bucket file on its way; `quarantined`: one that the file system
   * refused; `taken`: one that it may have; `damaged`: what could not be read; `set aside`: an earlier spool whose log
   * another collector has taken over.
   */
  readonly state: 'unsealed' | 'waiting' | 'quarantined' | 'taken' | 'damaged' | 'set aside'
  /** 0 where they cannot be counted. */
  readonly events: number
  readonly bytes: number
  /** Why it has not gone; empty while that is only a matter of time. */
  readonly reason: string
}

/** What is left in a spool, and what has gone. */
export type DrainStatus = {
  readonly collectorId: string
  /** Absolute. */
  readonly directory: string
  /** Whether it takes no more events, and lets everything go. */
  readonly drained: boolean
  readonly left: {
    /** On their way: segments, bucket files, and spools that were set aside. */
    readonly waiting: Readonly<Tally>
    /** What is not retried automatically: refused files, damaged pieces. */
    readonly quarantined: Readonly<Tally>
    /** What the file system may have. */
    readonly taken: Readonly<Tally>
    /** The first of them, by name. */
    readonly pieces: readonly LeftPiece[]
  }
  /** Why the last commit failed, or segments cannot be sealed; empty where neither is so. */
  readonly problem: string
  /** In segments whose file is gone: nothing of them is left. */
  readonly lostEvents: number
  /** What has gone to the file system since the process began. */
  readonly flushed: { readonly files: number; readonly events: number }
}
