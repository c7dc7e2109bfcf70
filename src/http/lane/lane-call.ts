import type { Socket } from 'node:net'
import type { BaseCall } from '../base-call.ts'
import type { Call, Identity } from '../call.ts'
import { toPeer } from '../peer.ts'
import { cutShort, tooLarge } from '../read-body.ts'
import type { RequestHead } from './request-head.ts'

/** A request of the lane: it is there as a whole, unless it was cut short. A class, not closures: one is made for every request. */
export class LaneCall implements Call<unknown>, BaseCall {
  operationId = ''
  params: unknown = {}
  caller: Identity | undefined
  /** Its answer without the lines that all answers have, once it is there: what stands before them, and the content. */
  answerHead: string | undefined
  answerContent = ''
  readonly #socket: Socket
  readonly #head: RequestHead
  readonly #body: Buffer
  #aborter: AbortController | undefined

  constructor(socket: Socket, head: RequestHead, body: Buffer) {
    this.#socket = socket
    this.#head = head
    this.#body = body
  }

  get method(): string {
    return this.#head.method
  }

  get target(): string {
    return this.#head.target
  }

  get peer(): string {
    return toPeer(this.#socket.remoteAddress)
  }

  get secure(): boolean {
    return 'encrypted' in this.#socket
  }

  get signal(): AbortSignal {
    if (this.#aborter !== undefined) return this.#aborter.signal
    const aborter = new AbortController()
    this.#aborter = aborter
    const abort = (): void => {
      if (this.answerHead === undefined) aborter.abort(new DOMException('The client went away', 'AbortError'))
    }
    if (this.#socket.destroyed) abort()
    else this.#socket.once('close', abort)
    return aborter.signal
  }

  withOperation<Params>(operationId: string, params: Params, caller?: Identity): Call<Params> {
    this.operationId = operationId
    this.params = params
    this.caller = caller
    // Its parameters are of this type from here on.
    return this as Call<Params>
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#head.headers()
  }

  header(name: string): string | undefined {
    return this.#head.header(name)
  }

  get whole(): Uint8Array | undefined {
    return this.#body.length < this.#head.contentLength ? undefined : this.#body
  }

  bytes(maxBytes: number): Promise<Uint8Array> {
    const { contentLength: announced } = this.#head
    const { length } = this.#body
    if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes, announced))
    if (length < announced) return Promise.reject(cutShort(length, announced))
    return Promise.resolve(this.#body)
  }

  stream(): ReadableStream<Uint8Array> | null {
    return this.#body.length === 0 ? null : new Response(new Uint8Array(this.#body)).body
  }
}
