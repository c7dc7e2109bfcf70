// node-only: disks of the machine, and spools with threads
import type { Replica } from '../replica/replica.ts'
import type { OfOthers, SpoolForPerson } from '../replica/replica-status.ts'
import type { Spool } from '../spool.ts'
import type { NotedPlaces } from './noted-place.ts'
import type { OpenTakenOptions } from './open-taken.ts'
import { startReturning } from './returning.ts'
import { startTakeOver } from './start-take-over.ts'

export type BesideSpoolOptions = {
  /** Of our own spool. */
  readonly directory: string
  readonly spool: Spool
  /** Of a spool that is in HDFS as well: others are watched, and taken over. */
  readonly replica: Pick<Replica, 'isInStep' | 'isOurs' | 'fence'> | undefined
  readonly places: NotedPlaces
  /** How our own spool is opened: those of others are as well. */
  readonly options: OpenTakenOptions
}

/** Work beside the spool of a collector: on the logs of others, and on the rests of earlier spools of its own. */
export type BesideSpool = {
  status(): Omit<OfOthers, 'wasFenced'>
  /** Earlier spools of its own that a person has to see to. */
  readonly forPerson: readonly SpoolForPerson[]
  /** Ends it, and closes the spool. */
  close(): Promise<void>
}

/** To be waited for before events are taken. */
export const startBesideSpool = async (parts: BesideSpoolOptions): Promise<BesideSpool> => {
  const { directory, spool, replica, places, options } = parts
  const isReady = (): boolean => replica?.isInStep ?? true
  // At once: others are to see that we live.
  const takeOver = replica && startTakeOver({ directory, spool, replica, options })
  const returning = await startReturning({ directory, spool, places, log: options.log, isReady })
  return {
    status: () => ({ ...noneWatched, ...takeOver?.status(), ...returning.status() }),
    get forPerson() {
      return returning.forPerson
    },
    close: async () => {
      await takeOver?.stop()
      await returning.close()
      try {
        // It may take longer than others wait for a sign of life, and its log has to stay its own.
        await spool.close()
      } finally {
        await takeOver?.close()
      }
    },
  }
}

const noneWatched = { watched: [], takingOver: [], takenOver: 0, takenOverEvents: 0 }
