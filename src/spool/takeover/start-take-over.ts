// node-only: disks of the machine, and spools with threads
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { startInterval } from '../../runtime/timers.ts'
import type { Replica } from '../replica/replica.ts'
import type { OfOthers } from '../replica/replica-status.ts'
import type { ReplicatedSettings } from '../replica/replicated-settings.ts'
import type { Spool } from '../spool.ts'
import { adoptedDirectory } from './adoptions.ts'
import { createOpenTaken, type OpenTakenOptions } from './open-taken.ts'
import { returnRest } from './return-rest.ts'
import { countSetAside } from './set-aside.ts'
import { createTakeOver, roundEveryMs, type TakeOver } from './take-over.ts'

/** Waits so long before it looks again how far something is. */
const lookEveryMs = 500

export type StartTakeOverOptions = {
  /** Of our own spool. */
  readonly directory: string
  readonly spool: Spool
  readonly replica: Pick<Replica, 'isInStep' | 'isOurs' | 'fence'>
  /** How our own spool is opened: those of others are as well. */
  readonly options: OpenTakenOptions
}

/** What goes on with the logs of collectors that are gone, as the server runs it. */
export type RunningTakeOver = Pick<TakeOver, 'stop' | 'close'> & { status(): Omit<OfOthers, 'wasFenced'> }

/** Begins to show that this collector lives, and to watch the others. */
export const startTakeOver = (parts: StartTakeOverOptions): RunningTakeOver => {
  const { directory, spool, replica, options } = parts
  const { fileSystem, settings, log } = options
  const { outputDirectory } = settings()
  const replicated = (): ReplicatedSettings => settings().replicated
  const disk = createNodeDisk({ directory, isPrivate: true })
  const diskOf = (path: string) => createNodeDisk({ directory: join(directory, path), isPrivate: true })
  let wasInStep = false
  let hasReturned = false
  let isStopped = false
  let returning: Promise<void> | undefined
  let returnProblem = ''
  let setAside = 0
  let returnedEvents = 0

  const takeOver = createTakeOver({
    fileSystem,
    outputDirectory,
    taker: spool.stats().collectorId,
    disk,
    diskOf: id => diskOf(join(adoptedDirectory, id)),
    takeKeys: other => spool.takeKeys(other),
    open: createOpenTaken(join(directory, adoptedDirectory), { ...options, outputDirectory }),
    pause: () => wait(lookEveryMs),
    takeoverMs: () => replicated().takeoverMs,
    monotonicMs: () => performance.now(),
    isOurs: () => replica.isOurs,
    isReady: () => {
      wasInStep ||= replica.isInStep
      return wasInStep
    },
    onFenced: reason => replica.fence(reason),
    log,
  })

  const onReturned = (events: number): void => {
    returnedEvents += events
  }
  /** Of an earlier spool of this collector that was set aside. */
  const returnOnce = async (): Promise<void> => {
    try {
      hasReturned = await returnRest({ disk, diskOf, fileSystem, outputDirectory, spool, log, onReturned })
    } catch (error) {
      const { message } = error as Error
      if (returnProblem !== message)
        log.warn({ reason: message, err: error }, 'events of a spool that was set aside are not in the new one yet')
      returnProblem = message
    }
  }

  const count = async (): Promise<void> => {
    setAside = await countSetAside(disk)
  }

  void count()
  const timer = startInterval(async () => {
    await count()
    // One at a time, whatever the settings are now: two would bring an event back twice.
    if (!hasReturned && !isStopped && replica.isInStep)
      returning ??= returnOnce().finally(() => {
        returning = undefined
      })
    await takeOver.beat()
  }, roundEveryMs)
  return {
    status: () => ({ ...takeOver.status(), setAside, returnedEvents }),
    stop: async () => {
      isStopped = true
      await takeOver.stop()
      await returning
    },
    close: async () => {
      clearInterval(timer)
      await takeOver.close()
    },
  }
}
