/**
 * Reads a part of one replica (operation READ_BLOCK):
 *
 *     packet   length (4 bytes) of itself, sums and data   length of the header (2 bytes)   PacketHeaderProto
 *              a sum for each chunk   data
 *
 * The first packet begins at a chunk, which may be before the bytes that were asked for; the last one has no data. Nothing
 * is handed on before its sum was compared. The data of packets that have arrived is handed on together: each piece costs
 * its taker a step of the system.
 */
import { lend, lendMemory, release } from '../../../bytes/slabs.ts'
import { asError, FormatError } from '../../../errors.ts'
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
/** The beginning of a packet, mostly: less than that is not worth a look. */
const headBytes = 64
/** What is handed on together at most: the first of these that has all that was asked for, or the last one. */
const roomSizes = [16 * 1024, 64 * 1024, 256 * 1024] as const

/** A packet whose data is still to arrive. */
type Packet = PacketHeader & { readonly sumBytes: number }

export class BlockReader {
  readonly #connections: DataNodeConnections
  readonly #socket: ExactSocket
  readonly #checksums: Checksums
  readonly #idle: IdleTimer
  readonly #start: number
  readonly #end: number
  readonly #roomBytes: number
  /** The next packet, and why nothing follows those that were read. */
  #packet: Packet | undefined
  #failure: Error | undefined
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
    const most = end - chunkOffset + checksum.bytesPerChecksum
    this.#roomBytes = roomSizes.find(size => size >= most) ?? roomSizes[2]
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
      begun.socket.destroy(asError(error))
      throw error
    }
  }

  /** The next bytes, lent; undefined after the last one. Rejects with `ReplicaError`, or what broke the connection. */
  async read(): Promise<Buffer | undefined> {
    this.#idle.wait()
    try {
      for (;;) {
        const first = this.#at - (this.#packet?.dataLen ?? 0)
        const data = await this.#readPackets()
        if (data === undefined) {
          this.#finish()
          return undefined
        }
        const bytes = this.#cut(data, first)
        if (bytes !== undefined) return bytes
      }
    } catch (error) {
      this.cancel(asError(error))
      throw error
    } finally {
      this.#idle.rest()
    }
  }

  /** Breaks off. */
  cancel(reason: Error): void {
    this.#socket.destroy(reason)
  }

  /** The data of the next packet, and of those after it that have arrived and fit; undefined after the last one. */
  async #readPackets(): Promise<Buffer | undefined> {
    if (this.#failure) throw this.#failure
    const { dataLen } = await this.#nextPacket()
    if (dataLen === 0) return undefined
    if (dataLen > this.#roomBytes) return await this.#readData(Buffer.allocUnsafeSlow(dataLen))
    const room = lendMemory(this.#roomBytes)
    let used = 0
    try {
      for (let next = dataLen; next > 0; next = await this.#arrivedUpTo(room.length - used)) {
        await this.#readData(room.subarray(used, used + next))
        used += next
      }
    } catch (error) {
      // What is right is handed on before.
      this.#failure = asError(error)
    }
    const data = lend(room.subarray(0, used), room)
    release(room)
    if (used === 0 && this.#failure) throw this.#failure
    return data
  }

  /** The data of the next packet, if all of it has arrived and there is some, but not more than so much; else 0. */
  async #arrivedUpTo(most: number): Promise<number> {
    if (this.#socket.arrived < headBytes) return 0
    const { sumBytes, dataLen } = await this.#nextPacket()
    return dataLen <= most && this.#socket.arrived >= sumBytes + dataLen ? dataLen : 0
  }

  async #nextPacket(): Promise<Packet> {
    this.#packet ??= await this.#readHeader()
    return this.#packet
  }

  async #readHeader(): Promise<Packet> {
    const head = await this.#socket.read(6)
    const [length, headerLength] = [head.readInt32BE(0), head.readUInt16BE(4)]
    if (length < 4 || length > maxPacketBytes || headerLength > maxHeaderBytes) {
      throw new FormatError('data transfer', this.#at, `a packet of ${length} bytes with a header of ${headerLength}`)
    }
    const header = PacketHeader.decode(await this.#socket.read(headerLength))
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

  /** Reads the data of the next packet to there. */
  async #readData(data: Buffer): Promise<Buffer> {
    const { sumBytes, offsetInBlock } = await this.#nextPacket()
    const sums = await this.#socket.read(sumBytes)
    await this.#socket.readInto(data, () => this.#idle.wait())
    this.#packet = undefined
    const wrong = this.#checksums.findWrong(sums, data)
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

  #finish(): void {
    if (this.#at < this.#end) {
      throw new ReplicaError('refused', `has ${this.#at} bytes of the block and not ${this.#end}`)
    }
    // Without it the node takes the replica for one that may be bad.
    this.#socket.write([delimited(ClientReadStatus.encode({ status: status.checksumOk }))])
    this.#connections.giveBack(this.#socket)
  }
}
