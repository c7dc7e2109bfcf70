/**
 * Reads a file from the replicas of its blocks. What ends too soon, is late or has a wrong checksum goes on with the next
 * replica, at the byte where it stood; once all have failed, the name node is asked once more where they are.
 */
import { type ByteSource, ByteStream, emptyStream } from '../../../bytes/byte-stream.ts'
import { toAbortError } from '../../abortable.ts'
import { refusal } from '../../cluster/steps.ts'
import type { FileSystemError, OpenOptions } from '../../filesystem.ts'
import { BlockReader } from '../data-node/block-reader.ts'
import type { DataNodeConnections } from '../data-node/connections.ts'
import { ReplicaError } from '../data-node/replica-error.ts'
import { toFileSystemError } from '../errors.ts'
import { notFound } from '../name-node/calls.ts'
import type { DatanodeInfo, LocatedBlock, LocatedBlocks } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { NameNode } from '../name-node/name-node.ts'
import { type NodeAddress, nodeName } from '../socket/exact-socket.ts'
import { isOfSameFile } from './same-file.ts'

/** What files are moved with. */
export type Transfer = {
  readonly nameNode: NameNode
  readonly connections: DataNodeConnections
  /** Tells this client from others, in leases too. */
  readonly clientName: string
  /** How long a node may take to begin. */
  readonly timeoutMs: number
  /** How long a data node may neither send nor take bytes while it is waited for. */
  readonly idleTimeoutMs: number
}

/** Where a data node takes connections. */
export const addressOf = ({ id }: DatanodeInfo): NodeAddress => ({ host: id.ipAddr, port: id.xferPort })

/** How much of a file is asked about at a time, as by Hadoop's clients: ten blocks. */
const locatedBytes = 10 * 128 * 1024 * 1024

/** Where the blocks are that a part of a file begins with. */
export const locate = async (
  { nameNode }: Pick<Transfer, 'nameNode'>,
  path: string,
  { offset = 0, length = locatedBytes, signal }: OpenOptions,
): Promise<LocatedBlocks> => {
  const request = { src: path, offset, length: Math.min(length, locatedBytes) }
  const { locations } = await nameNode.call(nameNodeMethods.getBlockLocations, request, {
    action: 'open',
    path,
    signal,
  })
  if (locations === undefined) throw notFound(path, 'open')
  return locations
}

/** The bytes of a part of a file; the first of its replicas has been found when it resolves. */
export const readBlockFile = async (
  transfer: Transfer,
  path: string,
  located: LocatedBlocks,
  { offset = 0, length = Number.POSITIVE_INFINITY, signal }: OpenOptions,
): Promise<ByteStream> => {
  const end = Math.min(offset + length, located.fileLength)
  if (offset >= end) return emptyStream()
  const source = new FileSource(transfer, path, located, offset, end, signal)
  await source.begin()
  return new ByteStream(source)
}

type Opened = { readonly reader: BlockReader; readonly block: LocatedBlock; readonly node: DatanodeInfo }

class FileSource implements ByteSource {
  readonly #transfer: Transfer
  readonly #path: string
  readonly #end: number
  readonly #signal: AbortSignal | undefined
  readonly #onAbort: () => void
  #located: LocatedBlocks
  #position: number
  #opened: Opened | undefined
  /** Why nothing more is read. */
  #broken: FileSystemError | undefined
  /** Of the block that is read: nodes that failed, why the last one did, and whether the name node was asked once more. */
  readonly #failed = new Set<string>()
  #failure: FileSystemError | undefined
  #isLocatedAnew = false

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
    this.#signal = signal
    this.#onAbort = () => this.#breakOff(signal && toAbortError(signal, path))
    signal?.addEventListener('abort', this.#onAbort, { once: true })
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
        return bytes
      }
    } catch (error) {
      this.#finish()
      throw this.#broken ?? error
    }
    await this.#takeEnd()
    this.#finish()
    return undefined
  }

  cancel(): void {
    this.#finish()
    this.#breakOff(refusal('unavailable', this.#path, 'read', 'nobody wants the rest'))
  }

  /** Undefined where the next replica, or the next block, is to be asked. */
  async #readSome(): Promise<Buffer | undefined> {
    const { reader, block, node } = await this.#openReader()
    try {
      const bytes = await reader.read()
      if (bytes !== undefined) return bytes
      if (this.#position < Math.min(this.#end, endOf(block))) throw new ReplicaError('refused', 'ended too soon')
      this.#opened = undefined
      this.#failed.clear()
      this.#isLocatedAnew = false
    } catch (error) {
      this.#leave(error, block, node)
    }
    return undefined
  }

  /** A reader that begins where this one is. */
  async #openReader(): Promise<Opened> {
    while (this.#opened === undefined) {
      if (this.#broken) throw this.#broken
      const block = await this.#blockHere()
      const left = block.locs.filter(one => !this.#failed.has(nodeName(addressOf(one))))
      const node = left.find(one => !this.#transfer.connections.isUnreached(addressOf(one))) ?? left[0]
      if (node === undefined) await this.#locateAnew(block)
      else await this.#openAt(block, node)
    }
    return this.#opened
  }

  async #openAt(block: LocatedBlock, node: DatanodeInfo): Promise<void> {
    const start = this.#position - block.offset
    const end = Math.min(this.#end - block.offset, block.b.numBytes ?? 0)
    try {
      const reader = await BlockReader.open({ ...this.#transfer, block, address: addressOf(node), start, end })
      this.#opened = { reader, block, node }
      if (this.#broken) reader.cancel(this.#broken)
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
    // With the byte before: its block is known, and tells whether it is the same file.
    const offset = Math.max(this.#position - 1, 0)
    const range = { offset, length: this.#end - offset, ...(this.#signal && { signal: this.#signal }) }
    const found = await locate(this.#transfer, this.#path, range)
    if (!isOfSameFile(this.#located, found)) throw refusal('unavailable', this.#path, 'read', 'it was replaced')
    this.#located = found
  }

  /** No replica is left that was not tried. */
  async #locateAnew({ b }: LocatedBlock): Promise<void> {
    if (this.#isLocatedAnew) {
      throw this.#failure ?? refusal('unavailable', this.#path, 'read', `no data node has block ${b.blockId}`)
    }
    this.#isLocatedAnew = true
    this.#failed.clear()
    await this.#locate()
  }

  #leave(error: unknown, block: LocatedBlock, node: DatanodeInfo): void {
    if (this.#broken) throw this.#broken
    const name = nodeName(addressOf(node))
    this.#opened = undefined
    this.#failed.add(name)
    this.#failure = toFileSystemError(error, `data node ${name}`, 'read', this.#path)
    if (error instanceof ReplicaError && error.reason === 'corrupt') this.#report(block, node)
  }

  /** The name node sees to it that there is another replica. */
  #report(block: LocatedBlock, node: DatanodeInfo): void {
    const at = block.locs.indexOf(node)
    const bad = { ...block, locs: [node], ...storageAt(block, at) }
    const about = { action: 'report a bad block of', path: this.#path, maxRetries: 0 }
    this.#transfer.nameNode.call(nameNodeMethods.reportBadBlocks, { blocks: [bad] }, about).catch(() => {})
  }

  /** All bytes are there; what the node says behind them sets its connection free. */
  async #takeEnd(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    const more = await opened?.reader.read().catch(() => undefined)
    if (more !== undefined) opened?.reader.cancel(new Error('it sends more than was asked for'))
  }

  #breakOff(error: FileSystemError | undefined): void {
    if (error === undefined) return
    this.#broken ??= error
    this.#opened?.reader.cancel(error)
  }

  #finish(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}

/** Where a block ends in its file. */
const endOf = ({ offset, b }: Pick<LocatedBlock, 'offset' | 'b'>): number => offset + (b.numBytes ?? 0)

const storageAt = (
  { storageTypes, storageIDs }: LocatedBlock,
  at: number,
): Pick<LocatedBlock, 'storageTypes' | 'storageIDs'> => ({
  storageTypes: storageTypes.slice(at, at + 1),
  storageIDs: storageIDs.slice(at, at + 1),
})
