/**
 * Reads a part of one replica (operation READ_BLOCK):
 *
 *     packet   length (4 bytes) of itself, sums and data   length of the header (2 bytes)   PacketHeaderProto
 *              a sum for each chunk   data
 *
 * The first packet begins at a chunk, which may be before the bytes that were asked for; the last one has no data. Nothing
 * is handed on before its sum was compared.
 */
import { lend, release } from '../../../bytes/slabs.ts'
import { FormatError } from '../../../errors.ts'
import { untilAborted } from '../../abortable.ts'
import { createIdleTimer, type IdleTimer } from '../../cluster/idle-timer.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import { delimited } from '../protobuf/message.ts'
import type { ExactSocket, NodeAddress } from '../socket/exact-socket.ts'
import { type Checksums, createChecksums } from './checksums.ts'
import type { Begun, DataNodeConnections } from './connections.ts'
import { ClientReadStatus, OpReadBlock, op, PacketHeader, status } from './messages.ts'
import { ReplicaError } from './replica-error.ts'

export type BlockReaderOptions = {
  readonly connections: DataNodeConnections
  readonly clientName: string
  readonly block: LocatedBlock
  readonly address: NodeAddress
  /** In the block. */
  readonly start: number
  readonly end: number
  /** How long the node may take to begin. */
  readonly timeoutMs: number
  /** How long it may send nothing while bytes are waited for. */
  readonly idleTimeoutMs: number
  /** Ends the wait for it to begin. */
  readonly signal?: AbortSignal | undefined
}

/** Hadoop's own limit (`PacketReceiver.MAX_PACKET_SIZE`). */
const maxPacketBytes = 16 * 1024 * 1024
const maxHeaderBytes = 1_024

export class BlockReader {
  readonly #connections: DataNodeConnections
  readonly #socket: ExactSocket
  readonly #checksums: Checksums
  readonly #idle: IdleTimer
  readonly #start: number
  readonly #end: number
  /** Where the next packet begins in the block, and which one it is. */
  #at: number
  #seqno = 0

  private constructor({ socket, response }: Begun, { connections, start, end, idleTimeoutMs }: BlockReaderOptions) {
    const { checksum, chunkOffset } = response.readOpChecksumInfo ?? {
      checksum: { type: -1, bytesPerChecksum: 0 },
      chunkOffset: 0,
    }
    this.#checksums = createChecksums(checksum.type, checksum.bytesPerChecksum)
    if (chunkOffset > start) throw new FormatError('data transfer', 0, `bytes from ${chunkOffset} instead of ${start}`)
    this.#connections = connections
    this.#socket = socket
    this.#start = start
    this.#end = end
    this.#at = chunkOffset
    const late = Object.assign(new Error(`nothing came for ${idleTimeoutMs} ms`), { code: 'ETIMEDOUT' })
    this.#idle = createIdleTimer(idleTimeoutMs, () => this.cancel(late))
  }

  /** Rejects with `ReplicaError`, what broke the connection, or the reason of the abort. */
  static async open(options: BlockReaderOptions): Promise<BlockReader> {
    const { connections, clientName, block, address, start, end, timeoutMs, signal } = options
    const header = { baseHeader: { block: block.b, token: block.blockToken }, clientName }
    const message = OpReadBlock.encode({ header, offset: start, len: end - start, sendChecksums: true })
    const operation = { code: op.readBlock, message, token: block.blockToken, timeoutMs, mayReuse: true }
    const begun = await untilAborted(connections.begin(address, operation), signal, late =>
      late.socket.destroy(new Error('nobody waits for it any more')),
    )
    try {
      return new BlockReader(begun, options)
    } catch (error) {
      begun.socket.destroy(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

  /** The next bytes, lent; undefined behind the last one. Rejects with `ReplicaError`, or what broke the connection. */
  async read(): Promise<Buffer | undefined> {
    this.#idle.wait()
    try {
      for (;;) {
        const header = await this.#readHeader()
        const data = await this.#readData(header)
        if (header.lastPacketInBlock) {
          this.#finish(data)
          return undefined
        }
        const bytes = this.#cut(data, header.offsetInBlock)
        if (bytes !== undefined) return bytes
      }
    } catch (error) {
      this.cancel(error instanceof Error ? error : new Error(String(error)))
      throw error
    } finally {
      this.#idle.rest()
    }
  }

  /** Breaks off. */
  cancel(reason: Error): void {
    this.#socket.destroy(reason)
  }

  async #readHeader(): Promise<PacketHeader & { readonly sumBytes: number }> {
    const head = await this.#socket.read(6)
    const [length, headerLength] = [head.readInt32BE(0), head.readUInt16BE(4)]
    release(head)
    if (length < 4 || length > maxPacketBytes || headerLength > maxHeaderBytes) {
      throw new FormatError('data transfer', this.#at, `a packet of ${length} bytes with a header of ${headerLength}`)
    }
    const lent = await this.#socket.read(headerLength)
    const header = PacketHeader.decode(lent)
    release(lent)
    const { dataLen, seqno, offsetInBlock } = header
    const { bytesPerChunk, sumBytes } = this.#checksums
    const sums = length - 4 - dataLen
    if (dataLen < 0 || sums !== Math.ceil(dataLen / bytesPerChunk) * sumBytes) {
      throw new FormatError('data transfer', this.#at, `a packet of ${dataLen} bytes with ${sums} of sums`)
    }
    if (seqno !== this.#seqno || (offsetInBlock !== this.#at && dataLen > 0)) {
      throw new FormatError('data transfer', this.#at, `packet ${seqno} from byte ${offsetInBlock}, not ${this.#seqno}`)
    }
    if (header.lastPacketInBlock !== (dataLen === 0)) {
      throw new FormatError('data transfer', this.#at, `${dataLen} bytes in ${dataLen > 0 ? 'the last' : 'a'} packet`)
    }
    this.#seqno++
    this.#at += dataLen
    return { ...header, sumBytes: sums }
  }

  async #readData({ sumBytes, dataLen, offsetInBlock }: PacketHeader & { readonly sumBytes: number }): Promise<Buffer> {
    const sums = await this.#socket.read(sumBytes)
    const data = await this.#socket.read(dataLen)
    const wrong = this.#checksums.findWrong(sums, data)
    release(sums)
    if (wrong === undefined) return data
    const at = offsetInBlock + wrong * this.#checksums.bytesPerChunk
    throw new ReplicaError('corrupt', `has a wrong checksum for the bytes of the block from ${at}`)
  }

  /** What was asked for of it; undefined for none. */
  #cut(data: Buffer, offset: number): Buffer | undefined {
    const from = Math.max(this.#start - offset, 0)
    const to = Math.min(this.#end - offset, data.length)
    if (from === 0 && to === data.length) return data
    const part = from < to ? lend(data.subarray(from, to), data) : undefined
    release(data)
    return part
  }

  #finish(rest: Buffer): void {
    release(rest)
    if (this.#at < this.#end) {
      throw new ReplicaError('refused', `has ${this.#at} bytes of the block and not ${this.#end}`)
    }
    // Without it the node takes the replica for one that may be bad.
    this.#socket.write([delimited(ClientReadStatus.encode({ status: status.checksumOk }))])
    this.#connections.giveBack(this.#socket)
  }
}
