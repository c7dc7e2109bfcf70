// node-only: disks of the machine, and spools with threads
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { startInterval } from '../../runtime/timers.ts'
import { type Destination, readDestination } from '../directory/destination.ts'
import { type OpenSpoolOptions, openSpool } from '../open-spool.ts'
import { createReplica, type Replica } from '../replica/replica.ts'
import type { ReplicatedSettings } from '../replica/replicated-settings.ts'
import type { Spool } from '../spool.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import { adoptedDirectory } from './adoptions.ts'
import { returnRest } from './return-rest.ts'
import { createTakeOver, roundEveryMs, type TakeOver } from './take-over.ts'

/** Waits so long before it looks again how far something is. */
const lookEveryMs = 500

export type StartTakeOverOptions = {
  /** Of our own spool. */
  readonly directory: string
  readonly spool: Spool
  readonly replica: Pick<Replica, 'isInStep' | 'isOurs' | 'fence'>
  /** How our own spool is opened: those of others are as well. */
  readonly options: Omit<OpenSpoolOptions, 'replica' | 'temporaryDirectory' | 'prepare' | 'onBroken'>
}

/** What goes on with the logs of collectors that are gone, as the server runs it. */
export type RunningTakeOver = Pick<TakeOver, 'status' | 'close'>

/** Begins to show that this collector lives, and to watch the others. */
export const startTakeOver = (parts: StartTakeOverOptions): RunningTakeOver => {
  const { directory, spool, replica, options } = parts
  const { fileSystem, settings, log, now = Date.now } = options
  const { outputDirectory } = settings()
  const replicated = (): ReplicatedSettings => settings().replicated
  const disk = createNodeDisk({ directory, isPrivate: true })
  const diskOf = (path: string) => createNodeDisk({ directory: join(directory, path), isPrivate: true })
  let wasInStep = false
  let hasReturned = false
  let returning: Promise<void> | undefined
  let returnProblem = ''

  const takeOver = createTakeOver({
    fileSystem,
    outputDirectory,
    taker: spool.stats().collectorId,
    disk,
    diskOf: id => diskOf(join(adoptedDirectory, id)),
    takeKeys: other => spool.takeKeys(other),
    open: async ({ id, name: owner }, temporaryDirectory) => {
      const place = join(adoptedDirectory, id)
      const remembered = await readDestination(diskOf(place))
      const copy = { fileSystem, outputDirectory, settings: replicated, log, now, owner, onFenced: () => {} }
      return await openSpool(join(directory, place), {
        ...options,
        settings: () => ({ ...settings(), ...(remembered ? toForm(remembered) : {}), ack: 'replicated' }),
        replica: createReplica(copy),
        temporaryDirectory,
      })
    },
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

  /** Of an earlier spool of this collector that was set aside. */
  const returnOnce = async (): Promise<void> => {
    try {
      hasReturned = await returnRest({ disk, diskOf, fileSystem, outputDirectory, spool, log })
    } catch (error) {
      const { message } = error as Error
      if (returnProblem !== message)
        log.warn({ reason: message, err: error }, 'events of a spool that was set aside are not in the new one yet')
      returnProblem = message
    }
  }

  const timer = startInterval(async () => {
    // One at a time, whatever the settings are now: two would bring an event back twice.
    if (!hasReturned && replica.isInStep)
      returning ??= returnOnce().finally(() => {
        returning = undefined
      })
    await takeOver.beat()
  }, roundEveryMs)
  return {
    status: () => takeOver.status(),
    close: async () => {
      clearInterval(timer)
      await takeOver.close()
      await returning
    },
  }
}

/** What the files of a spool are like. */
const toForm = (
  remembered: Destination,
): Omit<Pick<SpoolSettings, keyof Destination & keyof SpoolSettings>, 'outputDirectory'> => {
  const { outputLayout, outputFormat, outputCodec, outputEnvelope } = remembered
  return { outputLayout, outputFormat, outputCodec, outputEnvelope }
}
