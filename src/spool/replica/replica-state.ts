import { SluiceError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'

/**
 * States of the copy of the spool in HDFS:
 *
 *     unproven   the spool is being recovered: only the local disk is written
 *     away       HDFS does not take it, or it is not known yet whether it is still ours
 *     in-step    it has all that the spool has
 *     fenced     another collector has it, for good: nothing is written any more
 */
export type ReplicaStateName = 'unproven' | 'in-step' | 'away' | 'fenced'

/** The copy in HDFS cannot be written now, or for good: nothing counts that would have to be in it. */
export class NotReplicated extends SluiceError {
  override readonly name = 'NotReplicated'

  /** @param message what is not in HDFS, and why */
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('unavailable', `${message}. Retry when the file system accepts the log again (sluice status)`, {
      ...options,
      about: 'log-away',
      headers: { 'retry-after': '2' },
    })
  }
}

export type ReplicaState = {
  readonly name: ReplicaStateName
  /** Why it is not in step, for people; empty while it is. */
  readonly reason: string
  /** Since when it is so, ms since the epoch. */
  readonly since: number
  /** Whether the directory in HDFS is known to be ours, whole or not: others are to see that we live. */
  readonly isOurs: boolean
  /** The spool is recovered: from now on nothing counts that is not in the copy as well. */
  begin(): void
  /** The directory in HDFS is ours: it is there, or was made. */
  prove(): void
  /** It has all that the spool has. */
  caughtUp(): void
  /** HDFS does not take it. Nothing changes once it is fenced. */
  failed(error: unknown): void
  /** Another collector has it. */
  fence(reason: string): void
  /** The spool is about to remove the copy: that it is gone from now on tells nothing of other collectors. */
  leave(): void
  /** @throws NotReplicated unless it is in step */
  check(): void
}

export type ReplicaStateOptions = {
  readonly now: () => number
  readonly log: Logger
  /** Whether events are taken while HDFS is away. */
  readonly takesLocal: () => boolean
  /** Hears once that it is fenced. */
  readonly onFenced: () => void
}

export const createReplicaState = ({ now, log, takesLocal, onFenced }: ReplicaStateOptions): ReplicaState => {
  let name: ReplicaStateName = 'unproven'
  let reason = 'the spool is being recovered'
  let isTold = false
  let isProven = false
  let hasLeft = false
  let since = now()
  const become = (next: ReplicaStateName, why: string): void => {
    if (name !== next) since = now()
    name = next
    reason = why
  }
  return {
    begin: () => become('away', 'the copy of the log was not looked at yet'),
    prove: () => {
      isProven = true
    },
    get isOurs() {
      return isProven && !hasLeft && name !== 'fenced'
    },
    get name() {
      return name
    },
    get reason() {
      return reason
    },
    get since() {
      return since
    },
    caughtUp: () => {
      if (name === 'fenced') return
      if (isTold) log.info({ awaySeconds: Math.round((now() - since) / 1_000) }, 'the log is replicated again')
      isTold = false
      become('in-step', '')
    },
    failed: error => {
      if (name === 'fenced') return
      const why = error instanceof Error ? error.message : String(error)
      if (!isTold) {
        isTold = true
        const meanwhile = takesLocal()
          ? 'events are accepted, and stored only on this machine (collector.replicated.when-unavailable)'
          : 'events are refused with 503'
        log.warn({ reason: why, err: error }, `the log cannot be replicated: ${meanwhile}`)
      }
      become('away', why)
    },
    fence: why => {
      if (name === 'fenced' || hasLeft) return
      become('fenced', why)
      log.error(
        { reason: why },
        'another collector has taken over the log of this one, which accepts and commits nothing more',
      )
      onFenced()
    },
    leave: () => {
      hasLeft = true
    },
    check: () => {
      if (name !== 'in-step') throw new NotReplicated(`The log is not replicated: ${reason}`)
    },
  }
}
