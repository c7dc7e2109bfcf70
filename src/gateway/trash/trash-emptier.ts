/**
 * Empties the trash by age, as Hadoop's NameNode does (`TrashPolicyDefault.Emptier`): everything deleted since the last
 * checkpoint becomes one, named by the time, `yyMMddHHmmss`, and a checkpoint older than the interval is deleted. So
 * everything stays for at least one interval, and for at most about two. Times are UTC, and several servers may do this
 * at once: the second one finds nothing to do.
 */
import { directoriesOf, hadoopOf } from '../../filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import type { Logger } from '../../log/log.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { toCurrent, toTrash, toUsers } from './trash-place.ts'

export type TrashEmptierOptions = {
  readonly fileSystem: FileSystem & { readonly mountPoints: readonly string[] }
  readonly logger: Pick<Logger, 'warn'>
  /** How long what was deleted is kept. */
  readonly intervalMs: number
  /** Ms since the epoch. @default the clock */
  readonly now?: () => number
}

/** Goes round until it is closed. */
export type TrashEmptier = {
  /** One round now: all homes of all mounts, one after the other. Never rejects. */
  readonly empty: () => Promise<void>
  readonly close: () => void
}

/** The longest time between rounds, however long things are kept. */
const maxRoundMs = 3_600_000

/** Starts it; the first round is after a while. */
export const createTrashEmptier = (options: TrashEmptierOptions): TrashEmptier => {
  const { fileSystem, logger, intervalMs } = options
  const stop = new AbortController()
  /** Mounts whose last round failed: an error that lasts is logged once. */
  const failing = new Set<string>()

  const emptyMount = async (mount: string): Promise<void> => {
    let failure: unknown
    const note = (error: unknown): void => {
      failure ??= error
    }
    try {
      if (!(await emptiesItself(fileSystem, mount))) await emptyHomes(options, mount, stop.signal, note)
    } catch (error) {
      note(error)
    }
    if (stop.signal.aborted) return
    if (failure === undefined) failing.delete(mount)
    else if (!failing.has(mount)) {
      failing.add(mount)
      logger.warn({ err: failure, path: toUsers(mount) }, 'the trash could not be emptied')
    }
  }
  const empty = async (): Promise<void> => {
    for (const mount of fileSystem.mountPoints) if (!stop.signal.aborted) await emptyMount(mount)
  }
  const goRound = (): void => {
    timer = startTimeout(
      () => void empty().then(() => stop.signal.aborted || goRound()),
      Math.min(intervalMs, maxRoundMs),
    ).unref()
  }
  let timer: NodeJS.Timeout | undefined
  goRound()

  return {
    empty,
    close: () => {
      stop.abort()
      clearTimeout(timer)
    },
  }
}

/** Whether the cluster does it, as one with `fs.trash.interval` does, whose interval counts then. */
const emptiesItself = async (fileSystem: FileSystem, mount: string): Promise<boolean> => {
  try {
    return (await hadoopOf(fileSystem).getServerDefaults(mount)).trashInterval > 0
  } catch (error) {
    if (error instanceof FileSystemError && error.code !== 'unavailable') return false
    throw error
  }
}

const emptyHomes = async (
  options: TrashEmptierOptions,
  mount: string,
  signal: AbortSignal,
  note: (error: unknown) => void,
): Promise<void> => {
  const { fileSystem } = options
  if (!(await findStatus(fileSystem, toUsers(mount)))?.isDirectory) return
  for await (const homes of fileSystem.listStatus(toUsers(mount), { signal })) {
    for (const { path, isDirectory } of homes) {
      if (signal.aborted) return
      if (isDirectory) await emptyHome(options, path, signal).catch(note)
    }
  }
}

const emptyHome = async (
  { fileSystem, intervalMs, now = Date.now }: TrashEmptierOptions,
  home: string,
  signal: AbortSignal,
): Promise<void> => {
  const trash = toTrash(home)
  if (!(await findStatus(fileSystem, trash))?.isDirectory) return
  const oldest = now() - intervalMs
  let newest = Number.NEGATIVE_INFINITY
  let hasCurrent = false
  for await (const part of fileSystem.listStatus(trash, { signal })) {
    for (const { path } of part) {
      const time = parseCheckpoint(baseName(path))
      if (path === toCurrent(trash)) hasCurrent = true
      else if (time !== undefined && time <= oldest) await fileSystem.delete(path, { recursive: true })
      else if (time !== undefined) newest = Math.max(newest, time)
    }
  }
  if (hasCurrent && newest <= oldest) await makeCheckpoint(fileSystem, trash, now())
}

const makeCheckpoint = async (fileSystem: FileSystem, trash: string, nowMs: number): Promise<void> => {
  try {
    await directoriesOf(fileSystem).rename(toCurrent(trash), `${trash}/${formatCheckpoint(nowMs)}`)
  } catch (error) {
    // Another server has just made it.
    if (!(error instanceof FileSystemError && (error.code === 'not-found' || error.code === 'exists'))) throw error
  }
}

/** `yyMMddHHmmss`, in UTC. */
const formatCheckpoint = (ms: number): string => new Date(ms).toISOString().slice(2, 19).replace(/\D/g, '')

/**
 * Ms since the epoch; undefined for anything but a checkpoint, which is left alone. Old ones of Hadoop have no seconds.
 */
const parseCheckpoint = (name: string): number | undefined => {
  const digits = /^(\d{10}(?:\d\d)?)(?:-\d{1,4})?$/.exec(name)?.[1]?.padEnd(12, '0')
  if (digits === undefined) return undefined
  const [yy, mm, dd, h, m, s] = digits.match(/\d\d/g) ?? []
  const ms = Date.parse(`20${yy}-${mm}-${dd}T${h}:${m}:${s}Z`)
  return Number.isNaN(ms) ? undefined : ms
}
