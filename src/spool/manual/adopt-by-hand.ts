// node-only: a disk of the machine, and spools with threads
/**
 * Takes the log of a collector over as another collector would, for a person: there may be no other one. While it lasts it has a
 * name and a sign of life of its own below `_log`, so that collectors leave alone what it has taken, and take it when it is gone.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import { startInterval } from '../../runtime/timers.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import { type AdoptedLog, type AdoptLogWatch, adoptLog } from '../takeover/adopt-log.ts'
import { type Alive, createAlive, readCounter } from '../takeover/alive.ts'
import { createOpenTaken, type OpenTakenOptions } from '../takeover/open-taken.ts'
import { type Owner, parseOwner } from '../takeover/owners.ts'
import { listAt, takeLog } from '../takeover/take.ts'
import { roundEveryMs } from '../takeover/take-over.ts'
import { isFinished } from '../takeover/taken-note.ts'
import { createWatch } from '../takeover/watch.ts'

/** Why a log is not taken. */
export class LogNotTaken extends Error {
  override readonly name = 'LogNotTaken'
  /** `missing`: it is not there; `finished`: nothing is left of it; `alive`: its collector lives; `taken`: another one was faster. */
  readonly code: 'missing' | 'finished' | 'alive' | 'taken'

  constructor(code: LogNotTaken['code'], message: string) {
    super(message)
    this.code = code
  }
}

export type AdoptByHandOptions = OpenTakenOptions & {
  /** Of the collectors, in the file system. */
  readonly outputDirectory: string
  /** On this machine, for the spool as long as it is sent. */
  readonly directory: string
  /** Takes it without a wait for a sign of life. */
  readonly isForced: boolean
  readonly signal: AbortSignal
  /** Hears how long the collector is silent, and for how long it has to be, in ms. */
  readonly onSilent: (silentMs: number, takeoverMs: number) => void
  /** Waits between two looks for a sign of life. @default 2 s */
  readonly pause?: () => Promise<unknown>
  /** Asked before the watch for a sign of life begins; what it throws ends it. */
  readonly confirm: () => Promise<void>
}

/** @throws LogNotTaken */
export const adoptByHand = async (
  options: AdoptByHandOptions,
  owner: Owner,
  watch: AdoptLogWatch,
): Promise<AdoptedLog> => {
  const { fileSystem, outputDirectory, directory, settings, isForced, signal, confirm } = options
  const root = toLogDirectory(outputDirectory)
  const files = await listAt(fileSystem, `${root}/${owner.name}`)
  if (files.length === 0) throw new LogNotTaken('missing', `There is no log at ${root}/${owner.name}`)
  if (isFinished(files)) throw new LogNotTaken('finished', `All events of ${root}/${owner.name} are in the file system`)
  const taker = randomBytes(16).toString('hex')
  const own = `${root}/${taker}`
  await directoriesOf(fileSystem).mkdirs(own, { permission: 0o700 })
  const alive = createAlive(fileSystem, own, () => settings().replicated.takeoverMs)
  const lost = new AbortController()
  const ending = AbortSignal.any([signal, lost.signal])
  const beat = async (): Promise<void> => {
    try {
      await alive.beat()
    } catch (error) {
      // It was idle for so long that others took it for lost.
      if (hasCode(error, 'not-found')) lost.abort(new LogNotTaken('taken', describeTaken(`${root}/${owner.name}`)))
    }
  }
  const timer = startInterval(beat, roundEveryMs)
  try {
    // First: who is asked may take minutes, and a sign of life meanwhile would not be seen.
    await confirm()
    if (!isForced) await untilSilent(options, owner, alive)
    const name = await takeLog({ fileSystem, outputDirectory, taker, signal: ending }, owner)
    const taken = name === undefined ? undefined : parseOwner(name)
    if (!taken) throw new LogNotTaken('taken', describeTaken(`${root}/${owner.name}`))
    return await adoptLog(
      {
        fileSystem,
        outputDirectory,
        taker,
        signal: ending,
        diskOf: id => createNodeDisk({ directory: join(directory, id), isPrivate: true }),
        // There is no collector here that a request could be repeated to.
        takeKeys: async () => {},
        open: createOpenTaken(directory, options),
        pause: () => wait(lookEveryMs, undefined, { signal: ending }),
      },
      taken,
      watch,
    )
  } catch (error) {
    // What it was about to do fails in many ways then.
    lost.signal.throwIfAborted()
    throw error
  } finally {
    clearInterval(timer)
    await fileSystem.delete(own, { recursive: true }).catch(() => {})
  }
}

const lookEveryMs = 500

const describeTaken = (path: string): string => `${path} is not there any more: another one has taken it`

/** Resolves when a collector has shown no sign of life for as long as others wait. @throws LogNotTaken where it shows one */
const untilSilent = async (
  { fileSystem, outputDirectory, settings, signal, onSilent, pause }: AdoptByHandOptions,
  { keeper }: Owner,
  alive: Alive,
): Promise<void> => {
  const takeoverMs = (): number => settings().replicated.takeoverMs
  let last: number | undefined
  const watch = createWatch({
    monotonicMs: () => performance.now(),
    takeoverMs,
    beat: () => alive.beat(),
    look: async () => {
      const counter = await readCounter(fileSystem, `${toLogDirectory(outputDirectory)}/${keeper}`)
      if (last !== undefined && counter !== undefined && counter !== last)
        throw new LogNotTaken('alive', `Collector ${keeper} lives: its counter goes on`)
      last = counter
      return new Map([[keeper, counter]])
    },
  })
  for (;;) {
    const gone = await watch.round()
    if (gone.includes(keeper)) return
    onSilent(watch.silent.get(keeper) ?? 0, takeoverMs())
    await (pause?.() ?? wait(roundEveryMs, undefined, { signal }))
  }
}
