// node-only: a disk of the machine
import { basename, join } from 'node:path'
import type { Disk } from '../../disk/disk.ts'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { atMost } from '../../runtime/at-most.ts'
import { startInterval } from '../../runtime/timers.ts'
import type { OfOthers, SpoolForPerson } from '../replica/replica-status.ts'
import type { Spool } from '../spool.ts'
import { listWithRest, viewAside } from './aside.ts'
import { RestNeedsPerson } from './rest-needs-person.ts'
import { type ReturnRestOptions, returnRest } from './return-rest.ts'
import { countSetAside, fencedDirectory } from './set-aside.ts'
import { roundEveryMs } from './take-over.ts'

export type ReturningOptions = Pick<ReturnRestOptions, 'places' | 'log'> & {
  /** Of our own spool. */
  readonly directory: string
  readonly spool: ReturnRestOptions['spool'] & Pick<Spool, 'drain' | 'stats' | 'suspendKeys'>
  /** Whether the spool takes events. @default always */
  readonly isReady?: (() => boolean) | undefined
}

/** Brings back what is left in spools that were set aside, whatever the settings are now. */
export type Returning = {
  /** Lets no repeated request in of which it is not known whether it was kept; to be called before the first event. */
  begin(): Promise<void>
  /** Tries it, and never rejects; concurrent calls share an attempt. To be called again and again. */
  beat(): Promise<void>
  status(): Pick<OfOthers, 'setAside' | 'returnedEvents'>
  /** What a person has to see to. */
  readonly forPerson: readonly SpoolForPerson[]
  /** Why the last attempt failed; empty where it did not. */
  readonly problem: string
  /** Resolves when no attempt is under way, and begins no other one. */
  close(): Promise<void>
}

export const createReturning = ({ directory, isReady = () => true, ...options }: ReturningOptions): Returning => {
  const { spool, log } = options
  const disk = createNodeDisk({ directory, isPrivate: true })
  const diskOf = (path: string) => createNodeDisk({ directory: join(directory, path), isPrivate: true })
  const closing = new AbortController()
  const { signal } = closing
  let isOver = false
  let problem = ''
  let setAside = 0
  let returnedEvents = 0
  /** Files in them, and what keeps the rest of one from coming back. */
  let kept: readonly SpoolForPerson[] = []
  let held: readonly SpoolForPerson[] = []
  let attempt: Promise<void> | undefined
  const suspension = createSuspension(disk, id => spool.suspendKeys(diskOf(`${fencedDirectory}/${id}`)))

  const tryOnce = async (): Promise<void> => {
    await look()
    if (isOver || signal.aborted || !isReady()) return
    const before = returnedEvents
    const onReturned = (events: number): void => {
      returnedEvents += events
    }
    isOver = await returnRest({ ...options, disk, diskOf, signal, onReturned })
    await suspension.resume()
    // A drain need not wait until it would be sealed by time.
    if (returnedEvents > before && spool.stats().drained) await spool.drain()
    await look()
  }

  const look = async (): Promise<void> => {
    setAside = await countSetAside(disk)
    kept = (await viewAside(disk)).kept.map(({ path }) => toKept(join(directory, path)))
  }

  const fail = (error: Error): void => {
    if (signal.aborted) return
    held = error instanceof RestNeedsPerson ? [error.spool] : []
    // That may take days: a sender must not wait for it.
    if (error instanceof RestNeedsPerson) suspension.end()
    const { message } = error
    const level = error instanceof RestNeedsPerson ? 'error' : 'warn'
    if (problem !== message)
      log[level]({ reason: message, err: error }, 'events of a spool that was set aside are not in the new one yet')
    problem = message
  }

  return {
    begin: () => suspension.begin(),
    beat: () => {
      attempt ??= tryOnce()
        .then(() => {
          problem = ''
          held = []
        }, fail)
        .finally(() => {
          attempt = undefined
        })
      return attempt
    },
    status: () => ({ setAside, returnedEvents }),
    get forPerson() {
      return [...held, ...kept]
    },
    get problem() {
      return problem
    },
    close: async () => {
      closing.abort(new Error('the server stops'))
      await attempt
    },
  }
}

/** Keeps requests of spools out that were set aside, as long as something of these may have to come back. */
const createSuspension = (disk: Pick<Disk, 'list' | 'read'>, suspend: (id: string) => Promise<() => void>) => {
  /** What lets them in again, by the ids of the spools. */
  const ends = new Map<string, () => void>()
  const endWithout = (left: readonly string[]): void => {
    for (const [id, end] of ends) if (!left.includes(id) && ends.delete(id)) end()
  }
  return {
    begin: async (): Promise<void> => {
      for (const id of await listWithRest(disk)) {
        // What cannot be read cannot come back either: that is reported there.
        const end = await suspend(id).catch(() => undefined)
        if (end) ends.set(id, end)
      }
    },
    /** Those in again of which nothing has to come back any more. */
    resume: async (): Promise<void> => endWithout(await listWithRest(disk)),
    end: (): void => endWithout([]),
  }
}

const toKept = (directory: string): SpoolForPerson => ({
  id: basename(directory),
  directory,
  problem: 'files in it are on this machine alone',
  advice: `See to _quarantine, _taken and what bare names in it, then delete ${directory}.`,
})

/** A start waits so long for it; what takes longer is done while the server runs. */
const firstBeatMs = 5_000

/**
 * The same, as the server runs it: by time. The first attempt comes before the first event: a sender that had no answer from
 * the spool that was set aside is about to repeat its request.
 */
export const startReturning = async (options: ReturningOptions): Promise<Returning> => {
  const returning = createReturning(options)
  await returning.begin()
  await atMost(firstBeatMs, returning.beat())
  const timer = startInterval(() => returning.beat(), roundEveryMs)
  return {
    ...returning,
    get forPerson() {
      return returning.forPerson
    },
    get problem() {
      return returning.problem
    },
    close: async () => {
      clearInterval(timer)
      await returning.close()
    },
  }
}
