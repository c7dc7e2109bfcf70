import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import { createPathTurns } from '../local/turns.ts'
import { type ClaimRequest, claimJournal } from './claim.ts'
import type { JournalFiles } from './files.ts'
import type { JournalEntry } from './frame.ts'
import { createHints, type FoundHint } from './hints.ts'
import { createJournalObjects, type JournalObjects, type ObjectStore } from './objects.ts'
import { readHead, replay } from './replay.ts'
import { createJournalWriter, type JournalWriter } from './writer.ts'

/** The name of a log, with the collector that began it and the one that has it. */
export type LogName = {
  /** `<id>`, or `<id>.<keeper>` where another one has it. */
  readonly name: string
  readonly id: string
  readonly keeper: string
}

/** The logs in a directory of a store, each with its journal. All reject with `FileSystemError`. */
export type Logs = {
  /** Names of the logs, and when the hint of each was written, in ms of the store's clock. */
  list(): Promise<readonly { readonly name: string; readonly changedAt: number }[]>
  /** The same of one log; undefined if no log has this name. */
  find(log: LogName): Promise<{ readonly changedAt: number } | undefined>
  /** Rejects with `not-found`. */
  files(log: LogName): Promise<{ readonly files: JournalFiles; readonly objects: JournalObjects }>
  /** The writer of a log, which is claimed for this process first. Rejects with `not-found`. */
  writer(log: LogName): Promise<JournalWriter>
  /** Begins a log without files, unless it exists. */
  make(log: LogName): Promise<void>
  /** Gives a log to another keeper. Rejects with `not-found` if no log has the first name. */
  take(from: LogName, to: LogName): Promise<void>
  /** Ends a log and deletes its files. Its claims remain. */
  end(log: LogName): Promise<void>
  /** The counter of the keeper; undefined before the first one is set. */
  counter(log: LogName): Promise<number | undefined>
  /** Sets the counter, after a check that the log still has this name. */
  setCounter(log: LogName, counter: number): Promise<void>
}

export const toLogName = (id: string, keeper: string): string => (id === keeper ? id : `${id}.${keeper}`)

type Kept = { readonly keeper: string; readonly writer: JournalWriter }

export type LogsOptions = {
  readonly store: ObjectStore
  /** The directory that has the logs. */
  readonly directory: string
  /** How long changes are gathered, in ms. */
  readonly gatherMs: () => number
  /** Whether a log with files of these names can be taken over; then no log of its name is begun. */
  readonly isWhole: (names: readonly string[]) => boolean
  readonly groupsPerCheckpoint?: number | undefined
}

export const createLogs = ({ store, directory, gatherMs, isWhole, groupsPerCheckpoint }: LogsOptions): Logs => {
  const hints = createHints(store, `${directory}/alive`)
  const inTurn = createPathTurns()
  /** Writers of this process, by id. Fenced ones remain, so that their logs are not claimed back. */
  const kept = new Map<string, Kept>()
  const objectsOf = (id: string): JournalObjects => createJournalObjects(store, `${directory}/${id}`)
  const missing = ({ name }: LogName): FileSystemError =>
    refusal('not-found', `${directory}/${name}`, 'use', 'there is no such log')
  const isOf = (entry: JournalEntry | undefined, keeper: string): entry is JournalEntry =>
    entry !== undefined && entry.keeper === keeper && !isEnd(entry)

  const begin = async (log: LogName, as: 'it was' | 'empty', check: ClaimRequest['check']) => {
    const { id, keeper } = log
    const objects = objectsOf(id)
    const { claim } = await claimJournal(objects, { keeper, as, check })
    const found = await replay(objects)
    // Another process has claimed it since.
    if (found?.entry.session !== claim.session) throw missing(log)
    const { head, files } = found
    const gather = createGather(gatherMs)
    const writer = createJournalWriter({ objects, files, claim, head, gather, groupsPerCheckpoint })
    kept.set(id, { keeper, writer })
    return writer
  }

  const writer = (log: LogName): Promise<JournalWriter> =>
    inTurn(log.id, async () => {
      const known = kept.get(log.id)
      if (known?.keeper !== log.keeper)
        return await begin(log, 'it was', head => {
          if (!isOf(head, log.keeper)) throw missing(log)
        })
      if (known.writer.isFenced) throw missing(log)
      return known.writer
    })

  const isThere = async ({ id, keeper }: LogName): Promise<boolean> => {
    const known = kept.get(id)
    if (known?.keeper !== keeper) return isOf((await readHead(objectsOf(id)))?.entry, keeper)
    await known.writer.verify().catch((error: unknown) => {
      if (!known.writer.isFenced) throw error
    })
    return !known.writer.isFenced
  }

  /** This process knows its own logs better than a hint does. */
  const nameOf = ({ id, keeper }: FoundHint): string => {
    const known = kept.get(id)
    return toLogName(id, known && !known.writer.isFenced ? known.keeper : keeper)
  }

  /** Deletes what is left of a log that ended, except its claims. */
  const clear = async (id: string, end: number): Promise<void> => {
    const objects = objectsOf(id)
    for await (const { number, isClaim } of objects.list()) if (number < end && !isClaim) await objects.delete(number)
    await hints.delete(id)
  }

  const leave = async (id: string): Promise<void> => {
    await kept.get(id)?.writer.close()
    kept.delete(id)
  }

  return {
    list: async () => (await hints.list()).map(hint => ({ name: nameOf(hint), changedAt: hint.changedAt })),
    find: async log => {
      if (!(await isThere(log))) return undefined
      return { changedAt: (await hints.read(log.id))?.changedAt ?? 0 }
    },
    files: async log => {
      const objects = objectsOf(log.id)
      const known = kept.get(log.id)
      if (known?.keeper === log.keeper) {
        if (!(await isThere(log))) throw missing(log)
        return { files: known.writer.files, objects }
      }
      const found = await replay(objects)
      if (!found || !isOf(found.entry, log.keeper)) throw missing(log)
      return { files: found.files, objects }
    },
    writer,
    make: async log => {
      if (await isThere(log)) return
      await inTurn(log.id, async () => {
        if (kept.get(log.id)?.keeper === log.keeper) throw missing(log)
        // First: a log without a hint would not be found by others.
        await hints.write(log.id, { keeper: log.keeper, counter: 0 })
        await begin(log, 'empty', async head => {
          if (head === undefined || head.keeper === log.keeper || isEnd(head)) return
          const found = await replay(objectsOf(log.id))
          if (found && isWhole(found.files.list().map(({ name }) => name))) throw missing(log)
        })
      })
    },
    take: (from, to) =>
      inTurn(from.id, async () => {
        await leave(from.id)
        await begin(to, 'it was', head => {
          if (!isOf(head, from.keeper)) throw missing(from)
        }).catch(async (error: unknown) => {
          await correct(from.id).catch(() => {})
          throw error
        })
        await hints.write(from.id, { keeper: to.keeper, counter: 0 })
      }),
    end: log =>
      inTurn(log.id, async () => {
        await leave(log.id)
        const check = (head: JournalEntry | undefined): void => {
          if (!isOf(head, log.keeper)) throw missing(log)
        }
        const { number } = await claimJournal(objectsOf(log.id), { keeper: log.keeper, as: 'ended', check })
        await clear(log.id, number)
      }),
    counter: async ({ id, keeper }) => {
      const hint = await hints.read(id)
      return hint?.keeper === keeper ? hint.counter : undefined
    },
    setCounter: async (log, counter) => {
      await (await writer(log)).verify()
      await hints.write(log.id, { keeper: log.keeper, counter })
    },
  }

  /** Makes a hint agree with the journal. */
  async function correct(id: string): Promise<void> {
    const found = await readHead(objectsOf(id))
    if (!found) await hints.delete(id)
    else if (isEnd(found.entry)) await clear(id, found.head)
    else {
      const hint = await hints.read(id)
      if (hint?.keeper !== found.entry.keeper) await hints.write(id, { keeper: found.entry.keeper, counter: 0 })
    }
  }
}

const isEnd = (entry: JournalEntry): boolean => entry.kind === 'claim' && entry.isEnd

/** Waits until the time has passed since the wait before. */
const createGather = (gatherMs: () => number): (() => Promise<unknown>) => {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    const left = last + gatherMs() - performance.now()
    if (left > 0) await wait(left)
    last = performance.now()
  }
}
