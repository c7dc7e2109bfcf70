/** Bytes of a file on their way to its blocks, one pipeline of data nodes after another. */
import { release } from '../../../bytes/slabs.ts'
import { throwIfAborted, toAbortError } from '../../abortable.ts'
import { messagePrefix } from '../../cluster/failover.ts'
import { refusal } from '../../cluster/steps.ts'
import { FileSystemError } from '../../filesystem.ts'
import { BlockWriter } from '../data-node/block-writer.ts'
import { ReplicaError } from '../data-node/replica-error.ts'
import { toFileSystemError } from '../errors.ts'
import type { DatanodeInfo, ExtendedBlock, LocatedBlock } from '../name-node/messages.ts'
import { nodeName } from '../socket/exact-socket.ts'
import { isNotSpokenTo, toNoDataNode } from './no-data-node.ts'
import { addressOf, type Transfer } from './transfer.ts'
import { abandonBlock, addBlock, keepLength, type UnfinishedFile } from './unfinished-file.ts'

type OpenBlock = { readonly writer: BlockWriter; readonly block: LocatedBlock; isKnown: boolean }

/** Pipelines that are asked for, for one block. */
const maxPipelines = 4

export class FileWriter {
  readonly #transfer: Transfer
  readonly #file: UnfinishedFile
  readonly #onAbort: () => void
  #last: ExtendedBlock | undefined
  #open: OpenBlock | undefined

  /** @param last the block that it goes on behind */
  constructor(transfer: Transfer, file: UnfinishedFile, last?: ExtendedBlock) {
    this.#transfer = transfer
    this.#file = file
    this.#last = last
    const { signal, path } = file
    this.#onAbort = () => {
      if (signal) this.#open?.writer.destroy(toAbortError(signal, path))
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Takes bytes, which are released when the system has them; resolves when it takes more. Rejects with `FileSystemError`. */
  async write(chunk: Uint8Array): Promise<void> {
    const { blockSize } = this.#file
    if (chunk.length === 0) release(chunk)
    for (let from = 0; from < chunk.length; ) {
      this.#open ??= await this.#openBlock()
      const { writer } = this.#open
      const to = Math.min(from + blockSize - writer.length, chunk.length)
      // A copy: a part of a buffer is a view of it, and what was lent goes back before it is sent.
      const part = from === 0 && to === chunk.length ? chunk : Uint8Array.prototype.slice.call(chunk, from, to)
      await this.#guard(this.#open, () => writer.write(part))
      from = to
      if (part !== chunk && to === chunk.length) release(chunk)
      if (writer.length === blockSize) await this.#endBlock()
    }
  }

  /**
   * Resolves when all data nodes have all bytes so far, and readers can see them (`hflush`); with `toDisk` when they have
   * synced the block that is open to their disks, and the name node knows its length (`hsync`).
   */
  async flush(toDisk: boolean): Promise<void> {
    const open = this.#open
    if (open === undefined) return
    await this.#guard(open, () => open.writer.flush(toDisk))
    // A name node that is started again knows the blocks only that it was told to keep.
    if (toDisk || !open.isKnown) await keepLength(this.#transfer, this.#file, toDisk ? open.writer.length : undefined)
    open.isKnown = true
  }

  /** Resolves with the last block when all its bytes are on their data nodes; none of an empty file. */
  async finish(): Promise<ExtendedBlock | undefined> {
    await this.#endBlock()
    this.#file.signal?.removeEventListener('abort', this.#onAbort)
    return this.#last
  }

  /** Breaks off. */
  destroy(reason: unknown): void {
    this.#file.signal?.removeEventListener('abort', this.#onAbort)
    this.#open?.writer.destroy(reason instanceof Error ? reason : new Error(String(reason)))
  }

  async #endBlock(): Promise<void> {
    if (this.#open === undefined) return
    const { writer, block } = this.#open
    await this.#guard(this.#open, () => writer.finish())
    this.#last = { ...block.b, numBytes: writer.length }
    this.#open = undefined
  }

  /** Errors of a pipeline as those of the file. */
  async #guard({ block }: OpenBlock, step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      throw this.#toError(error, block)
    }
  }

  #toError(error: unknown, { locs: [first] }: LocatedBlock): FileSystemError {
    const bad = badNodeOf(error) ?? (first ? nodeName(addressOf(first)) : '')
    return toFileSystemError(error, `data node ${bad}`, this.#file.action, this.#file.path)
  }

  /** A pipeline that cannot be begun is given up for another one without the node that failed. */
  async #openBlock(): Promise<OpenBlock> {
    const { path, action, signal } = this.#file
    const excluded: DatanodeInfo[] = []
    let failure: FileSystemError | undefined
    let isSpokenTo = false
    for (let tried = 1; ; tried++) {
      const block = await addBlock(this.#transfer, this.#file, this.#last, excluded).catch(error => {
        throw failure ? withReason(failure, error) : error
      })
      const [first] = block.locs
      if (first === undefined) throw refusal('unavailable', path, action, 'the name node named no data node')
      try {
        return { writer: await this.#openPipeline(block, first), block, isKnown: false }
      } catch (error) {
        throwIfAborted(signal, path)
        isSpokenTo ||= !isNotSpokenTo(error)
        const ofNode = this.#toError(error, block)
        const failed = isSpokenTo ? ofNode : toNoDataNode(ofNode)
        failure = failed
        if (tried === maxPipelines) throw failed
        const bad = badNodeOf(error)
        excluded.push(block.locs.find(one => nodeName(addressOf(one)) === bad) ?? first)
        await abandonBlock(this.#transfer, this.#file, block).catch((refused: unknown) => {
          throw withReason(failed, refused)
        })
      }
    }
  }

  #openPipeline(block: LocatedBlock, first: DatanodeInfo): Promise<BlockWriter> {
    const { defaults, syncBlock, signal, lease } = this.#file
    const { bytesPerChecksum, checksumType, writePacketSize: packetBytes } = defaults
    return BlockWriter.open({
      ...this.#transfer,
      clientName: lease.clientName,
      block,
      address: addressOf(first),
      bytesPerChecksum,
      checksumType,
      packetBytes,
      syncBlock,
      signal,
    })
  }
}

const badNodeOf = (error: unknown): string | undefined => (error instanceof ReplicaError ? error.badNode : undefined)

/** The name node has no other data nodes, for example: why this one is left is what matters. */
const withReason = (failure: FileSystemError, next: unknown): FileSystemError => {
  const more = next instanceof Error ? next.message.replace(messagePrefix, '') : String(next)
  return new FileSystemError(failure.code, failure.path, `${failure.message}; then ${more}`, { cause: failure.cause })
}
