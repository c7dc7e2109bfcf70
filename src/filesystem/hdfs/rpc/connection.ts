/**
 * A connection to a server of Hadoop's RPC, version 9. Calls are sent at once, and answers are matched by their ids:
 *
 *     once     "hrpc"  version 9  service class 0  auth 0 (simple) or 0xDF (SASL)
 *              SASL where there is a token, then the connection context: who calls, and which protocol
 *              (after SASL all may be wrapped: `wrapped-calls.ts`)
 *     call     length (4 bytes)  RpcRequestHeaderProto  RequestHeaderProto  request    each after its length
 *     answer   length (4 bytes)  RpcResponseHeaderProto  response
 */
import { FormatError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { type Demand, inWords } from '../conf/demands.ts'
import { delimited } from '../protobuf/message.ts'
import { ProtobufReader } from '../protobuf/reader.ts'
import { ExactSocket, type NodeAddress } from '../socket/exact-socket.ts'
import { SaslError } from '../tokens/digest-md5.ts'
import { authenticate } from './authenticate.ts'
import { remoteExceptionOf } from './exceptions.ts'
import { type HadoopIdentity, toUserInformation } from './identity.ts'
import {
  finalPacket,
  IpcConnectionContext,
  protocolBuffer,
  RequestHeader,
  RpcRequestHeader,
  RpcResponseHeader,
  rpcStatus,
  saslCallId,
} from './messages.ts'
import { wrapCalls } from './wrapped-calls.ts'

/** One call; sent again it keeps its id, by which the server knows that it has done it already. */
export type NumberedCall = {
  readonly callId: number
  readonly retryCount: number
  readonly methodName: string
  readonly request: Uint8Array
  readonly timeoutMs: number
}

export type RpcConnectionOptions = {
  readonly address: NodeAddress
  /** The interface of Java whose methods are called. */
  readonly protocol: string
  /** 16 bytes that identify this client. */
  readonly clientId: Buffer
  readonly identity: HadoopIdentity
  /** Less protection will not do. */
  readonly demand?: Demand | undefined
}

/**
 * Of an answer: a page of a directory or of blocks has some hundred bytes for each of its thousand entries. Hadoop's own limit
 * (`ipc.maximum.response.length`, 128 MB) would make objects of many times its length.
 */
const maxFrameBytes = 16 * 1024 * 1024
/** A connection on which nothing is asked for so long is closed; the server would do it a little later. */
const idleMs = 8_000
const rpcVersion = 9
const auth = { simple: 0, sasl: 0xdf } as const
/** Before it is known who answers. */
const maxSaslBytes = 64 * 1024
/** `RpcConstants.CONNECTION_CONTEXT_CALL_ID` */
const contextCallId = -3

const nothing = Buffer.alloc(0)

type Waiting = {
  readonly heardBefore: number
  readonly timer: NodeJS.Timeout
  resolve(response: Buffer): void
  reject(error: Error): void
}

export class RpcConnection {
  readonly #options: RpcConnectionOptions
  readonly #socket: ExactSocket
  readonly #calls = new Map<number, Waiting>()
  readonly #isReady: Promise<void>
  readonly #requestHeaders = new Map<string, Buffer>()
  /** Answers so far: a server that sends none for a whole time-out is away. */
  #heard = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: RpcConnectionOptions) {
    this.#options = options
    this.#socket = new ExactSocket(options.address)
    this.#isReady = this.#open()
    this.#isReady.catch((error: Error) => this.#socket.destroy(error))
    void this.#socket.closed.then(error => this.#fail(error))
  }

  get isOpen(): boolean {
    return this.#socket.isOpen
  }

  /** The response of a call. Rejects with `RemoteException` where the server refuses, else with what broke the connection. */
  async call(call: NumberedCall): Promise<Buffer> {
    this.#rouse()
    const { callId, methodName, request, timeoutMs } = call
    const answer = Promise.withResolvers<Buffer>()
    const timer = startTimeout(() => this.#giveUp(callId, timeoutMs), timeoutMs)
    this.#calls.set(callId, { ...answer, timer, heardBefore: this.#heard })
    try {
      await Promise.race([this.#isReady, answer.promise])
      this.#send(this.#headerOf(callId, call.retryCount), this.#requestHeaderOf(methodName), request)
      return await answer.promise
    } finally {
      clearTimeout(timer)
      this.#calls.delete(callId)
      if (this.#calls.size === 0) this.#rest()
    }
  }

  close(): void {
    this.#socket.destroy(toReset())
  }

  async #open(): Promise<void> {
    const { identity, protocol, demand } = this.#options
    const isSasl = identity.token !== undefined
    if (!isSasl && demand) throw new SaslError(`${inWords(demand)}, and there is no token to agree on it with`)
    const preamble = [...Buffer.from('hrpc'), rpcVersion, 0, isSasl ? auth.sasl : auth.simple]
    this.#socket.write([Buffer.from(preamble)])
    if (identity.token !== undefined) {
      const saslHeader = this.#headerOf(saslCallId, 0)
      const layer = await authenticate(
        identity.token,
        {
          send: message => this.#send(saslHeader, message),
          receive: async () => {
            const { header, rest } = await this.#receive(maxSaslBytes)
            if ((header.callId | 0) !== saslCallId)
              throw new FormatError('hrpc', 0, `SASL with call id ${header.callId}`)
            return rest
          },
        },
        demand,
      )
      if (layer) this.#socket.protect(wrapCalls(layer, saslHeader, maxFrameBytes))
    }
    const userInfo = isSasl ? undefined : toUserInformation(identity)
    this.#send(this.#headerOf(contextCallId, 0), IpcConnectionContext.encode({ userInfo, protocol }))
    void this.#receiveAll().catch((error: Error) => this.#socket.destroy(error))
  }

  async #receiveAll(): Promise<void> {
    for (;;) {
      const { header, rest } = await this.#receive()
      this.#heard++
      // The answer of a call that was given up is dropped.
      this.#calls.get(header.callId)?.resolve(rest)
    }
  }

  /** The next answer. @throws Error the server ends the connection */
  async #receive(
    maxBytes = maxFrameBytes,
  ): Promise<{ readonly header: { readonly callId: number }; readonly rest: Buffer }> {
    for (;;) {
      const length = (await this.#socket.read(4)).readUInt32BE()
      if (length > maxBytes) throw new FormatError('hrpc', 0, `an answer of ${length} bytes`)
      const reader = new ProtobufReader(await this.#socket.read(length))
      const header = RpcResponseHeader.read(reader)
      if (header.status === rpcStatus.success)
        return { header, rest: reader.at < length ? reader.delimited() : nothing }
      const error = remoteExceptionOf(header.exceptionClassName, header.errorMsg)
      // The answer of a call that was given up is dropped.
      this.#calls.get(header.callId)?.reject(error)
      const isOfConnection = (header.callId | 0) < 0
      // Before the first answer nothing was done of what was sent. Later it is not known what was done of other calls.
      if (isOfConnection && this.#heard === 0) throw error
      if (isOfConnection || header.status === rpcStatus.fatal) throw toReset(error)
      this.#heard++
    }
  }

  #send(...messages: readonly Uint8Array[]): void {
    const body = delimited(...messages)
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(body.length)
    this.#socket.write([length, body])
  }

  #headerOf(callId: number, retryCount: number): Buffer {
    const { clientId } = this.#options
    return RpcRequestHeader.encode({ rpcKind: protocolBuffer, rpcOp: finalPacket, callId, clientId, retryCount })
  }

  #requestHeaderOf(methodName: string): Buffer {
    const known = this.#requestHeaders.get(methodName)
    if (known) return known
    const declaringClassProtocolName = this.#options.protocol
    const made = RequestHeader.encode({ methodName, declaringClassProtocolName, clientProtocolVersion: 1 })
    this.#requestHeaders.set(methodName, made)
    return made
  }

  #giveUp(callId: number, timeoutMs: number): void {
    const waiting = this.#calls.get(callId)
    if (waiting === undefined) return
    const error = Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })
    waiting.reject(error)
    if (waiting.heardBefore === this.#heard) this.#socket.destroy(error)
  }

  #fail(error: Error): void {
    clearTimeout(this.#idle)
    for (const waiting of this.#calls.values()) waiting.reject(error)
  }

  #rouse(): void {
    clearTimeout(this.#idle)
    this.#socket.wake()
  }

  #rest(): void {
    if (!this.isOpen) return
    this.#socket.rest()
    this.#idle = startTimeout(() => this.close(), idleMs)
    this.#idle.unref()
  }
}

/** The connection has ended: whether calls that were sent have taken effect is not known. */
const toReset = (cause?: Error): Error =>
  Object.assign(new Error('the connection is closed', { cause }), { code: 'ECONNRESET' })
