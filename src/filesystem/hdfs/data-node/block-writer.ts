/**
 * Writes one block to a pipeline of data nodes (operation WRITE_BLOCK). The first of them takes packets and passes them on;
 * each packet is acknowledged, in order, when all of them have it:
 *
 *     ack      length (varint)   PipelineAckProto
 *
 * A packet without data, marked as the last one, ends the block: its ack says that the block is safe on all of them.
 */
import { release } from '../../../bytes/slabs.ts'
import { FormatError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { untilAborted } from '../../abortable.ts'
import { createIdleTimer, type IdleTimer } from '../../cluster/idle-timer.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import type { ExactSocket, NodeAddress } from '../socket/exact-socket.ts'
import { type Checksums, createChecksums } from './checksums.ts'
import type { DataNodeConnections } from './connections.ts'
import { OpWriteBlock, op, pipelineSetupCreate } from './messages.ts'
import { maxPacketBytes, NextPacket, type PacketData, packetHead } from './packets.ts'
import { heartbeatSeqno, receiveAck } from './receive-ack.ts'

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
  /** How long the ack of the oldest packet may be waited for. */
  readonly idleTimeoutMs: number
  /** Ends the wait for the pipeline. */
  readonly signal?: AbortSignal | undefined
}

/** Packets that are not acknowledged yet (`dfs.client.write.max-packets-in-flight`). */
const maxInFlight = 80
/** Nodes wait a minute for a packet: one without data says that there will be more. */
const heartbeatMs = 20_000

type Packet = {
  /** Whether it ends the block. */
  readonly isLast?: boolean
  /** Whether it has no data, whatever the next one has. */
  readonly isEmpty?: boolean
  /** Whether nodes sync what they have to their disks before they acknowledge it. */
  readonly toDisk?: boolean
  /** How many of its bytes the next one begins with once more. */
  readonly again?: number
}
const nothing: PacketData = { pieces: [], wholes: [] }

export class BlockWriter {
  readonly #socket: ExactSocket
  readonly #block: LocatedBlock
  readonly #checksums: Checksums
  readonly #maxData: number
  readonly #syncBlock: boolean
  readonly #idle: IdleTimer
  readonly #end = Promise.withResolvers<void>()
  #heartbeat: NodeJS.Timeout | undefined
  readonly #next = new NextPacket()
  /** Where the next packet begins. */
  #at = 0
  #seqno = 0
  #acked = 0
  #last: number | undefined
  #failure: Error | undefined
  #whenAcked = (): void => {}

  private constructor(
    socket: ExactSocket,
    checksums: Checksums,
    { block, bytesPerChecksum, ...options }: BlockWriterOptions,
  ) {
    this.#socket = socket
    this.#block = block
    this.#checksums = checksums
    const chunks = Math.floor(
      Math.min(options.packetBytes, maxPacketBytes) / (bytesPerChecksum + this.#checksums.sumBytes),
    )
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

  /** Rejects with `FormatError` for sums that cannot be, `ReplicaError`, what broke the connection, or the reason of the abort. */
  static async open(options: BlockWriterOptions): Promise<BlockWriter> {
    const { connections, clientName, block, address, checksumType, bytesPerChecksum, timeoutMs, signal } = options
    const checksums = createChecksums(checksumType, bytesPerChecksum)
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
    const { socket } = await untilAborted(connections.begin(address, operation), signal, late =>
      late.socket.destroy(new Error('nobody waits for it any more')),
    )
    return new BlockWriter(socket, checksums, options)
  }

  /** Bytes so far. */
  get length(): number {
    return this.#at + this.#next.length
  }

  /** Takes bytes, which are released when the system has them; resolves when it takes more. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(from + this.#maxData - this.#next.length, bytes.length)
      // What is kept back until the packet is full is released with it.
      this.#next.add(bytes.subarray(from, to), to === bytes.length ? bytes : undefined)
      from = to
      if (this.#next.length === this.#maxData) await this.#sendPacket()
    }
  }

  /**
   * Resolves when all data nodes have all bytes so far, and readers can see them; on their disks, where `toDisk`. Nodes want
   * whole chunks: the end of one that was cut is sent once more with what follows.
   */
  async flush(toDisk: boolean): Promise<void> {
    if (this.#next.hasNews || toDisk) {
      const isEmpty = !this.#next.hasNews
      await this.#sendPacket({
        toDisk,
        isEmpty,
        again: isEmpty ? 0 : this.#next.length % this.#checksums.bytesPerChunk,
      })
    }
    const sent = this.#seqno
    await this.#until(() => this.#acked >= sent)
  }

  /** Resolves when all data nodes have all bytes. */
  async finish(): Promise<void> {
    if (this.#next.hasNews) await this.#sendPacket()
    clearTimeout(this.#heartbeat)
    this.#last = this.#seqno
    this.#send({ isLast: true, isEmpty: true, toDisk: this.#syncBlock })
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
    this.#whenAcked()
  }

  async #sendPacket(packet: Packet = {}): Promise<void> {
    await this.#until(() => this.#seqno - this.#acked < maxInFlight)
    this.#send(packet)
    if (!this.#socket.isFull) return
    await this.#socket.drained()
    this.#refuseFailed()
  }

  /** Waits for acks. */
  async #until(isEnough: () => boolean): Promise<void> {
    while (!isEnough() && !this.#failure) {
      await new Promise<void>(resolve => {
        this.#whenAcked = resolve
      })
    }
    this.#refuseFailed()
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure
  }

  #send({ isLast = false, isEmpty = false, toDisk = false, again = 0 }: Packet): void {
    const seqno = this.#seqno++
    const dataLen = isEmpty ? 0 : this.#next.length
    const offsetInBlock = isEmpty ? this.length : this.#at
    const header = { offsetInBlock, seqno, lastPacketInBlock: isLast, dataLen, syncBlock: toDisk }
    const { pieces, wholes } = isEmpty ? nothing : this.#next.take(again)
    this.#at += dataLen - again
    // Where others are older it counts from theirs.
    if (this.#acked === seqno) this.#idle.wait()
    const sums = Math.ceil(dataLen / this.#checksums.bytesPerChunk) * this.#checksums.sumBytes
    const { head, at } = packetHead(header, sums)
    this.#checksums.write(pieces, head, at)
    this.#socket.write([head, ...pieces], () => {
      for (const whole of wholes) release(whole)
    })
  }

  #beat(): void {
    this.#heartbeat = startTimeout(() => {
      const header = { offsetInBlock: 0, seqno: heartbeatSeqno, lastPacketInBlock: false, dataLen: 0 }
      this.#socket.write([packetHead(header, 0).head])
      this.#beat()
    }, heartbeatMs)
  }

  async #takeAcks(): Promise<void> {
    while (this.#last === undefined || this.#acked <= this.#last) {
      const seqno = await receiveAck(this.#socket, this.#block, () => this.#at)
      if (seqno === heartbeatSeqno) continue
      if (seqno !== this.#acked || seqno >= this.#seqno) {
        throw new FormatError('data transfer', this.#at, `an ack of packet ${seqno} instead of ${this.#acked}`)
      }
      this.#acked++
      if (this.#acked === this.#seqno) this.#idle.rest()
      else this.#idle.wait()
      this.#whenAcked()
    }
    this.#end.resolve()
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
