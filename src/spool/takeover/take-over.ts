import type { Disk } from '../../disk/disk.ts'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import type { TakeOverStatus } from '../replica/replica-status.ts'
import { type Adoptions, type AdoptionsOptions, createAdoptions } from './adoptions.ts'
import { type Alive, createAlive, readCounter } from './alive.ts'
import { checkRoom, type KeepFree, sumOf } from './copy-down.ts'
import { createFinishedLogs } from './finished-logs.ts'
import { lookAround, type Surroundings } from './look-around.ts'
import { type Owner, parseOwner } from './owners.ts'
import { listAt, type Taking, takeLog } from './take.ts'
import { type CollectorWatch, createWatch } from './watch.ts'

/** How often a collector shows that it lives, and looks at the others. */
export const roundEveryMs = 2_000

export type TakeOverOptions = AdoptionsOptions & {
  readonly disk: Pick<Disk, 'space'>
  readonly keepFree: KeepFree
  /** How long another collector shows no sign of life before its log is taken. */
  readonly takeoverMs: () => number
  /** In ms; of a clock that is never set. */
  readonly monotonicMs: () => number
  /** Whether our own log is in HDFS, and ours: before that there is nothing to show. */
  readonly isOurs: () => boolean
  /** Whether it was whole once: before that no watch is kept. */
  readonly isReady: () => boolean
  /** Hears that our own log is not there any more. */
  readonly onFenced: (reason: string) => void
}

/** Shows that this collector lives, and continues the logs of those that are lost. */
export type TakeOver = {
  /**
   * Shows that we live, and goes through one round; to be called every {@link roundEveryMs}. Never rejects; concurrent calls share
   * a round, which may wait for long, and each shows that we live.
   */
  beat(): Promise<void>
  status(): TakeOverStatus
  /** Ends work in progress, and takes nothing more; the next start continues. Beats still show that we live. */
  stop(): Promise<void>
  /** Ends that as well: nothing is called any more when it resolves. */
  close(): Promise<void>
}

export const createTakeOver = (options: TakeOverOptions): TakeOver => {
  const { fileSystem, outputDirectory, taker, takeoverMs, monotonicMs, isOurs, isReady, onFenced, log } = options
  const root = toLogDirectory(outputDirectory)
  const adoptions = createAdoptions(options)
  const stopping = new AbortController()
  const finished = createFinishedLogs(fileSystem, root)
  /** Logs that could not be taken in the last round, and why. */
  let untaken: readonly Untaken[] = []
  let around: Surroundings = { owners: [], finished: [], counters: new Map() }
  const telling = createTelling(log)
  let beating: Promise<void> | undefined
  let isClosed = false

  const life = createShowLife(createAlive(fileSystem, `${root}/${taker}`, takeoverMs), async () => {
    onFenced(`${root}/${taker} is not there any more`)
    // The collector that has taken our log takes what we have of others as well.
    await adoptions.close()
  })
  const watch = createWatch({
    monotonicMs,
    takeoverMs,
    beat: life.showAnew,
    look: async () => {
      around = await lookAround(fileSystem, outputDirectory, taker, log => finished.has(log))
      return around.counters
    },
  })

  const take = async (owner: Owner): Promise<void> => {
    if (!(await finished.isLeft(owner))) return
    const seen = { counter: around.counters.get(owner.keeper), silentMs: watch.silent.get(owner.keeper) ?? 0 }
    const taken = await takeSilent({ ...options, signal: stopping.signal }, owner, seen, log)
    if (!taken) return
    finished.forget(taken.name)
    adoptions.add(taken)
  }

  const round = async (): Promise<void> => {
    const gone = await watch.round()
    const ours = around.owners.filter(({ keeper, id }) => keeper === taker && id !== taker)
    await adoptions.keep(new Set(ours.map(({ name }) => name)))
    for (const owner of ours) if (!adoptions.knows(owner.name) && (await finished.isLeft(owner))) adoptions.add(owner)
    // Our own logs continue, whatever becomes of the others.
    adoptions.run()
    // One that cannot be taken does not keep us from the others.
    const silent = around.owners.filter(({ keeper }) => gone.includes(keeper))
    untaken = await allInTurn(silent, take)
    adoptions.run()
    await finished.forgetOldest(around.finished)
    if (untaken[0]) throw untaken[0].error
  }

  const stop = async (): Promise<void> => {
    stopping.abort(new Error('the server stops'))
    await adoptions.close()
    await beating
  }

  return {
    beat: () => {
      if (isClosed || !isOurs()) return Promise.resolve()
      // A round waits for whatever hangs; nothing of it may make us silent, and the round reports what goes wrong.
      if (beating) void life.show().catch(() => {})
      const isWatching = isReady() && !stopping.signal.aborted
      beating ??= telling(() => (isWatching ? round() : life.show())).finally(() => {
        beating = undefined
      })
      return beating
    },
    status: () => toStatus(watch, adoptions, untaken),
    stop,
    close: async () => {
      isClosed = true
      await stop()
      await life.shown()
    },
  }
}

/** Takes the log of a collector that shows no sign of life. @param seen of it @returns the log by its new name */
const takeSilent = async (
  { disk, keepFree, ...taking }: Taking & Pick<TakeOverOptions, 'disk' | 'keepFree'>,
  owner: Owner,
  seen: { readonly counter: number | undefined; readonly silentMs: number },
  log: TakeOverOptions['log'],
): Promise<Owner | undefined> => {
  const root = toLogDirectory(taking.outputDirectory)
  // Others may have space where we do not.
  const bytes = sumOf(await listAt(taking.fileSystem, `${root}/${owner.name}`))
  await checkRoom(disk, { id: owner.id, bytes }, keepFree)
  // Those before it may have taken long, and it may live again.
  const counter = await readCounter(taking.fileSystem, `${root}/${owner.keeper}`)
  if (counter !== undefined && counter !== seen.counter) return undefined
  const name = await takeLog(taking, owner)
  const taken = name === undefined ? undefined : parseOwner(name)
  if (!taken) return undefined
  log.warn(
    { collector: owner.keeper, silentSeconds: Math.round(seen.silentMs / 1_000), log: name },
    'a collector has sent no heartbeat; its log is taken over',
  )
  return taken
}

/** A log that could not be taken. */
type Untaken = { readonly id: string; readonly error: Error }

const toHeld = ({ id, error }: Untaken): TakeOverStatus['takingOver'][number] => {
  return { id, waitingEvents: 0, problem: error.message }
}

/** @param untaken logs that could not be taken in the last round */
const toStatus = (
  { silent }: Pick<CollectorWatch, 'silent'>,
  adoptions: Pick<Adoptions, 'status'>,
  untaken: readonly Untaken[],
): TakeOverStatus => {
  const { takingOver, ...taken } = adoptions.status()
  const watched = Array.from(silent, ([id, silentMs]) => ({ id, silentMs }))
  return { watched, ...taken, takingOver: [...takingOver, ...untaken.map(toHeld)] }
}

/** Makes what does something again and again, and never rejects: each new reason why it cannot is in the log. */
const createTelling = (log: TakeOverOptions['log']) => {
  let problem = ''
  return async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      problem = ''
    } catch (error) {
      const { message } = error as Error
      if (problem !== message) log.warn({ reason: message, err: error }, 'other collectors cannot be monitored')
      problem = message
    }
  }
}

/** Makes what shows that we live. @param onGone hears that there is nothing to show it in: our log was taken */
const createShowLife = (alive: Alive, onGone: () => Promise<void>) => {
  let showing: Promise<void> | undefined
  const beat = async (): Promise<void> => {
    try {
      await alive.beat()
    } catch (error) {
      if (error instanceof FileSystemError && error.code === 'not-found') await onGone()
      throw error
    }
  }
  /** Concurrent calls share one. */
  const show = (): Promise<void> => {
    showing ??= beat().finally(() => {
      showing = undefined
    })
    return showing
  }
  return {
    show,
    /** Resolves when no call is under way. */
    shown: async (): Promise<void> => await showing?.catch(() => {}),
    /** By a call that begins from now on: its answer says how the name node is now. */
    showAnew: async (): Promise<void> => {
      await showing?.catch(() => {})
      await show()
    },
  }
}

/** @returns those of which something went wrong */
const allInTurn = async (
  owners: readonly Owner[],
  step: (owner: Owner) => Promise<void>,
): Promise<readonly Untaken[]> => {
  const failures: Untaken[] = []
  for (const owner of owners) await step(owner).catch((error: Error) => failures.push({ id: owner.id, error }))
  return failures
}
