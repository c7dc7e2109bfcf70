/**
 * Bytes of a file on their way to its blocks, one pipeline of data nodes after another. Where a pipeline breaks:
 *
 *     all bytes of the block are still kept    it is given up, and they go to another block on other nodes
 *     else, and enough nodes are left          the block continues on these (`recover-pipeline.ts`)
 *     else                                     it ends with what it has, and the next one has all its copies again
 */
import { release } from '../../../bytes/slabs.ts'
import { asError } from '../../../errors.ts'
import { throwIfAborted, toAbortError } from '../../abortable.ts'
import { messagePrefix } from '../../cluster/failover.ts'
import { refusal } from '../../cluster/steps.ts'
import { FileSystemError } from '../../filesystem.ts'
import { beginPipeline } from '../data-node/begin-pipeline.ts'
import { BlockWriter, type BlockWriterOptions } from '../data-node/block-writer.ts'
import { xferAddrOf } from '../data-node/host-of.ts'
import { ReplicaError } from '../data-node/replica-error.ts'
import { toFileSystemError } from '../errors.ts'
import type { ExtendedBlock, LocatedBlock } from '../name-node/messages.ts'
import { nodeName } from '../socket/exact-socket.ts'
import { createFailedNodes } from './failed-nodes.ts'
import { isLostLease } from './leases.ts'
import { isNotSpokenTo, toNoDataNode } from './no-data-node.ts'
import { type Blamed, recoverPipeline } from './recover-pipeline.ts'
import { addressOf, type Transfer } from './transfer.ts'
import { abandonBlock, addBlock, keepBlocks, type UnfinishedFile } from './unfinished-file.ts'

type OpenBlock = { readonly writer: BlockWriter; readonly block: LocatedBlock; isKnown: boolean }

/** Pipelines that are asked for, for one block. */
const maxPipelines = 4
/** Nodes that may fail one file within some minutes. */
const maxFailedNodes = 16

export class FileWriter {
  readonly #transfer: Transfer
  readonly #file: UnfinishedFile
  readonly #onAbort: () => void
  readonly #failed = createFailedNodes()
  #last: ExtendedBlock | undefined
  #open: OpenBlock | undefined
  #isSpokenTo = false
  #isDestroyed = false
  /** Of the bytes since the last flush that are in blocks which have ended: nodes that have them. */
  #endedCopies = Number.POSITIVE_INFINITY
  #copies = 0

  /** @param last the block that it continues after */
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

  /** Data nodes that have all of what was flushed or finished last; 0 before. */
  get copies(): number {
    return this.#copies
  }

  /** Takes bytes, which are released when the data nodes have them; resolves when it takes more. Rejects with `FileSystemError`. */
  async write(chunk: Uint8Array): Promise<void> {
    const { blockSize } = this.#file
    if (chunk.length === 0) release(chunk)
    for (let from = 0; from < chunk.length; ) {
      this.#open ??= await this.#openBlock()
      const { writer } = this.#open
      const to = Math.min(from + blockSize - writer.length, chunk.length)
      // A copy: a part of a buffer is a view of it, and what was lent goes back before it is sent.
      const part = from === 0 && to === chunk.length ? chunk : Uint8Array.prototype.slice.call(chunk, from, to)
      await this.#step(this.#open, () => writer.write(part))
      from = to
      if (part !== chunk && to === chunk.length) release(chunk)
      if (this.#open?.writer.length === blockSize) await this.#endBlock()
    }
  }

  /**
   * Resolves when all data nodes have all bytes so far, and readers can see them (`hflush`); with `toDisk` when they
   * have synced the block that is open to their disks (`hsync`). Only they know its length until it ends: reporting it
   * to the name node each time would cost a call, and a sync of its own log.
   */
  async flush(toDisk: boolean): Promise<void> {
    const before = this.#open
    for (let open = before; open !== undefined; open = this.#open) {
      const { writer } = open
      if (await this.#step(open, () => writer.flush(toDisk))) break
    }
    const open = this.#open
    // A restarted name node knows only persisted blocks.
    if ((open ?? before)?.isKnown === false) await keepBlocks(this.#transfer, this.#file)
    if (open) open.isKnown = true
    this.#countCopies(open?.block.locs.length ?? Number.POSITIVE_INFINITY)
  }

  /** Resolves with the last block when all its bytes are on their data nodes; none of an empty file. */
  async finish(): Promise<ExtendedBlock | undefined> {
    await this.#endBlock()
    this.#countCopies(Number.POSITIVE_INFINITY)
    this.#file.signal?.removeEventListener('abort', this.#onAbort)
    return this.#last
  }

  /** Breaks off. */
  destroy(reason: unknown): void {
    this.#isDestroyed = true
    this.#file.signal?.removeEventListener('abort', this.#onAbort)
    this.#open?.writer.destroy(asError(reason))
  }

  /** @param ofOpen nodes that have the block that is open; infinitely many of none */
  #countCopies(ofOpen: number): void {
    const copies = Math.min(this.#endedCopies, ofOpen)
    if (Number.isFinite(copies)) this.#copies = copies
    this.#endedCopies = Number.POSITIVE_INFINITY
  }

  async #endBlock(): Promise<void> {
    for (let open = this.#open; open !== undefined; open = this.#open) {
      const { writer, block } = open
      if (await this.#step(open, () => writer.finish())) this.#close(block, writer.length)
    }
  }

  #close({ b, locs }: LocatedBlock, numBytes: number): void {
    this.#last = { ...b, numBytes }
    this.#endedCopies = Math.min(this.#endedCopies, locs.length)
    this.#open = undefined
  }

  /** Takes a step. False where the pipeline broke: all bytes so far are on their way again, in this block or another one. */
  async #step(open: OpenBlock, step: () => Promise<void>): Promise<boolean> {
    try {
      await step()
      return true
    } catch (error) {
      throwIfAborted(this.#file.signal, this.#file.path)
      const blamed = this.#blame(open.block, error)
      if (this.#isDestroyed || this.#failed.all().length > maxFailedNodes) throw blamed.error
      await this.#mend(open, blamed).catch(next => {
        throwIfAborted(this.#file.signal, this.#file.path)
        throw next === blamed.error ? next : withReason(blamed.error, next)
      })
      return false
    }
  }

  async #mend({ block, writer }: OpenBlock, blamed: Blamed): Promise<void> {
    const { left } = writer
    if (left.isWhole) {
      await abandonBlock(this.#transfer, this.#file, block)
      this.#open = undefined
      for (const piece of left.pieces) await this.write(piece)
      return
    }
    const recovered = await recoverPipeline(this.#transfer, this.#file, {
      block,
      left,
      blamed,
      blame: (broken, error) => this.#blame(broken, error),
      begin: (again, resumed) => beginPipeline({ ...this.#optionsOf(again), resumed }),
    })
    const { socket, resumed } = recovered
    if (left.isEnding) {
      socket.destroy(new Error('the block is written'))
      this.#close(recovered.block, left.acked)
      return
    }
    const options = { ...this.#optionsOf(recovered.block), resumed }
    const open = { writer: new BlockWriter(socket, options), block: recovered.block, isKnown: true }
    this.#open = open
    for (const piece of left.pieces) await this.write(piece)
    if (this.#open === open && this.#wantsMoreThan(open.block.locs.length)) await this.#endBlock()
  }

  /** As Hadoop's clients by `dfs.client.block.write.replace-datanode-on-failure.policy`, which is `DEFAULT`. */
  #wantsMoreThan(copies: number): boolean {
    const { replication } = this.#file
    return replication >= 3 && (copies <= replication / 2 || (copies < replication && this.#copies > 0))
  }

  /** Which node of a pipeline failed, and the error of the file. */
  #blame({ locs }: LocatedBlock, error: unknown): Blamed {
    const { path, action } = this.#file
    const bad = error instanceof ReplicaError ? error.badNode : undefined
    const node = locs.find(one => xferAddrOf(one) === bad) ?? locs[0]
    if (node === undefined) throw refusal('unavailable', path, action, 'the name node named no data node')
    this.#failed.add(node)
    const peer = `data node ${nodeName(addressOf(node, this.#transfer))}`
    return { node, error: toFileSystemError(error, peer, action, path) }
  }

  /** A pipeline that cannot be begun is given up for another one without the node that failed. */
  async #openBlock(): Promise<OpenBlock> {
    const { path, signal } = this.#file
    let failure: FileSystemError | undefined
    for (let tried = 1; ; tried++) {
      const block = await addBlock(this.#transfer, this.#file, this.#last, this.#failed.all()).catch(error => {
        throw failure ? withReason(failure, error) : error
      })
      try {
        const writer = await BlockWriter.open(this.#optionsOf(block))
        this.#isSpokenTo = true
        return { writer, block, isKnown: false }
      } catch (error) {
        throwIfAborted(signal, path)
        this.#isSpokenTo ||= !isNotSpokenTo(error)
        const ofNode = this.#blame(block, error).error
        const failed = this.#isSpokenTo ? ofNode : toNoDataNode(ofNode)
        failure = failed
        await abandonBlock(this.#transfer, this.#file, block).catch((refused: unknown) => {
          throw withReason(failed, refused)
        })
        if (tried === maxPipelines) throw failed
      }
    }
  }

  #optionsOf(block: LocatedBlock): BlockWriterOptions {
    const { path, action, defaults, syncBlock, signal, lease } = this.#file
    const { bytesPerChecksum, checksumType, writePacketSize } = defaults
    const [first] = block.locs
    if (first === undefined) throw refusal('unavailable', path, action, 'the name node named no data node')
    const address = addressOf(first, this.#transfer)
    const packetBytes = Math.max(writePacketSize, this.#transfer.leastPacketBytes ?? 0)
    const how = { bytesPerChecksum, checksumType, packetBytes, syncBlock, signal }
    return { ...this.#transfer, clientName: lease.clientName, block, address, ...how }
  }
}

/**
 * The name node has no other data nodes, for example: the reason for leaving this one matters, except for errors that
 * no other node would change.
 */
const withReason = (failure: FileSystemError, next: unknown): FileSystemError => {
  const more = next instanceof Error ? next.message.replace(messagePrefix, '') : String(next)
  const message = `${failure.message}; then ${more}`
  const isFinal = next instanceof FileSystemError && (next.code !== 'unavailable' || isLostLease(next))
  const { code, cause } = isFinal ? next : failure
  return new FileSystemError(code, failure.path, message, { cause })
}
