import type { Current } from '../../current.ts'
import type { Disk } from '../../disk/disk.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { Logger } from '../../log/log.ts'
import { atMost } from '../../runtime/at-most.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'
import { segmentPath } from '../segment/segment-files.ts'
import { type Attaching, createAttaching } from './attaching.ts'
import { leaveCopy } from './leave.ts'
import { toLogDirectory } from './log-directory.ts'
import { createRemoteDirectory, type RemoteDirectory } from './remote-directory.ts'
import { toRemoteName } from './remote-names.ts'
import { createRemoteSegments, type RemoteSegments } from './remote-segments.ts'
import { createReplicaState, type ReplicaState } from './replica-state.ts'
import type { Durability, OfOthers, ReplicaStatus } from './replica-status.ts'
import { type ReplicatedDisk, replicateDisk } from './replicated-disk.ts'
import type { ReplicatedSettings } from './replicated-settings.ts'

/** A start waits so long for its copy; one that takes longer is made while the server runs. */
const firstAttachMs = 5_000

export type ReplicaOptions = {
  /** Has the output directory. */
  readonly fileSystem: FileSystem
  /** `collector.event-output-directory` */
  readonly outputDirectory: string
  readonly settings: Current<ReplicatedSettings>
  readonly log: Logger
  readonly now: () => number
  /** Whose directory it is, where it is another one's log that is taken over. @default that of the spool itself */
  readonly owner?: string | undefined
  /** What is known of other collectors. @default nothing */
  readonly others?: (() => OfOthers | undefined) | undefined
  /** Hears once that another collector has the copy. */
  readonly onFenced: () => void
}

/** The copy of a spool in HDFS (`remote-names.ts`). */
export type Replica = {
  readonly state: Pick<ReplicaState, 'name' | 'reason' | 'since'>
  /** The disk of the spool, whose files are copied from {@link Replica.begin} on. To be called once. */
  readonly replicate: (disk: Disk) => Disk
  /** The spool is recovered, and has this id: from now on nothing counts that is not in the copy as well. Begins to bring it in step. */
  readonly begin: (collectorId: string) => Promise<void>
  /** Brings the copy in step where it is not. Never rejects; concurrent calls share one attempt. */
  readonly attach: () => Promise<void>
  /** The server stops: an attempt under way ends soon, and no other one begins. */
  readonly stop: () => void
  /** Deletes segments in the copy whose events are all in the file system. */
  readonly reap: (state: LedgerState) => Promise<void>
  /** Nothing of the spool is left to do, and its files are closed: where it is in step, and ours, the copy goes. Never rejects. */
  readonly leave: () => Promise<void>
  /** Another collector has the copy. */
  readonly fence: (reason: string) => void
  readonly segments: Pick<RemoteSegments, 'has'>
  /**
   * A segment as the copy has it, with all groups that were reported safe; undefined if it is missing. Rejects with
   * `FileSystemError`.
   */
  readonly readSegment: (segment: number) => Promise<Uint8Array | undefined>
  /** Where the copy is; absolute. */
  readonly directory: string
  /** Data nodes that have what was flushed last; 0 before. */
  readonly copies: number
  readonly isInStep: boolean
  /** Whether the directory is known to be ours; others take it where it shows no sign of life. */
  readonly isOurs: boolean
  /** Why no events are taken, for people; empty while they are. */
  readonly refusal: string
  /** How safe the last synced group of the log is: to be read when its requests are answered. */
  readonly durability: Durability
  /** Hears of events of that group. */
  readonly onKept: (events: number) => void
  readonly status: () => ReplicaStatus
}

export const createReplica = (options: ReplicaOptions): Replica => {
  const { fileSystem, outputDirectory, settings, log, now, owner, onFenced } = options
  const takesLocal = (): boolean => settings().whenUnavailable === 'local'
  const state = createReplicaState({ now, log, takesLocal, onFenced })
  const segments = createRemoteSegments(log)
  let directory: RemoteDirectory | undefined
  let attaching: Attaching | undefined
  const groups = createGroupFigures()
  let disk: ReplicatedDisk | undefined

  const theDirectory = (): RemoteDirectory => directory ?? throwNoPlace()

  return {
    state,
    replicate: local => {
      disk = replicateDisk(local, {
        disk: local,
        directory: theDirectory,
        state,
        settings,
        isCatchingUp: path => attaching?.isCatchingUp(path) ?? false,
        onSegment: segment => segments.add(segment),
        onFlushed: groups.onFlushed,
        onGroup: groups.onGroup,
      })
      attaching = createAttaching({ local, disk, directory: theDirectory, state }, segments)
      return disk
    },
    begin: async collectorId => {
      const path = `${toLogDirectory(outputDirectory)}/${owner ?? collectorId}`
      directory = createRemoteDirectory(fileSystem, path, () => settings().replication)
      state.begin()
      await atMost(firstAttachMs, attaching?.attach())
    },
    attach: async () => attaching?.attach(),
    stop: () => attaching?.stop(),
    reap: async ledger => {
      if (state.name === 'in-step') await segments.reap(theDirectory(), ledger)
    },
    leave: async () => {
      // The directory of a log that was taken has the note for its old owner.
      if (disk === undefined || state.name !== 'in-step' || owner !== undefined) return
      await disk.ended()
      // What is not removed is taken over, and found to be empty.
      await leaveCopy(disk, theDirectory(), state).catch(() => {})
    },
    fence: reason => state.fence(reason),
    segments,
    readSegment: async segment => await theDirectory().read(toRemoteName(segmentPath(segment))),
    get directory() {
      return directory?.path ?? ''
    },
    get copies() {
      return groups.copies
    },
    get isInStep() {
      return state.name === 'in-step'
    },
    get isOurs() {
      return state.isOurs
    },
    get refusal() {
      if (state.name === 'in-step' || (state.name === 'away' && takesLocal())) return ''
      return state.name === 'fenced' ? 'another collector has taken over the log of this one' : state.reason
    },
    get durability() {
      return groups.durability
    },
    onKept: groups.onKept,
    status: () => {
      const { name, since, reason } = state
      const behindBytes = name === 'in-step' ? 0 : (disk?.behindBytes ?? 0)
      const { copies, localEvents } = groups
      const here = { state: name, since, reason, directory: directory?.path ?? '', copies, behindBytes, localEvents }
      return { ...here, ...(options.others?.() ?? noOthers) }
    },
  }
}

const throwNoPlace = (): never => {
  throw new Error('The copy of a spool has no place before its spool has an id')
}

/** How the groups of the log are kept. */
const createGroupFigures = () => {
  let copies = 0
  let durability: Durability = 'full'
  let localEvents = 0
  return {
    get copies() {
      return copies
    },
    get durability() {
      return durability
    },
    get localEvents() {
      return localEvents
    },
    onFlushed: (found: number): void => {
      copies = found
    },
    onGroup: (how: Durability): void => {
      durability = how
    },
    /** Of the group that was synced last. */
    onKept: (events: number): void => {
      if (durability === 'local') localEvents += events
    },
  }
}

const noOthers: OfOthers = {
  watched: [],
  takingOver: [],
  takenOver: 0,
  takenOverEvents: 0,
  setAside: 0,
  returnedEvents: 0,
  wasFenced: false,
}
