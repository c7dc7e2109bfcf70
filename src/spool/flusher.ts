import { FileSystemError } from '../filesystem/filesystem.ts'
import type { BucketFile, FileRecord } from './bucket-file.ts'
import { type CommitContext, commitFile, LocalDamage, targetPath } from './commit.ts'
import { hasPassed, isDue } from './due.ts'
import { isCarrying } from './ledger-state.ts'
import { createOutageLog } from './outage-log.ts'
import { releaseFile } from './quarantine.ts'
import { createInTurn, type InTurn } from './quarantine-desk.ts'
import { readSealedList, sealedListPath } from './sealed-list.ts'
import type { FlushReport } from './spool.ts'
import type { SpoolLogger } from './spool-options.ts'
import { localDirectory, localPath, segmentOfFile } from './spool-paths.ts'

/** Files under way at once: enough to hide round trips, few enough to keep the oldest first. */
const concurrency = 4

/** Waits between passes while the file system is unavailable: doubling, with jitter, up to the longest. */
const firstRetryMs = 1_000
const longestRetryMs = 60_000

/** The longest while somebody waits for the spool to be empty. */
const longestDrainRetryMs = 5_000

/** Local copies that are removed before the ledger is told. */
const reapAtOnce = 1_000

/** How often strays of our own are looked for in the temporary directory. */
const cleanEveryMs = 3_600_000

export type FlusherOptions = Omit<CommitContext, 'signal' | 'uploading' | 'doubtful'> & {
  readonly keepCommittedMs: number
  readonly random: () => number
  readonly log: SpoolLogger
}

/** Files whose oldest event was kept by then (ms since the epoch), whether flushing is enabled or not. */
export type LeftBelow = { readonly before: number }

/** Carries sealed files to the file system, oldest first, and clears up behind itself. */
export type Flusher = {
  /**
   * Commits what waits. Stops, and backs off, when the file system is unavailable; stops when flushing is disabled meanwhile,
   * unless the spool is drained or left-below files are asked for. Concurrent calls share one pass.
   */
  flush(all?: LeftBelow): Promise<FlushReport>
  /** Puts quarantined bucket files back into the queue; never those in `_taken/`. */
  requeue(which: LeftBelow): Promise<void>
  /** In which files are set aside and put back: whoever else moves them does it here as well. */
  readonly inTurn: InTurn
  /** Removes local copies of committed files: those kept long enough, or all of them. */
  reap(all: boolean): Promise<void>
  /** Removes files in our own temporary directory that no commit knows. */
  clean(): Promise<void>
  /** Removes our own temporary directory, with what no commit knows: nothing goes through it any more. */
  leave(): Promise<void>
  /** Whether the pause after a failed pass is over, if there was one. */
  readonly isDue: boolean
  /** Ends the pause: somebody waits. */
  hurry(): void
  /** Whether files wait because the last pass failed. */
  readonly isStuck: boolean
  /** Says once a minute that the file system is unavailable, while it is. */
  remind(): void
  readonly stats: { flushes: number; flushedEvents: number; errors: number; retries: number; lastError: string }
  abort(): void
}

export const createFlusher = (options: FlusherOptions): Flusher => {
  const { ledger, disk, fileSystem, now, log } = options
  const stats = { flushes: 0, flushedEvents: 0, errors: 0, retries: 0, lastError: '' }
  const aborter = new AbortController()
  const outage = createOutageLog({ log, now, url: fileSystem.url, waiting: () => ledger.state.files.figures.waiting })
  const context: CommitContext = { ...options, uploading: new Set(), doubtful: new Set(), signal: aborter.signal }
  const inTurn = createInTurn()
  let running: Promise<FlushReport> | undefined
  let retryAt = 0
  let retryMs = firstRetryMs
  let cleanAt = 0
  let hasFailed = false

  const isKnown = (temporary: string): boolean =>
    context.uploading.has(temporary) || context.doubtful.has(temporary) || ledger.state.files.isMoving(temporary)

  /** From the ledger's entry on the file is set aside, wherever it stands: a start brings it to its place as well. */
  const setAside = async (file: BucketFile, at: 'quarantined' | 'taken', reason: string): Promise<void> => {
    await ledger.append({ type: at, name: file.name, reason })
    const fields = { file: file.name, target: targetPath(file), events: file.events, reason }
    if (at === 'taken') log.warn(fields, 'file kept in _taken: it may have been committed, and is not seen')
    else log.error(fields, 'file quarantined')
    await moveAside(file.name, at, reason).catch((err: unknown) =>
      log.warn({ file: file.name, err }, 'a file that is set aside could not be moved, the next start will do it'),
    )
  }

  const moveAside = async (name: string, at: 'quarantined' | 'taken', reason: string): Promise<void> => {
    const path = localPath(name, at)
    await disk.rename(localPath(name, 'sealed'), path).catch(ignoreMissing)
    await disk.fsyncDir(localDirectory(at))
    await disk.fsyncDir('sealed')
    // For people; the ledger has the reason as well.
    const note = await disk.create(`${path}.reason`).catch(() => undefined)
    await note?.append(new TextEncoder().encode(`${reason}\n`))
    await note?.close()
  }

  const commit = async (
    record: FileRecord,
    report: { files: number; events: number; bytes: number; failures: number; away?: Error },
  ): Promise<boolean> => {
    const { file } = record
    try {
      if (record.state.at === 'moving') stats.retries++
      if ((await commitFile(context, record)) === 'taken') {
        const reason = 'Its RENAME had no answer, and it stands neither here nor there'
        await inTurn(() => setAside(file, 'taken', reason))
        return true
      }
      stats.flushes++
      stats.flushedEvents += file.events
      stats.lastError = ''
      report.files++
      report.bytes += file.length
      report.events += file.events
      log.debug({ file: targetPath(file), events: file.events, bytes: file.length }, 'file committed')
      return true
    } catch (error) {
      if (aborter.signal.aborted) return false
      report.failures++
      stats.errors++
      stats.lastError = (error as Error).message
      if (error instanceof LocalDamage || isFinal(error)) {
        try {
          await inTurn(() => setAside(file, 'quarantined', (error as Error).message))
          return true
        } catch (failure) {
          // Thrown on, it would end the pass while other files of it are still under way.
          log.warn({ file: targetPath(file), err: failure }, 'the file could not be quarantined, will be repeated')
          return false
        }
      }
      if (isAway(error)) report.away = error
      // Those under way beside it fail for the same reason: one line for all, for it may last.
      else if (report.failures === 1)
        log.warn({ file: targetPath(file), err: error }, 'commit failed, will be repeated')
      return false
    }
  }

  const pass = async (all: LeftBelow | undefined): Promise<FlushReport> => {
    const report: Parameters<typeof commit>[1] = { files: 0, events: 0, bytes: 0, failures: 0 }
    // One for all workers: each file is taken once, in the state that it has by then.
    const queue = ledger.state.files.waiting()
    let ok = true
    let tried = 0
    const worker = async (): Promise<void> => {
      for (const next of unclosed(queue)) {
        if (!ok || (all === undefined && !isCarrying(ledger.state))) return
        if (all !== undefined && next.file.oldest > all.before) continue
        tried++
        ok = (await commit(next, report)) && ok
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    const { away, ...flushed } = report
    if (flushed.files > 0) log.info(flushed, 'files committed')
    if (away !== undefined) outage.away(away.message)
    // A refusal is an answer too.
    else if (tried > 0 && !aborter.signal.aborted) outage.back()
    hasFailed = !ok
    if (ok) {
      retryAt = 0
      retryMs = firstRetryMs
    } else {
      retryAt = now() + retryMs * (0.5 + options.random() / 2)
      retryMs = Math.min(retryMs * 2, ledger.state.drained ? longestDrainRetryMs : longestRetryMs)
    }
    return flushed
  }

  /** Names of committed files whose local copy has been kept long enough: the first few. */
  const dueCommitted = (all: boolean): string[] => {
    const due: string[] = []
    for (const { file, state } of ledger.state.files.committed()) {
      const isDue = all || (state.at === 'committed' && hasPassed(now(), state.since, options.keepCommittedMs))
      // Those behind it were committed later.
      if (!isDue || due.push(file.name) === reapAtOnce) break
    }
    return due
  }

  /** Lists of segments none of whose files are left. */
  const dropLists = async (segments: Iterable<number | undefined>): Promise<void> => {
    for (const segment of segments) {
      if (segment === undefined) continue
      const files = await readSealedList(disk, segment)
      if (!files.some(({ name }) => ledger.state.files.has(name))) await disk.unlink(sealedListPath(segment))
    }
  }

  const clean = async (): Promise<void> => {
    if (!isDue(now(), cleanAt, cleanEveryMs)) return
    const doubtful = [...context.doubtful].filter(path => !context.uploading.has(path))
    if (doubtful.length > 0) {
      // Once the ledger takes an entry, even none, its file says what its state says: nothing is in doubt any more.
      await ledger.append()
      for (const path of doubtful) context.doubtful.delete(path)
    }
    try {
      for await (const part of fileSystem.listStatus(options.temporaryDirectory)) {
        for (const { path } of part) {
          // Asked for each path anew: a commit may have begun since.
          if (isKnown(path)) continue
          await fileSystem.delete(path)
          log.info({ file: path }, 'stray temporary file removed')
        }
      }
      cleanAt = now() + cleanEveryMs
    } catch (error) {
      const isEmpty = error instanceof FileSystemError && error.code === 'not-found'
      cleanAt = now() + (isEmpty ? cleanEveryMs : longestRetryMs)
      if (isAway(error)) return outage.away(error.message)
      if (!isEmpty) throw error
    }
    // Where commits fail, they know better: data nodes may be away while the name node answers.
    if (!hasFailed) outage.back()
  }

  return {
    stats,
    flush: all => {
      running ??= pass(all).finally(() => {
        running = undefined
      })
      return running
    },
    requeue: async ({ before }) => {
      for (const { file } of ledger.state.files.inState('quarantined')) {
        if (file.oldest > before) continue
        await inTurn(async () => {
          // Somebody else may have put it back meanwhile, and its next try may have ended in `_taken/`.
          if (ledger.state.files.get(file.name)?.state.at === 'quarantined') await releaseFile(options, file.name)
        })
      }
    },
    inTurn,
    reap: async all => {
      for (;;) {
        const due = dueCommitted(all)
        if (due.length === 0) return
        for (const name of due) await disk.unlink(localPath(name, 'committed'))
        // First the removal: a file that came back after a power cut must not be unknown.
        await disk.fsyncDir('sealed')
        await ledger.append(...due.map(name => ({ type: 'removed' as const, name })))
        await dropLists(new Set(due.map(segmentOfFile)))
      }
    },
    clean,
    leave: async () => {
      cleanAt = 0
      const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
      aborter.signal.addEventListener('abort', () => abort())
      // What cannot be removed is in nobody's way.
      const removed = clean()
        .then(() => fileSystem.delete(options.temporaryDirectory))
        .catch(() => {})
      await Promise.race([removed, aborted])
    },
    get isDue() {
      return isDue(now(), retryAt, longestRetryMs)
    },
    hurry: () => {
      retryAt = 0
      retryMs = firstRetryMs
    },
    get isStuck() {
      return hasFailed && ledger.state.files.figures.waiting.files > 0
    },
    remind: () => outage.remind(),
    abort: () => aborter.abort(),
  }
}

/** The rest of a generator that others read as well: leaving a loop over it does not end it. */
function* unclosed<T>(rest: Generator<T, void, undefined>): Generator<T, void, undefined> {
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}

const isAway = (error: unknown): error is FileSystemError =>
  error instanceof FileSystemError && error.code === 'unavailable'

/** The file system's last word about one file; everything else is a matter of time. */
const isFinal = (error: unknown): boolean =>
  error instanceof FileSystemError && error.code !== 'unavailable' && error.code !== 'not-found'
