import type { Socket } from 'node:net'
import type { Waiter } from '../../runtime/deferred.ts'
import { noteArrivedBytes } from '../body/arrived-bytes.ts'
import { cutShort, tooLarge } from '../body/read-body.ts'
import type { BaseCall, LaneRoute } from '../call/base-call.ts'
import type { Call, Identity, OnBytes } from '../call/call.ts'
import { SocketCall } from '../call/socket-call.ts'
import type { AnswerLines } from './answer-lines.ts'
import type { RequestHead } from './request-head.ts'

/** The connection of a call, which hears what its answer is. */
export type LaneEnd = {
  readonly socket: Socket
  answered(call: LaneCall, response: Response): void
  failed(call: LaneCall, error: unknown): void
}

/** A request of the lane: it is there as a whole, unless it was cut short. It waits for its answer itself. */
export class LaneCall extends SocketCall implements Call<unknown>, BaseCall, Waiter<Response> {
  /** Its answer, once it is there. */
  answer: AnswerLines | undefined
  /** When it began, of `performance.now()`, and who calls: for the log of requests. */
  begun = 0
  user: string | undefined
  /** What answers it. */
  readonly route: LaneRoute
  protected readonly socket: Socket
  readonly #end: LaneEnd
  readonly #head: RequestHead
  readonly #body: Buffer

  constructor(end: LaneEnd, route: LaneRoute, head: RequestHead, body: Buffer) {
    super()
    this.route = route
    this.socket = end.socket
    this.#end = end
    this.#head = head
    this.#body = body
    if (body.length < head.contentLength) noteArrivedBytes(this, body.length)
  }

  done(response: Response): void {
    const { finish } = this.route
    this.#end.answered(this, finish === undefined ? response : finish(response, this))
  }

  failed(error: unknown): void {
    this.#end.failed(this, error)
  }

  get method(): string {
    return this.#head.method
  }

  get target(): string {
    return this.#head.target
  }

  protected onGone(abort: () => void): void {
    if (this.socket.destroyed) abort()
    else {
      this.socket.once('close', () => {
        if (this.answer === undefined) abort()
      })
    }
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#head.headers()
  }

  header(name: string): string | undefined {
    return this.#head.header(name)
  }

  identified({ name }: Identity): void {
    this.user = name
  }

  get whole(): Uint8Array | undefined {
    return this.#body.length < this.#head.contentLength ? undefined : this.#body
  }

  async bytes(maxBytes: number, onBytes?: OnBytes, isBeginning = false): Promise<Uint8Array> {
    const { contentLength: announced } = this.#head
    const { length } = this.#body
    if (announced > maxBytes && !isBeginning) throw tooLarge(maxBytes, announced)
    if (length < Math.min(announced, maxBytes)) throw cutShort(length, announced)
    await onBytes?.(length)
    return this.#body.subarray(0, maxBytes)
  }

  stream(): ReadableStream<Uint8Array> | null {
    const { contentLength: announced } = this.#head
    const { length } = this.#body
    if (announced === 0) return null
    return new ReadableStream<Uint8Array>({
      start: controller => {
        if (length > 0) controller.enqueue(this.#body)
      },
      // What is not whole must not look so.
      pull: controller => {
        if (length < announced) controller.error(cutShort(length, announced))
        else controller.close()
      },
    })
  }
}
