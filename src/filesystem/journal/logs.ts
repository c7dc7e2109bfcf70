import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import { createPathTurns } from '../local/turns.ts'
import { type ClaimRequest, claimJournal } from './claim.ts'
import type { JournalFiles } from './files.ts'
import type { JournalEntry } from './frame.ts'
import { createHints, type Hints } from './hints.ts'
import { createJournalObjects, type JournalObjects, type ObjectStore } from './objects.ts'
import { readHead, replay } from './replay.ts'
import { JournalWriter } from './writer.ts'

/** The name of a log, with the collector that began it and the one that has it. */
export type LogName = {
  /** `<id>`, or `<id>.<keeper>` where another one has it. */
  readonly name: string
  readonly id: string
  readonly keeper: string
}

const toLogName = (id: string, keeper: string): string => (id === keeper ? id : `${id}.${keeper}`)

type Kept = { readonly keeper: string; readonly writer: JournalWriter }

type LogsOptions = {
  readonly store: ObjectStore
  /** The directory that has the logs. */
  readonly directory: string
  /** How long changes are gathered, in ms. */
  readonly gatherMs: () => number
  /** Whether a log with files of these names can be taken over; then no log of its name is begun. */
  readonly isWhole: (names: readonly string[]) => boolean
  readonly groupsPerCheckpoint?: number | undefined
}

/** The logs in a directory of a store, each with its journal. All methods reject with `FileSystemError`. */
export class Logs {
  readonly #options: LogsOptions
  readonly #hints: Hints
  readonly #inTurn = createPathTurns()
  /** Writers of this process, by id. Fenced ones remain, so that their logs are not claimed back. */
  readonly #kept = new Map<string, Kept>()

  constructor(options: LogsOptions) {
    this.#options = options
    this.#hints = createHints(options.store, `${options.directory}/alive`)
  }

  /** Names of the logs, and when the hint of each was written, in ms of the store's clock. */
  async list(): Promise<readonly { readonly name: string; readonly changedAt: number }[]> {
    const found: { readonly name: string; readonly changedAt: number }[] = []
    for (const hint of await this.#hints.list()) {
      const { id, changedAt } = hint
      const keeper = hint.keeper ?? (await this.#keeperOf(id))
      if (keeper !== undefined) found.push({ name: this.#nameOf(id, keeper), changedAt })
    }
    return found
  }

  /** The same of one log; undefined if no log has this name. */
  async find(log: LogName): Promise<{ readonly changedAt: number } | undefined> {
    if (!(await this.#isThere(log))) return undefined
    return { changedAt: (await this.#hints.read(log.id))?.changedAt ?? 0 }
  }

  /** Rejects with `not-found`. */
  async files(log: LogName): Promise<{ readonly files: JournalFiles; readonly objects: JournalObjects }> {
    const objects = this.#objectsOf(log.id)
    const known = this.#kept.get(log.id)
    if (known?.keeper === log.keeper) {
      if (!(await this.#isThere(log))) throw this.#missing(log)
      return { files: known.writer.files, objects }
    }
    const found = await replay(objects)
    if (!found || !isOf(found.entry, log.keeper)) throw this.#missing(log)
    return { files: found.files, objects }
  }

  /** The writer of a log, which is claimed for this process first. Rejects with `not-found`. */
  writer(log: LogName): Promise<JournalWriter> {
    return this.#inTurn(log.id, async () => {
      const known = this.#kept.get(log.id)
      if (known?.keeper !== log.keeper) return await this.#begin(log, 'it was', this.#checkKeeper(log))
      if (known.writer.isFenced) throw this.#missing(log)
      return known.writer
    })
  }

  /** Begins a log without files, unless it exists. */
  async make(log: LogName): Promise<void> {
    if (await this.#isThere(log)) return
    await this.#inTurn(log.id, async () => {
      if (this.#kept.get(log.id)?.keeper === log.keeper) throw this.#missing(log)
      // First: a log without a hint would not be found by others.
      await this.#hints.write(log.id, { keeper: log.keeper, counter: 0 })
      await this.#begin(log, 'empty', async head => {
        if (head === undefined || head.keeper === log.keeper || isEnd(head)) return
        const found = await replay(this.#objectsOf(log.id))
        if (found && this.#options.isWhole(found.files.list().map(({ name }) => name))) throw this.#missing(log)
      })
      // Again: who finds that a log of this id has ended deletes its hint, and looks at the journal then.
      await this.#hints.write(log.id, { keeper: log.keeper, counter: 0 })
    })
  }

  /** Gives a log to another keeper. Rejects with `not-found` if no log has the first name. */
  take(from: LogName, to: LogName): Promise<void> {
    return this.#inTurn(from.id, async () => {
      await this.#leave(from.id)
      await this.#begin(to, 'it was', this.#checkKeeper(from)).catch(async (error: unknown) => {
        await this.#correct(from.id).catch(() => {})
        throw error
      })
      await this.#hints.write(from.id, { keeper: to.keeper, counter: 0 })
    })
  }

  /** Ends a log and deletes its files. Its claims remain. */
  end(log: LogName): Promise<void> {
    return this.#inTurn(log.id, async () => {
      await this.#leave(log.id)
      const request = { keeper: log.keeper, as: 'ended', check: this.#checkKeeper(log) } as const
      const { number } = await claimJournal(this.#objectsOf(log.id), request)
      await this.#clear(log.id, number)
    })
  }

  /** Makes the list of logs agree with the journal of one. */
  correct({ id }: LogName): Promise<void> {
    return this.#inTurn(id, () => this.#correct(id))
  }

  /** The counter of the keeper; undefined before the first one is set. */
  async counter({ id, keeper }: LogName): Promise<number | undefined> {
    const hint = await this.#hints.read(id)
    return hint?.keeper === keeper ? hint.counter : undefined
  }

  /** Sets the counter, after a check that the log still has this name. */
  async setCounter(log: LogName, counter: number): Promise<void> {
    await (await this.writer(log)).verify()
    await this.#hints.write(log.id, { keeper: log.keeper, counter })
  }

  #objectsOf(id: string): JournalObjects {
    return createJournalObjects(this.#options.store, `${this.#options.directory}/${id}`)
  }

  #missing({ name }: LogName): FileSystemError {
    return refusal('not-found', `${this.#options.directory}/${name}`, 'use', 'there is no such log')
  }

  #checkKeeper(log: LogName): (head: JournalEntry | undefined) => void {
    return head => {
      if (!isOf(head, log.keeper)) throw this.#missing(log)
    }
  }

  async #begin(log: LogName, as: 'it was' | 'empty', check: ClaimRequest['check']): Promise<JournalWriter> {
    const { id, keeper } = log
    const objects = this.#objectsOf(id)
    const { claim } = await claimJournal(objects, { keeper, as, check })
    const found = await replay(objects)
    // Another process has claimed it since.
    if (found?.entry.session !== claim.session) throw this.#missing(log)
    const { head, files } = found
    const { gatherMs, groupsPerCheckpoint } = this.#options
    const writer = new JournalWriter({
      objects,
      files,
      claim,
      head,
      gather: createGather(gatherMs),
      groupsPerCheckpoint,
    })
    this.#kept.set(id, { keeper, writer })
    return writer
  }

  async #isThere({ id, keeper }: LogName): Promise<boolean> {
    const known = this.#kept.get(id)
    if (known?.keeper !== keeper) return isOf((await readHead(this.#objectsOf(id)))?.entry, keeper)
    await known.writer.verify().catch((error: unknown) => {
      if (!known.writer.isFenced) throw error
    })
    return !known.writer.isFenced
  }

  /** This process knows its own logs better than a hint does. */
  #nameOf(id: string, keeper: string): string {
    const known = this.#kept.get(id)
    return toLogName(id, known && !known.writer.isFenced ? known.keeper : keeper)
  }

  /** Deletes what is left of a log that ended, except its claims. */
  async #clear(id: string, end: number): Promise<void> {
    const objects = this.#objectsOf(id)
    for await (const { number, isClaim } of objects.list()) if (number < end && !isClaim) await objects.delete(number)
    await this.#hints.delete(id)
    // Another process may have begun it again meanwhile: without a hint it would not be found.
    const keeper = await this.#keeperOf(id)
    if (keeper !== undefined) await this.#hints.write(id, { keeper, counter: 0 })
  }

  /** As the journal says. An unreadable log has no keeper, so that it does not hide the others. */
  async #keeperOf(id: string): Promise<string | undefined> {
    const entry = (await readHead(this.#objectsOf(id)).catch(() => undefined))?.entry
    return entry && !isEnd(entry) ? entry.keeper : undefined
  }

  async #leave(id: string): Promise<void> {
    await this.#kept.get(id)?.writer.close()
    this.#kept.delete(id)
  }

  /** Makes a hint agree with the journal. */
  async #correct(id: string): Promise<void> {
    const found = await readHead(this.#objectsOf(id))
    if (!found) await this.#hints.delete(id)
    else if (isEnd(found.entry)) await this.#clear(id, found.head)
    else {
      const hint = await this.#hints.read(id)
      const { keeper } = found.entry
      if (hint?.keeper !== keeper) await this.#hints.write(id, { keeper, counter: 0 })
    }
  }
}

const isOf = (entry: JournalEntry | undefined, keeper: string): entry is JournalEntry =>
  entry !== undefined && entry.keeper === keeper && !isEnd(entry)

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
