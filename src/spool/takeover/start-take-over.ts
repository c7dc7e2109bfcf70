// node-only: disks of the machine, and spools with threads
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { startInterval } from '../../runtime/timers.ts'
import { toMinFreeBytes } from '../heartbeat/space-watch.ts'
import type { Replica } from '../replica/replica.ts'
import type { ReplicatedSettings } from '../replica/replicated-settings.ts'
import type { Spool } from '../spool.ts'
import { adoptedDirectory } from './adoptions.ts'
import { createOpenTaken, type OpenTakenOptions } from './open-taken.ts'
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

/** The takeover of logs of lost collectors, as the server runs it. */
export type RunningTakeOver = Pick<TakeOver, 'status' | 'stop' | 'close'>

/** Begins to show that this collector lives, and to watch the others. */
export const startTakeOver = (parts: StartTakeOverOptions): RunningTakeOver => {
  const { directory, spool, replica, options } = parts
  const { fileSystem, settings, log } = options
  const { outputDirectory } = settings()
  const replicated = (): ReplicatedSettings => settings().replicated
  const disk = createNodeDisk({ directory, isPrivate: true })
  const diskOf = (path: string) => createNodeDisk({ directory: join(directory, path), isPrivate: true })
  let wasInStep = false
  const takeOver = createTakeOver({
    fileSystem,
    outputDirectory,
    taker: spool.stats().collectorId,
    disk,
    diskOf: id => diskOf(join(adoptedDirectory, id)),
    takeKeys: other => spool.takeKeys(other),
    open: createOpenTaken(join(directory, adoptedDirectory), { ...options, outputDirectory }),
    pause: () => wait(lookEveryMs),
    keepFree: totalBytes => toMinFreeBytes(settings(), totalBytes),
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

  const timer = startInterval(() => takeOver.beat(), roundEveryMs)
  return {
    status: () => takeOver.status(),
    stop: () => takeOver.stop(),
    close: async () => {
      clearInterval(timer)
      await takeOver.close()
    },
  }
}
