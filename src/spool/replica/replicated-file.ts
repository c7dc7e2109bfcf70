import type { AppendFile, Disk } from '../../disk/disk.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { isLostLease } from '../../filesystem/hdfs/files/leases.ts'
import type { PathTurns } from '../../filesystem/local/turns.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import { type RemoteFile, writeAnew } from './remote-file.ts'
import { isCopied, isSegment } from './remote-names.ts'
import { NotReplicated, type ReplicaState } from './replica-state.ts'
import type { Durability } from './replica-status.ts'
import type { ReplicatedSettings } from './replicated-settings.ts'

/** What a file needs of the copy that it is a part of. */
export type ReplicaParts = {
  readonly disk: Disk
  readonly directory: () => RemoteDirectory
  readonly state: ReplicaState
  readonly settings: () => ReplicatedSettings
  /** Hears of a segment that is begun. */
  readonly onSegment: (segment: number) => void
  /** Hears how many data nodes have what was flushed. */
  readonly onFlushed: (copies: number) => void
  /** Hears how safe the group of a segment is that was synced now. */
  readonly onGroup: (durability: Durability) => void
  /** Whether a file that is not in step is being brought there: it is written to HDFS before the copy is. */
  readonly isCatchingUp: (path: string) => boolean
}

export type ReplicatedFileParts = ReplicaParts & { readonly inTurn: PathTurns }

/** How often, and how long, a group is written to another file before HDFS counts as away: somebody waits for an answer. */
const maxAttempts = 3
const patienceMs = 12_000

/** A flush that was begun ahead of its turn, and of which file. */
type EarlyFlush = { readonly remote: RemoteFile; readonly copies: Promise<number> }

/**
 * A file of the spool that is in HDFS as well: its safe bytes are in both. If the remote file fails, it is rewritten
 * from the local one and writing continues: requests wait a little longer, and see no error.
 */
export class ReplicatedFile implements AppendFile {
  readonly #local: AppendFile
  readonly #parts: ReplicatedFileParts
  readonly #onClose: (file: ReplicatedFile, ended: Promise<void>) => void
  #path: string
  #remote: RemoteFile | undefined
  /** Appended so far, as far as it is known to be on the local disk. */
  #length = 0
  /** Bytes that the file in HDFS has been given. */
  #given = 0
  /** Bytes that the local disk has for certain. */
  #synced = 0
  /** Bytes that count as safe. */
  #kept = 0
  /** Bytes that HDFS has for certain, under this path. */
  #there = 0

  /** @param onClose hears when it is closed here, and of its end there, which nothing waits for */
  constructor(
    local: AppendFile,
    path: string,
    parts: ReplicatedFileParts,
    onClose: (file: ReplicatedFile, ended: Promise<void>) => void,
  ) {
    this.#local = local
    this.#path = path
    this.#parts = parts
    this.#onClose = onClose
  }

  /** Whether something of it that counts as safe is on this machine alone. */
  get isBehind(): boolean {
    return isCopied(this.#path) && this.#kept > this.#there
  }

  /** Bytes of it that are on this machine alone. */
  get behindBytes(): number {
    return isCopied(this.#path) ? Math.max(0, this.#synced - this.#there) : 0
  }

  async append(bytes: Uint8Array): Promise<number> {
    if (this.#remote) {
      this.#remote.write(bytes)
      this.#given += bytes.length
    }
    this.#length = await this.#local.append(bytes)
    return this.#length
  }

  async fdatasync(): Promise<number> {
    // Behind what was appended without waiting for it.
    const local = this.#local.fdatasync()
    const early = this.#remote && { remote: this.#remote, copies: this.#remote.flush() }
    early?.copies.catch(() => {})
    const safe = await local
    this.#synced = Math.max(this.#synced, safe)
    await this.#inTurn(() => this.#keep(safe, early))
    return safe
  }

  async close(): Promise<void> {
    try {
      await this.#local.close()
    } finally {
      // Its reader ends it where this does not. What is under way comes first: it must leave nothing open.
      const ended = this.#inTurn(async () => {
        const remote = this.#remote
        this.#remote = undefined
        await remote?.close()
      })
      this.#onClose(this, ended)
    }
  }

  /** Brings the file in HDFS to where the local one is. Rejects with {@link NotReplicated}. */
  async catchUp(): Promise<void> {
    await this.#inTurn(async () => {
      if (isCopied(this.#path)) await this.#replicate(this.#length, undefined)
    })
  }

  /** The file is about to get another name, also in HDFS; in a turn of both. */
  async moveTo(path: string): Promise<void> {
    const from = this.#path
    await this.#leave()
    this.#path = path
    // Nothing of it counts as safe under this name yet.
    this.#kept = 0
    this.#there = 0
    try {
      if (isCopied(path) && this.#parts.state.name !== 'unproven') await this.#replicate(this.#length, undefined, from)
    } catch (error) {
      this.#path = from
      throw error
    }
    this.#kept = this.#synced
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const path = this.#path
    // It may get another name before its turn has come.
    return this.#parts.inTurn(path, () => (path === this.#path ? work() : this.#inTurn(work)))
  }

  /** What was synced here is safe there as well before anyone may rely on it; or, where that is asked for, here alone. */
  async #keep(safe: number, early: EarlyFlush | undefined): Promise<void> {
    const { state, settings, onGroup } = this.#parts
    let durability: Durability = 'full'
    if (!isCopied(this.#path) || state.name === 'unproven') await this.#leave()
    else
      try {
        await this.#replicate(safe, early)
      } catch (error) {
        const mayBeLocal = isSegment(this.#path) && settings().whenUnavailable === 'local' && state.name === 'away'
        if (!mayBeLocal) throw error
        durability = 'local'
      }
    this.#kept = Math.max(this.#kept, safe)
    if (isSegment(this.#path)) onGroup(durability)
  }

  /** @param upTo bytes that HDFS has when it resolves @param from where the local file is now */
  async #replicate(upTo: number, early: EarlyFlush | undefined, from = this.#path): Promise<void> {
    const { state, isCatchingUp } = this.#parts
    const isAway = (): boolean => state.name !== 'in-step' && !isCatchingUp(this.#path)
    const until = performance.now() + patienceMs
    let failure: unknown
    for (let attempt = 1; attempt <= maxAttempts && !isAway(); attempt++) {
      try {
        await this.#flush(attempt === 1 ? early : undefined, from)
        this.#there = Math.max(this.#there, upTo)
        return
      } catch (error) {
        failure = error
        await this.#leave()
        await this.#lookForTaker(error)
        if (performance.now() > until) break
      }
    }
    if (failure !== undefined) state.failed(failure)
    await this.#leave()
    throw new NotReplicated(`${this.#path} is not replicated: ${state.reason}`, { cause: failure })
  }

  async #flush(early: EarlyFlush | undefined, from: string): Promise<void> {
    const { disk, directory, settings, onFlushed } = this.#parts
    let copies = early !== undefined && early.remote === this.#remote ? early.copies : undefined
    // Bytes that arrived during the rewrite are not in it.
    if (this.#remote === undefined || this.#given < this.#length) {
      await this.#leave()
      const { length } = this
      this.#remote = await writeAnew(disk, directory(), { from, to: this.#path, length }, settings)
      this.#given = length
      copies = undefined
    }
    onFlushed(await (copies ?? this.#remote.flush()))
  }

  get length(): number {
    return this.#length
  }

  /** A lease that is lost, a file or a directory that is not there: is it that somebody has taken all of it? */
  async #lookForTaker(error: unknown): Promise<void> {
    const { directory, state } = this.#parts
    if (!isLostLease(error) && !hasCode(error, 'not-found')) return
    const { path } = directory()
    const isThere = await directory()
      .exists()
      .catch(() => true)
    if (!isThere) state.fence(`${path} is not there any more`)
  }

  async #leave(): Promise<void> {
    const remote = this.#remote
    this.#remote = undefined
    this.#given = 0
    await remote?.abandon()
  }
}
