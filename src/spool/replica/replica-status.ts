/** Another collector, and for how long it has shown no sign of life. */
export type WatchedCollector = { readonly id: string; readonly silentMs: number }

/**
 * A collector that is being taken over, or ought to be: what of it is not in the file system, 0 as long as that is not
 * known, and why the takeover is stuck; empty while it makes progress.
 */
export type TakingOver = { readonly id: string; readonly waitingEvents: number; readonly problem: string }

/** A spool of this collector that is set aside and waits for a person: where it is, absolute; why; and what to do, a sentence. */
export type SpoolForPerson = {
  readonly id: string
  readonly directory: string
  readonly problem: string
  readonly advice: string
}

/** What is known of the log in HDFS, and of those of other collectors. */
export type ReplicaStatus = {
  /** `unproven`: not yet seen to be this collector's own; `away`: HDFS does not take it; `fenced`: another collector has it. */
  readonly state: 'unproven' | 'in-step' | 'away' | 'fenced'
  /** When that began, ms since the epoch. */
  readonly since: number
  /** Why, for people; empty while it is `in-step`. */
  readonly reason: string
  /** Where it is. */
  readonly directory: string
  /** DataNodes that have the group which was synced last; 0 before the first one. */
  readonly copies: number
  /** Bytes of this disk that it does not have. */
  readonly behindBytes: number
  /** Events acknowledged without it, since the start. */
  readonly localEvents: number
  readonly watched: readonly WatchedCollector[]
  readonly takingOver: readonly TakingOver[]
  /** Collectors whose events this one has brought to the file system, since the start. */
  readonly takenOver: number
  /** Events of those that are in the file system; their own collectors have brought some of them there. */
  readonly takenOverEvents: number
  /** Spools of this collector that are set aside, because another one has taken over their logs. */
  readonly setAside: number
  /** Events that this collector had acknowledged beyond what was taken over, and that are in its new spool, since the start. */
  readonly returnedEvents: number
  /** Whether this start began with a new id for that. */
  readonly wasFenced: boolean
}

/** What is known of the other collectors, and what they have of this one. */
export type OfOthers = Pick<
  ReplicaStatus,
  'watched' | 'takingOver' | 'takenOver' | 'takenOverEvents' | 'setAside' | 'returnedEvents' | 'wasFenced'
>

/** What a collector sees of the others, and has of them. */
export type TakeOverStatus = Omit<OfOthers, 'setAside' | 'returnedEvents' | 'wasFenced'>

/** How safe an event is that is acknowledged now: as `collector.ack` says, or less, on this disk alone. */
export type Durability = 'full' | 'local'
