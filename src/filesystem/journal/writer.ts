/**
 * The writer of a journal. Changes are gathered while an object is being written; the next object has them all.
 *
 * One object is on its way at a time, so a group is confirmed only after all groups before it. While the outcome of a write
 * is unknown the same bytes are sent again before anything else: no other bytes ever get its number. An object of other bytes
 * at that number is a claim, and fences this writer for good.
 */
import { refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import type { JournalFiles } from './files.ts'
import { type ChangeGroup, encodeGroup, type JournalChange } from './frame.ts'
import type { JournalObjects } from './objects.ts'
import { createSweeper, type Sweeper } from './sweep.ts'

export type JournalWriterOptions = {
  readonly objects: JournalObjects
  readonly files: JournalFiles
  readonly claim: Pick<ChangeGroup, 'keeper' | 'session' | 'since'>
  /** The number of the claim. */
  readonly head: number
  /** Waits before a group is sent, while changes are gathered. */
  readonly gather: () => Promise<unknown>
  /** Groups between two checkpoints; a reader needs the header of each. @default 500 */
  readonly groupsPerCheckpoint?: number | undefined
}

/** Payload of a group of several changes. */
const maxGroupBytes = 4 * 2 ** 20

type Waiting = {
  readonly changes: readonly JournalChange[]
  readonly payload: readonly Uint8Array[]
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

type Sent = { readonly group: ChangeGroup; readonly bytes: Buffer<ArrayBuffer>; readonly start: number }

const appendedIn = ({ changes }: Pick<Waiting, 'changes'>): readonly number[] =>
  changes.flatMap(change => (change.do === 'append' ? [change.file] : []))

/** Writes a journal. All methods reject with `FileSystemError`. */
export class JournalWriter {
  /** As the journal has them. */
  readonly files: JournalFiles
  readonly #options: JournalWriterOptions
  readonly #sweeper: Sweeper
  readonly #queue: Waiting[] = []
  /** Files of which appended bytes may be missing. */
  readonly #broken = new Set<number>()
  #head: number
  #since: number
  #fenced: FileSystemError | undefined
  #isClosed = false
  #waitingBytes = 0
  /** The write with an unknown outcome, or the one on its way. */
  #unsettled: Sent | undefined
  #running: Promise<void> | undefined

  constructor(options: JournalWriterOptions) {
    this.#options = options
    this.files = options.files
    this.#head = options.head
    this.#since = options.claim.since
    this.#sweeper = createSweeper(options.objects)
  }

  /** Bytes that are not confirmed yet. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Whether another process has the log. */
  get isFenced(): boolean {
    return this.#fenced !== undefined
  }

  /**
   * Resolves when the changes, and all that were requested before them, are in the journal. `payload` is what they append; the
   * caller does not change it. Rejects with `unavailable` while the outcome is unknown, and with `not-found` once another
   * process has the log.
   */
  write(changes: readonly JournalChange[], payload: readonly Uint8Array[] = []): Promise<void> {
    if (this.#fenced) return Promise.reject(this.#fenced)
    if (this.#isClosed) return Promise.reject(this.#refusal('the log is closed'))
    if (appendedIn({ changes }).some(file => this.#broken.has(file)))
      return Promise.reject(this.#refusal('bytes before these may be missing'))
    const bytes = payload.reduce((sum, { length }) => sum + length, 0)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#queue.push({ changes, payload, bytes, resolve, reject })
    this.#waitingBytes += bytes
    this.#running ??= this.#run()
    return promise
  }

  /** Checks that no other process has the log. Rejects as {@link JournalWriter.write}. */
  async verify(): Promise<void> {
    if (this.#fenced) throw this.#fenced
    const { objects, claim } = this.#options
    // It waits for no write of ours, which may take long: one with an unknown outcome may be there, and a claim behind it.
    for (let number = this.#head + 1; ; number++) {
      const found = await objects.find(number)
      if (!found || this.#head >= number) return
      if (found.entry.session !== claim.session) throw this.#fence()
    }
  }

  /** Resolves when no write is on its way; later ones are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
    await this.#sweeper.close()
  }

  #refusal(reason: string): FileSystemError {
    return refusal('unavailable', this.#options.objects.pathOf(this.#head), 'write', reason)
  }

  #fence(): FileSystemError {
    const path = this.#options.objects.pathOf(this.#head + 1)
    this.#fenced ??= refusal('not-found', path, 'write', 'another process has taken the log')
    return this.#fenced
  }

  async #run(): Promise<void> {
    const { gather } = this.#options
    let group: Waiting[] = []
    try {
      while (this.#queue.length > 0) {
        if (this.#unsettled) await this.#put(this.#unsettled)
        await gather()
        group = this.#takeGroup()
        await this.#put(this.#toSent(group))
        for (const one of group) this.#settle(one)
        group = []
        if (this.#isCheckpointDue()) await this.#checkpoint()
      }
    } catch (error) {
      for (const one of [...group, ...this.#queue.splice(0)]) {
        // Later bytes must not follow a gap.
        for (const file of appendedIn(one)) this.#broken.add(file)
        this.#settle(one, { error })
      }
    } finally {
      this.#running = undefined
    }
  }

  async #put(sent: Sent): Promise<void> {
    this.#unsettled = sent
    if ((await this.#options.objects.put(this.#head + 1, sent.bytes)) === 'foreign') throw this.#fence()
    this.#unsettled = undefined
    this.#head++
    const { changes, image } = sent.group
    // A checkpoint changes no file.
    if (image) this.#since = this.#head
    else this.files.apply(changes, this.#head, sent.start)
  }

  /** The changes for the next object. */
  #takeGroup(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const one of this.#queue) {
      bytes += one.bytes
      if (count > 0 && bytes > maxGroupBytes) break
      count++
    }
    return this.#queue.splice(0, count)
  }

  #toSent(waiting: readonly Waiting[]): Sent {
    const { keeper, session } = this.#options.claim
    const changes = waiting.flatMap(one => one.changes)
    const group: ChangeGroup = { kind: 'group', keeper, session, since: this.#since, changes }
    return {
      group,
      ...encodeGroup(
        group,
        waiting.flatMap(({ payload }) => payload),
      ),
    }
  }

  async #checkpoint(): Promise<void> {
    const { keeper, session } = this.#options.claim
    const at = { kind: 'group', keeper, session, since: this.#head + 1 } as const
    const group: ChangeGroup = { ...at, changes: [], image: this.files.image() }
    await this.#put({ group, ...encodeGroup(group, []) })
    this.#sweeper.sweep(this.#since, this.files.needed())
  }

  #isCheckpointDue(): boolean {
    const { groupsPerCheckpoint = 500 } = this.#options
    return this.#head - this.#since >= Math.max(groupsPerCheckpoint, this.files.places / 4)
  }

  #settle({ bytes, resolve, reject }: Waiting, failure?: { readonly error: unknown }): void {
    this.#waitingBytes -= bytes
    if (failure) reject(failure.error)
    else resolve()
  }
}
