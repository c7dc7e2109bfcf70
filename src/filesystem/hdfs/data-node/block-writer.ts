/**
 * Writes one block to a pipeline of data nodes (operation WRITE_BLOCK). The first of them takes packets and passes them on;
 * each packet is acknowledged, in order, when all of them have it:
 *
 *     ack      length (varint)   PipelineAckProto
 *
 * A packet without data, marked as the last one, ends the block: its ack says that the block is safe on all of them.
 */
import { asError, FormatError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { createIdleTimer, type IdleTimer } from '../../cluster/idle-timer.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import type { ExactSocket } from '../socket/exact-socket.ts'
import { beginPipeline, type PipelineOptions, type ResumedBlock, silenceMsOf } from './begin-pipeline.ts'
import { type Checksums, createChecksums } from './checksums.ts'
import { maxPacketBytes, NextPacket, type PacketData, packetHead } from './packets.ts'
import { heartbeatSeqno, receiveAck } from './receive-ack.ts'
import { type BlockBytes, SentPackets } from './sent-packets.ts'

export type BlockWriterOptions = PipelineOptions & {
  /** Whether the data nodes sync the block to their disks when it ends. */
  readonly syncBlock: boolean
  /** Of a packet, with its sums (`dfs.client-write-packet-size`). */
  readonly packetBytes: number
}

/** What a pipeline that broke leaves. */
export type BrokenBlock = Omit<ResumedBlock, 'generationStamp'> &
  BlockBytes & {
    /** Whether `pieces` are all of the block, and none of it was acknowledged: it can be rewritten. */
    readonly isWhole: boolean
  }

/** Packets that are not acknowledged yet (`dfs.client.write.max-packets-in-flight`). */
const maxInFlight = 80
/** Of their bytes: they are kept until then. */
const maxKeptBytes = 4 * 1024 * 1024
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
  readonly #sent: SentPackets
  /** Whether the block began here, and all of it is kept. */
  #isWhole: boolean
  /** Where the next packet begins. */
  #at: number
  #seqno = 0
  #acked = 0
  #last: number | undefined
  #failure: Error | undefined
  #whenAcked = (): void => {}

  /** @param socket of a pipeline that was begun with the same options */
  constructor(socket: ExactSocket, options: BlockWriterOptions) {
    const { block, checksumType, bytesPerChecksum, resumed } = options
    this.#socket = socket
    this.#block = block
    this.#checksums = createChecksums(checksumType, bytesPerChecksum)
    this.#sent = new SentPackets(resumed)
    this.#isWhole = resumed === undefined
    this.#at = resumed?.at ?? 0
    const chunks = Math.floor(
      Math.min(options.packetBytes, maxPacketBytes) / (bytesPerChecksum + this.#checksums.sumBytes),
    )
    this.#maxData = Math.max(chunks, 1) * bytesPerChecksum
    this.#syncBlock = options.syncBlock
    const idleTimeoutMs = silenceMsOf(options)
    const late = Object.assign(new Error(`no ack came for ${idleTimeoutMs} ms`), { code: 'ETIMEDOUT' })
    this.#idle = createIdleTimer(idleTimeoutMs, () => this.destroy(late))
    // It is awaited at the end only.
    this.#end.promise.catch(() => {})
    this.#beat()
    this.#takeAcks().catch((error: unknown) => this.destroy(asError(error)))
  }

  /** Rejects with `ReplicaError`, what broke the connection, or the reason of the abort. */
  static async open(options: BlockWriterOptions): Promise<BlockWriter> {
    return new BlockWriter(await beginPipeline(options), options)
  }

  /** Bytes so far. */
  get length(): number {
    return this.#at + this.#next.length
  }

  /**
   * Takes bytes, which are released when all nodes have them; resolves when it takes more. When it rejects all of them are
   * in {@link BlockWriter.left}.
   */
  async write(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const room = this.#failure ? bytes.length : this.#maxData - this.#next.length
      const to = Math.min(from + room, bytes.length)
      // What is kept back until the packet is full is released with it.
      this.#next.add(bytes.subarray(from, to), to === bytes.length ? bytes : undefined)
      from = to
      if (this.#next.length >= this.#maxData) await this.#sendPacket()
    }
    this.#refuseFailed()
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
    this.#refuseFailed()
  }

  /** Resolves when all data nodes have all bytes. */
  async finish(): Promise<void> {
    if (this.#next.hasNews) await this.#sendPacket()
    // Nodes that have ended a block take no more of it: it is either all kept until then, or all there before.
    if (this.#isWhole) this.#sent.keepAll()
    else await this.#until(() => this.#acked >= this.#seqno)
    this.#refuseFailed()
    clearTimeout(this.#heartbeat)
    this.#last = this.#seqno
    this.#send({ isLast: true, isEmpty: true, toDisk: this.#syncBlock })
    await this.#end.promise
    this.#idle.stop()
    this.#sent.clear()
    this.#socket.destroy(new Error('the block is written'))
  }

  /** What is left of the block where the pipeline broke. */
  get left(): BrokenBlock {
    const { acked, end: sent } = this.#sent
    const rest = this.#sent.rest({ offset: this.#at, pieces: this.#next.pieces })
    return { ...rest, acked, sent, isEnding: this.#last !== undefined, isWhole: this.#isWhole }
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

  /** Not once it has failed. */
  async #sendPacket(packet: Packet = {}): Promise<void> {
    await this.#until(() => this.#seqno - this.#acked < maxInFlight && this.#sent.bytes < maxKeptBytes)
    if (this.#failure) return
    this.#send(packet)
    if (this.#socket.isFull) await this.#socket.drained()
  }

  /** Waits for acks, until it has failed. */
  async #until(isEnough: () => boolean): Promise<void> {
    while (!isEnough() && !this.#failure) {
      await new Promise<void>(resolve => {
        this.#whenAcked = resolve
      })
    }
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure
  }

  #send({ isLast = false, isEmpty = false, toDisk = false, again = 0 }: Packet): void {
    const seqno = this.#seqno++
    const dataLen = isEmpty ? 0 : this.#next.length
    const offsetInBlock = isEmpty ? this.length : this.#at
    const header = { offsetInBlock, seqno, lastPacketInBlock: isLast, dataLen, syncBlock: toDisk }
    const data = isEmpty ? nothing : this.#next.take(again)
    const { pieces } = data
    this.#at += dataLen - again
    // Where others are older it counts from theirs.
    if (this.#acked === seqno) this.#idle.wait()
    const sums = Math.ceil(dataLen / this.#checksums.bytesPerChunk) * this.#checksums.sumBytes
    const { head, at } = packetHead(header, sums)
    this.#checksums.write(pieces, head, at)
    this.#socket.write([head, ...pieces], this.#sent.add(offsetInBlock, dataLen, data))
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
      this.#sent.ack()
      if (this.#last === undefined) this.#isWhole = false
      if (this.#acked === this.#seqno) this.#idle.rest()
      else this.#idle.wait()
      this.#whenAcked()
    }
    this.#end.resolve()
  }
}
