/**
 * Writes one block to a pipeline of data nodes (operation WRITE_BLOCK). The first of them takes packets and passes them on;
 * each packet is acknowledged, in order, when all of them have it:
 *
 *     packet   length (4 bytes) of itself, sums and data   length of the header (2 bytes)   PacketHeaderProto
 *              a sum for each chunk   data
 *     ack      length (varint)   PipelineAckProto
 *
 * A packet without data, marked as the last one, ends the block: its ack says that the block is safe on all of them.
 */
import { release } from '../../../bytes/slabs.ts'
import { FormatError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { createIdleTimer, type IdleTimer } from '../../cluster/idle-timer.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import type { ExactSocket, NodeAddress } from '../socket/exact-socket.ts'
import { type Checksums, createChecksums } from './checksums.ts'
import type { DataNodeConnections } from './connections.ts'
import { OpWriteBlock, op, PacketHeader, PipelineAck, pipelineSetupCreate, status } from './messages.ts'
import { ReplicaError } from './replica-error.ts'

export type BlockWriterOptions = {
  readonly connections: DataNodeConnections
  readonly clientName: string
  readonly block: LocatedBlock
  readonly address: NodeAddress
  readonly checksumType: number
  readonly bytesPerChecksum: number
  /** Whether the data nodes sync the block to their disks when it ends. */
  readonly syncBlock: boolean
  /** Of a packet, with its sums (`dfs.client-write-packet-size`). */
  readonly packetBytes: number
  /** How long the pipeline may take to be there. */
  readonly timeoutMs: number
  /** How long an ack may be waited for. */
  readonly idleTimeoutMs: number
}

/** Packets that are not acknowledged yet (`dfs.client.write.max-packets-in-flight`). */
const maxInFlight = 80
const maxAckBytes = 16 * 1024
/** Nodes wait a minute for a packet: one without data says that there will be more. */
const heartbeatMs = 20_000
/** The number of such a packet. */
const heartbeatSeqno = -1

export class BlockWriter {
  readonly #socket: ExactSocket
  readonly #block: LocatedBlock
  readonly #checksums: Checksums
  readonly #maxData: number
  readonly #syncBlock: boolean
  readonly #idle: IdleTimer
  readonly #end = Promise.withResolvers<void>()
  #heartbeat: NodeJS.Timeout | undefined
  /** What the next packet is made of. */
  #pieces: Uint8Array[] = []
  /** What was given as a whole, and ends in it. */
  #wholes: Uint8Array[] = []
  #pending = 0
  #written = 0
  #seqno = 0
  #acked = 0
  #last: number | undefined
  #failure: Error | undefined
  #whenRoom = (): void => {}

  private constructor(socket: ExactSocket, { block, checksumType, bytesPerChecksum, ...options }: BlockWriterOptions) {
    this.#socket = socket
    this.#block = block
    this.#checksums = createChecksums(checksumType, bytesPerChecksum)
    const chunks = Math.floor(options.packetBytes / (bytesPerChecksum + this.#checksums.sumBytes))
    this.#maxData = Math.max(chunks, 1) * bytesPerChecksum
    this.#syncBlock = options.syncBlock
    const { idleTimeoutMs } = options
    const late = Object.assign(new Error(`no ack came for ${idleTimeoutMs} ms`), { code: 'ETIMEDOUT' })
    this.#idle = createIdleTimer(idleTimeoutMs, () => this.destroy(late))
    // It is awaited at the end only.
    this.#end.promise.catch(() => {})
    this.#beat()
    this.#takeAcks().catch((error: unknown) => this.destroy(toError(error)))
  }

  /** Rejects with `ReplicaError`, or what broke the connection. */
  static async open(options: BlockWriterOptions): Promise<BlockWriter> {
    const { connections, clientName, block, address, checksumType, bytesPerChecksum, timeoutMs } = options
    const [storageType, ...targetStorageTypes] = block.storageTypes
    const [storageId, ...targetStorageIds] = block.storageIDs
    const message = OpWriteBlock.encode({
      header: { baseHeader: { block: block.b, token: block.blockToken }, clientName },
      targets: block.locs.slice(1),
      stage: pipelineSetupCreate,
      pipelineSize: block.locs.length,
      minBytesRcvd: 0,
      maxBytesRcvd: 0,
      latestGenerationStamp: block.b.generationStamp,
      requestedChecksum: { type: checksumType, bytesPerChecksum },
      storageType,
      targetStorageTypes,
      storageId,
      targetStorageIds,
    })
    const operation = { code: op.writeBlock, message, token: block.blockToken, timeoutMs, mayReuse: false }
    const { socket } = await connections.begin(address, operation)
    return new BlockWriter(socket, options)
  }

  /** Bytes so far. */
  get length(): number {
    return this.#written + this.#pending
  }

  /** Takes bytes, which are released when the system has them; resolves when it takes more. */
  async write(bytes: Uint8Array): Promise<void> {
    let from = 0
    while (from < bytes.length) {
      const to = Math.min(from + this.#maxData - this.#pending, bytes.length)
      this.#pieces.push(bytes.subarray(from, to))
      this.#pending += to - from
      from = to
      // What is kept back until the packet is full is released with it.
      if (from === bytes.length) this.#wholes.push(bytes)
      if (this.#pending === this.#maxData) await this.#sendPacket()
    }
  }

  /** Resolves when all data nodes have all bytes. */
  async finish(): Promise<void> {
    if (this.#pending > 0) await this.#sendPacket()
    clearTimeout(this.#heartbeat)
    this.#last = this.#seqno
    this.#send(true)
    await this.#end.promise
    this.#idle.stop()
    this.#socket.destroy(new Error('the block is written'))
  }

  /** Breaks off. */
  destroy(reason: Error): void {
    this.#failure ??= reason
    clearTimeout(this.#heartbeat)
    this.#idle.stop()
    this.#end.reject(this.#failure)
    this.#socket.destroy(reason)
    this.#whenRoom()
  }

  async #sendPacket(): Promise<void> {
    while (this.#seqno - this.#acked >= maxInFlight && !this.#failure) {
      await new Promise<void>(resolve => {
        this.#whenRoom = resolve
      })
    }
    this.#refuseFailed()
    this.#send(false)
    if (!this.#socket.isFull) return
    await this.#socket.drained()
    this.#refuseFailed()
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure
  }

  #send(lastPacketInBlock: boolean): void {
    const pieces = this.#pieces
    const wholes = this.#wholes
    const dataLen = this.#pending
    const seqno = this.#seqno++
    const syncBlock = lastPacketInBlock && this.#syncBlock
    const header = { offsetInBlock: this.#written, seqno, lastPacketInBlock, dataLen, syncBlock }
    this.#pieces = []
    this.#wholes = []
    this.#pending = 0
    this.#written += dataLen
    this.#idle.wait()
    const sums = Math.ceil(dataLen / this.#checksums.bytesPerChunk) * this.#checksums.sumBytes
    const { head, at } = toHead(header, sums)
    this.#checksums.write(pieces, head, at)
    this.#socket.write([head, ...pieces], () => {
      for (const whole of wholes) release(whole)
    })
  }

  #beat(): void {
    this.#heartbeat = startTimeout(() => {
      const header = { offsetInBlock: 0, seqno: heartbeatSeqno, lastPacketInBlock: false, dataLen: 0 }
      this.#socket.write([toHead(header, 0).head])
      this.#beat()
    }, heartbeatMs)
  }

  async #takeAcks(): Promise<void> {
    while (this.#last === undefined || this.#acked <= this.#last) {
      const lent = await this.#socket.readDelimited(maxAckBytes)
      const { seqno, reply } = PipelineAck.decode(lent)
      release(lent)
      const bad = reply.findIndex(one => one !== status.success)
      if (bad >= 0) throw new ReplicaError('refused', `refused a packet with status ${reply[bad]}`, this.#nameOf(bad))
      if (seqno === heartbeatSeqno) continue
      if (seqno !== this.#acked || seqno >= this.#seqno) {
        throw new FormatError('data transfer', this.#written, `an ack of packet ${seqno} instead of ${this.#acked}`)
      }
      this.#acked++
      if (this.#acked === this.#seqno) this.#idle.rest()
      else this.#idle.wait()
      this.#whenRoom()
    }
    this.#end.resolve()
  }

  #nameOf(at: number): string | undefined {
    const node = this.#block.locs[at]
    return node && `${node.id.ipAddr}:${node.id.xferPort}`
  }
}

/** All that stands in front of a packet's data; the sums begin at `at`. */
const toHead = (header: PacketHeader, sums: number): { readonly head: Buffer; readonly at: number } => {
  const encoded = PacketHeader.encode(header)
  const at = 6 + encoded.length
  const head = Buffer.allocUnsafe(at + sums)
  head.writeInt32BE(4 + sums + header.dataLen, 0)
  head.writeUInt16BE(encoded.length, 4)
  encoded.copy(head, 6)
  return { head, at }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
