import type { Socket } from 'node:net'
import { FormatError, OutcomeUnknown, SluiceError } from '../../errors.ts'
import { encodeFrame, messageType, type OpenMessage, openMessage } from '../../formats/thrift/message.ts'
import { MessageSplitter, type SplitMessage } from '../../formats/thrift/message-splitter.ts'
import type { Admission, Claim } from '../../http/body/admission.ts'
import { toPeer } from '../../http/call/socket-call.ts'
import type { ScribeLimits } from './limits.ts'
import type { ScribeService } from './service.ts'

/** The dependencies of a connection. */
export type ConnectionOptions = {
  readonly socket: Socket
  readonly service: ScribeService
  readonly admission: Admission
  readonly limits: ScribeLimits
  /** Monotonic, in ms. */
  readonly nowMs: () => number
}

/** One client: its calls are worked on side by side, and answered in their order. */
export class ScribeConnection {
  readonly #socket: Socket
  readonly #service: ScribeService
  readonly #admission: Admission
  readonly #limits: ScribeLimits
  readonly #nowMs: () => number
  readonly #splitter: MessageSplitter
  /** Accounts for the bytes of a message that is not complete. */
  #partial: Claim | undefined
  /** When its first byte arrived; undefined without partial data, or while not reading. */
  #partialSince: number | undefined
  #calls = 0
  #callBytes = 0
  #lastAnswer: Promise<void> = Promise.resolve()
  #activeAt: number
  /** The client has said all it has to say. */
  #isInputOver = false
  /** No call is begun any more; from `#endedAt` on everything is answered. */
  #isEnding = false
  #endedAt: number | undefined

  constructor({ socket, service, admission, limits, nowMs }: ConnectionOptions) {
    this.#socket = socket
    this.#service = service
    this.#admission = admission
    this.#limits = limits
    this.#nowMs = nowMs
    this.#splitter = new MessageSplitter(limits.maxFrameBytes)
    this.#activeAt = nowMs()
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('end', () => {
      this.#isInputOver = true
      this.#pump()
    })
    socket.on('drain', () => this.#pump())
    // What happens to a socket is the client's affair; the close that follows is what counts.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.#isEnding = true
      this.#account(0)
    })
  }

  /** Begins no call any more, answers those in work, and ends. */
  drain(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#partialSince = undefined
    this.#account(0)
    // The remaining bytes are read and dropped: unread bytes would turn the end into a reset, and lose answers.
    this.#socket.resume()
    void this.#lastAnswer.then(() => {
      this.#endedAt = this.#nowMs()
      this.#socket.end()
    })
  }

  /** Cuts a client that takes too long; to be called now and then. */
  check(): void {
    const now = this.#nowMs()
    const { frameTimeoutMs, idleTimeoutMs, lingerMs } = this.#limits
    const isOver = (since: number | undefined, timeoutMs: number): boolean =>
      since !== undefined && now - since > timeoutMs
    const isSlow = isOver(this.#partialSince, frameTimeoutMs)
    const isIdle = this.#calls === 0 && isOver(this.#activeAt, idleTimeoutMs)
    if (isSlow || isIdle || isOver(this.#endedAt, lingerMs)) this.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    if (this.#isEnding) return
    this.#activeAt = this.#nowMs()
    this.#splitter.push(chunk)
    this.#pump()
  }

  /** Begins every call that has arrived, as far as memory allows. */
  #pump(): void {
    let isEmpty = false
    while (!isEmpty && !this.#isEnding && !this.#isFull()) isEmpty = !this.#begin()
    if (this.#isEnding) return
    this.#account(this.#splitter.heldBytes)
    if (isEmpty && this.#isInputOver) this.drain()
    else this.#watchPartial(isEmpty)
  }

  /** Begins the next call; false when none has arrived whole, or the stream is damaged. */
  #begin(): boolean {
    let message: SplitMessage | undefined
    try {
      message = this.#splitter.next()
    } catch (error) {
      return this.#giveUp(error, this.#splitter.head())
    }
    if (message === undefined) return false
    this.#partialSince = undefined
    try {
      this.#call(openMessage(message.bytes), message)
      return true
    } catch (error) {
      return this.#giveUp(error, noBytes)
    }
  }

  #call(message: OpenMessage, { bytes, isWhole }: SplitMessage): void {
    try {
      if (!isWhole) throw new SluiceError('overloaded', 'Requests in progress use all buffer memory; retry later')
      this.#send(this.#work(message, this.#admit(bytes.length), bytes.length))
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      this.#send(Promise.resolve(this.#service.refuse(message.header, error)))
    }
  }

  async #work(message: OpenMessage, claim: Claim, bytes: number): Promise<Uint8Array | undefined> {
    this.#calls++
    this.#callBytes += bytes
    try {
      return await this.#service.answer(message, claim, { peer: toPeer(this.#socket.remoteAddress), bytes })
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error
      this.destroy()
      return undefined
    } finally {
      claim.release()
      this.#calls--
      this.#callBytes -= bytes
    }
  }

  /** Writes an answer when the ones before it are written, and continues reading once there is space again. */
  #send(answer: Promise<Uint8Array | undefined>): void {
    this.#lastAnswer = Promise.all([answer, this.#lastAnswer]).then(([bytes]) => {
      if (bytes && !this.#socket.destroyed) {
        this.#socket.write(this.#splitter.transport === 'buffered' ? bytes : encodeFrame(bytes))
      }
      this.#activeAt = this.#nowMs()
      this.#pump()
    })
  }

  /** Of a damaged stream nothing more can be read: an answer where the header can be, and the end. */
  #giveUp(error: unknown, head: Uint8Array): false {
    if (!(error instanceof FormatError)) throw error
    const header = readHeader(head)
    if (header) this.#send(Promise.resolve(this.#service.refuse(header, error)))
    else this.#service.countUnreadable(error)
    this.drain()
    return false
  }

  #isFull(): boolean {
    const { maxPipelinedCalls, maxPipelinedBytes, maxUnsentBytes } = this.#limits
    return (
      this.#calls >= maxPipelinedCalls ||
      this.#callBytes >= maxPipelinedBytes ||
      this.#socket.writableLength > maxUnsentBytes
    )
  }

  /** Holds a claim for the bytes; if they do not fit, lets the message pass and refuses it at its end. */
  #account(bytes: number): void {
    this.#partial?.release()
    this.#partial = undefined
    if (bytes === 0) return
    try {
      this.#partial = this.#admit(bytes)
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      this.#splitter.shed()
    }
  }

  #admit(bytes: number): Claim {
    return this.#admission.admit(bytes, { clientAddress: toPeer(this.#socket.remoteAddress) })
  }

  /** @param isEmpty all that arrived is being worked on; otherwise nothing is read until there is space */
  #watchPartial(isEmpty: boolean): void {
    if (!isEmpty) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
    this.#partialSince = isEmpty && this.#splitter.isWithin ? (this.#partialSince ?? this.#nowMs()) : undefined
  }
}

/** Undefined for anything but a call: that client would not understand an answer. */
const readHeader = (head: Uint8Array): OpenMessage['header'] | undefined => {
  try {
    const { header } = openMessage(head)
    return header.type === messageType.call && header.name !== '' ? header : undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

const noBytes = new Uint8Array()
