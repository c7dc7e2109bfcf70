import type { AppendFile, Disk } from '../../disk/disk.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { isLostLease } from '../../filesystem/hdfs/files/leases.ts'
import { createInTurn } from '../heartbeat/in-turn.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import { type RemoteFile, writeAnew } from './remote-file.ts'
import { isCopied, isSegment } from './remote-names.ts'
import { NotReplicated, type ReplicaState } from './replica-state.ts'
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
  /** Hears of bytes that are safe on the local disk alone. */
  readonly onLocal: (bytes: number) => void
  /** Whether what is not in step is being brought there: files are written to HDFS before it is. */
  readonly isCatchingUp: () => boolean
}

/** How often, and how long, a group is written to another file before HDFS counts as away: somebody waits for an answer. */
const maxAttempts = 3
const patienceMs = 12_000

/**
 * A file of the spool that stands in HDFS as well: what is safe stands in both. Where the one there fails it is written anew
 * from the local one, and goes on, so that requests wait a little longer and hear of nothing.
 */
export class ReplicatedFile implements AppendFile {
  readonly #local: AppendFile
  readonly #parts: ReplicaParts
  readonly #onClose: (file: ReplicatedFile, ended: Promise<void>) => void
  #path: string
  #remote: RemoteFile | undefined
  /** Appended so far, as far as it is known to be on the local disk. */
  #length = 0
  /** Bytes that the file in HDFS has been given. */
  #given = 0
  /** Bytes that are safe, here or in both. */
  #kept = 0
  /** One who brings it in step at a time: a group, and what catches up. */
  readonly #inTurn = createInTurn()

  /** @param onClose hears when it is closed here, and of its end there, which nothing waits for */
  constructor(
    local: AppendFile,
    path: string,
    parts: ReplicaParts,
    onClose: (file: ReplicatedFile, ended: Promise<void>) => void,
  ) {
    this.#local = local
    this.#path = path
    this.#parts = parts
    this.#onClose = onClose
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
    const early = this.#remote?.flush()
    early?.catch(() => {})
    const safe = await local
    await this.#inTurn(() => this.#replicate(early))
    return safe
  }

  async close(): Promise<void> {
    const remote = this.#remote
    this.#remote = undefined
    await this.#local.close()
    // Its reader ends it where this does not.
    this.#onClose(this, remote?.close() ?? Promise.resolve())
  }

  /** Brings the file in HDFS to where the local one is. */
  async catchUp(): Promise<void> {
    await this.#inTurn(() => this.#replicate(undefined))
  }

  /** The file is about to get another name, under which it stands in HDFS. */
  async moveTo(path: string): Promise<void> {
    const from = this.#path
    await this.#inTurn(async () => {
      await this.#leave()
      this.#path = path
      if (this.#parts.state.name !== 'unproven') await this.#replicate(undefined, from)
    })
  }

  /** @param early the flush that is under way @param from where the local file is now */
  async #replicate(early: Promise<number> | undefined, from = this.#path): Promise<void> {
    const { state, settings, isCatchingUp } = this.#parts
    if (!isCopied(this.#path) || (state.name === 'unproven' && !isCatchingUp())) return await this.#leave()
    const isAway = (): boolean => state.name !== 'in-step' && !isCatchingUp()
    const until = performance.now() + patienceMs
    let failure: unknown
    for (let attempt = 1; attempt <= maxAttempts && !isAway(); attempt++) {
      try {
        await this.#flush(attempt === 1 ? early : undefined, from)
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
    if (isSegment(this.#path) && settings().whenUnavailable === 'local' && state.name === 'away') {
      this.#parts.onLocal(this.#length - this.#kept)
      this.#kept = this.#length
      return
    }
    throw new NotReplicated(`${this.#path} is not safe in HDFS: ${state.reason}`, { cause: failure })
  }

  async #flush(early: Promise<number> | undefined, from: string): Promise<void> {
    const { disk, directory, settings, onFlushed } = this.#parts
    let copies = early
    // What came while it was written anew is not in it.
    if (this.#remote === undefined || this.#given !== this.#length) {
      await this.#leave()
      const { length } = this
      this.#remote = await writeAnew(disk, directory(), { from, to: this.#path, length }, settings)
      this.#given = length
      copies = undefined
    }
    const found = await (copies ?? this.#remote.flush())
    const { min } = settings()
    // An empty file is on no data node.
    if (found < min && this.#length > 0)
      throw new Error(
        `${found} data ${found === 1 ? 'node has' : 'nodes have'} it, and collector.replicated.min is ${min}`,
      )
    this.#kept = this.#length
    onFlushed(found)
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
