/**
 * Reads a file from the replicas of its blocks. A read that ends too soon, is slow or has a wrong checksum continues
 * with the next replica, at the same byte; once all have failed, the name node is asked again where they are, and all
 * get a second chance.
 */
import { type ByteSource, ByteStream, emptyStream } from '../../../bytes/byte-stream.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { throwIfAborted, toAbortError } from '../../abortable.ts'
import { refusal } from '../../cluster/steps.ts'
import { FileSystemError, type OpenOptions } from '../../filesystem.ts'
import { BlockReader } from '../data-node/block-reader.ts'
import { ReplicaError } from '../data-node/replica-error.ts'
import { isLate } from '../data-node/step.ts'
import { slowMs } from '../data-node/unreached.ts'
import { toFileSystemError } from '../errors.ts'
import type { DatanodeInfo, LocatedBlock, LocatedBlocks } from '../name-node/messages.ts'
import { nodeName } from '../socket/exact-socket.ts'
import { locate } from './locate.ts'
import { isNotSpokenTo, toNoDataNode } from './no-data-node.ts'
import { reportBadBlock } from './report-bad-block.ts'
import { isOfSameFile } from './same-file.ts'
import { addressOf, type Transfer } from './transfer.ts'

/** The bytes of a part of a file; the first of its replicas has been found when it resolves. */
export const readBlockFile = async (
  transfer: Transfer,
  path: string,
  located: LocatedBlocks,
  { offset = 0, length = Number.POSITIVE_INFINITY, signal }: OpenOptions,
): Promise<ByteStream> => {
  throwIfAborted(signal, path)
  const end = Math.min(offset + length, located.fileLength)
  if (offset >= end) return emptyStream()
  const source = new FileSource(transfer, path, located, offset, end, signal)
  await source.begin()
  return new ByteStream(source, end - offset)
}

type Opened = { readonly reader: BlockReader; readonly block: LocatedBlock; readonly node: DatanodeInfo }

class FileSource implements ByteSource {
  readonly #transfer: Transfer
  readonly #path: string
  readonly #end: number
  readonly #finish: () => void
  #located: LocatedBlocks
  #position: number
  #opened: Opened | undefined
  /** Ends whatever is waited for; its reason is why nothing more is read. */
  readonly #stop = new AbortController()
  /** Of the block that is read: nodes that failed, why the last one did, and whether the name node was asked once more. */
  readonly #failed = new Set<string>()
  #failure: FileSystemError | undefined
  /** Replicas with other bytes than were written. */
  readonly #corrupt: { readonly block: LocatedBlock; readonly node: DatanodeInfo }[] = []
  #isLocatedAnew = false
  /** Whether any node of the file was. */
  #isSpokenTo = false

  constructor(
    transfer: Transfer,
    path: string,
    located: LocatedBlocks,
    position: number,
    end: number,
    signal: AbortSignal | undefined,
  ) {
    this.#transfer = transfer
    this.#path = path
    this.#located = located
    this.#position = position
    this.#end = end
    const onAbort = (): void => this.#breakOff(signal && toAbortError(signal, path))
    this.#finish = () => signal?.removeEventListener('abort', onAbort)
    signal?.addEventListener('abort', onAbort, { once: true })
  }

  async begin(): Promise<void> {
    await this.#openReader().catch(error => {
      this.#finish()
      throw error
    })
  }

  async read(): Promise<Buffer | undefined> {
    try {
      while (this.#position < this.#end) {
        const bytes = await this.#readSome()
        if (bytes === undefined) continue
        this.#position += bytes.length
        // There are new bytes: the name node may be asked once more.
        this.#isLocatedAnew = false
        return bytes
      }
    } catch (error) {
      this.#finish()
      this.#refuseBroken()
      throw error
    }
    await this.#takeEnd()
    this.#finish()
    return undefined
  }

  cancel(): void {
    this.#finish()
    // Who knows the length does not ask for the end.
    if (this.#position === this.#end) void this.#takeEnd()
    else this.#breakOff(refusal('unavailable', this.#path, 'read', 'nobody wants the rest'))
  }

  /** Undefined where the next replica, or the next block, is to be asked. */
  async #readSome(): Promise<Buffer | undefined> {
    const { reader, block, node } = await this.#openReader()
    try {
      const bytes = await reader.read()
      if (bytes !== undefined) {
        this.#reportCorrupt()
        return bytes
      }
      if (this.#position < Math.min(this.#end, endOf(block))) throw new ReplicaError('refused', 'ended too soon')
      this.#opened = undefined
      this.#failed.clear()
    } catch (error) {
      this.#leave(error, block, node)
    }
    return undefined
  }

  /** A reader that begins where this one is. */
  async #openReader(): Promise<Opened> {
    while (this.#opened === undefined) {
      this.#refuseBroken()
      const block = await this.#blockHere()
      const left = block.locs.filter(one => !this.#failed.has(nodeName(addressOf(one, this.#transfer))))
      const node = left.find(one => !this.#transfer.connections.isUnreached(addressOf(one, this.#transfer))) ?? left[0]
      if (node === undefined) await this.#locateAnew(block)
      else await this.#openAt(block, node, left.length > 1)
    }
    return this.#opened
  }

  /** @param others whether other nodes are left to be asked */
  async #openAt(block: LocatedBlock, node: DatanodeInfo, others: boolean): Promise<void> {
    const start = this.#position - block.offset
    const end = Math.min(this.#end - block.offset, block.b.numBytes ?? 0)
    try {
      const { signal } = this.#stop
      const { timeoutMs, idleTimeoutMs } = this.#transfer
      const patience = others && !this.#isLocatedAnew ? slowMs : Number.POSITIVE_INFINITY
      const reader = await BlockReader.open({
        ...this.#transfer,
        block,
        address: addressOf(node, this.#transfer),
        start,
        end,
        signal,
        timeoutMs: Math.min(timeoutMs, patience),
        idleTimeoutMs: Math.min(idleTimeoutMs, patience),
      })
      this.#opened = { reader, block, node }
      this.#isSpokenTo = true
    } catch (error) {
      this.#leave(error, block, node)
    }
  }

  async #blockHere(): Promise<LocatedBlock> {
    const isHere = ({ offset, b }: LocatedBlock): boolean =>
      offset <= this.#position && this.#position < endOf({ offset, b })
    const known = this.#located.blocks.find(isHere)
    if (known) return known
    await this.#locate()
    const found = this.#located.blocks.find(isHere)
    if (found) return found
    throw refusal('unavailable', this.#path, 'read', `the name node knows no block with byte ${this.#position}`)
  }

  async #locate(): Promise<void> {
    // With the byte before: its block is known, and shows whether it is the same file.
    const offset = Math.max(this.#position - 1, 0)
    const range = { offset, length: this.#end - offset, signal: this.#stop.signal }
    const found = await locate(this.#transfer, this.#path, range)
    if (!isOfSameFile(this.#located, found)) throw refusal('unavailable', this.#path, 'read', 'it was replaced')
    this.#located = found
  }

  /** No replica is left that was not tried. */
  async #locateAnew({ b }: LocatedBlock): Promise<void> {
    if (this.#isLocatedAnew) {
      if (!this.#failure) throw refusal('unavailable', this.#path, 'read', `no data node has block ${b.blockId}`)
      throw this.#isSpokenTo ? this.#failure : toNoDataNode(this.#failure)
    }
    this.#isLocatedAnew = true
    this.#failed.clear()
    await this.#locate()
  }

  #leave(error: unknown, block: LocatedBlock, node: DatanodeInfo): void {
    this.#refuseBroken()
    const name = nodeName(addressOf(node, this.#transfer))
    this.#opened = undefined
    this.#failed.add(name)
    this.#isSpokenTo ||= !isNotSpokenTo(error)
    this.#failure = toFileSystemError(error, `data node ${name}`, 'read', this.#path)
    if (isLate(error)) this.#transfer.connections.avoid(addressOf(node, this.#transfer))
    if (!(error instanceof ReplicaError && error.reason === 'corrupt')) return
    this.#corrupt.push({ block, node })
    if (block.locs.length === 1) this.#reportCorrupt()
  }

  /** Once another replica is right: where all are wrong it may be what compares them. */
  #reportCorrupt(): void {
    for (const { block, node } of this.#corrupt.splice(0)) reportBadBlock(this.#transfer, this.#path, block, node)
  }

  /** All bytes are there; the node's last word frees its connection, unless it takes its time. */
  async #takeEnd(): Promise<void> {
    const { reader } = this.#opened ?? {}
    if (reader === undefined) return
    this.#opened = undefined
    const timer = startTimeout(() => reader.cancel(new Error('it does not end')), endMs)
    const more = await reader.read().catch(() => undefined)
    clearTimeout(timer)
    if (more !== undefined) reader.cancel(new Error('it sends more than was asked for'))
  }

  #refuseBroken(): void {
    const { reason }: { reason: unknown } = this.#stop.signal
    if (reason instanceof FileSystemError) throw reason
  }

  #breakOff(error: FileSystemError | undefined): void {
    if (error === undefined) return
    this.#stop.abort(error)
    this.#opened?.reader.cancel(error)
  }
}

/** How long a node may take to end what it has sent. */
const endMs = 1_000

/** Where a block ends in its file. */
const endOf = ({ offset, b }: Pick<LocatedBlock, 'offset' | 'b'>): number => offset + (b.numBytes ?? 0)
