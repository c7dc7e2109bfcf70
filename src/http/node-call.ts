import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BaseCall } from './base-call.ts'
import type { Call, Identity } from './call.ts'
import { toPeer } from './peer.ts'
import { readBody, streamBody } from './read-body.ts'

/** A body must have arrived this long after somebody asked for it. Uploads, which stream, have no such limit. */
export const defaultBodyTimeoutMs = 30_000

/** A call on Node: reads straight from the incoming message, without a `Request`, its headers or a web stream. */
export const createNodeCall = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bodyTimeoutMs = defaultBodyTimeoutMs,
): BaseCall => new NodeCall(incoming, outgoing, bodyTimeoutMs)

/** A class, not closures: one is made for every request, and its methods should not be. */
class NodeCall implements Call<unknown>, BaseCall {
  operationId = ''
  params: unknown = {}
  caller: Identity | undefined
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #bodyTimeoutMs: number
  #aborter: AbortController | undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, bodyTimeoutMs: number) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#bodyTimeoutMs = bodyTimeoutMs
  }

  get method(): string {
    return this.#incoming.method ?? 'GET'
  }

  get target(): string {
    return this.#incoming.url ?? '/'
  }

  get peer(): string {
    return toPeer(this.#incoming.socket.remoteAddress)
  }

  get secure(): boolean {
    return 'encrypted' in this.#incoming.socket
  }

  get signal(): AbortSignal {
    if (this.#aborter !== undefined) return this.#aborter.signal
    const aborter = new AbortController()
    this.#aborter = aborter
    const abort = (): void => aborter.abort(new DOMException('The client went away', 'AbortError'))
    if (this.#outgoing.destroyed) abort()
    else {
      this.#outgoing.on('close', () => {
        if (!this.#outgoing.writableFinished) abort()
      })
    }
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
    const all = Object.entries(this.#incoming.headers)
    return Object.fromEntries(
      all.map(([name, value = '']) => [name, typeof value === 'object' ? value.join(', ') : value]),
    )
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  bytes(maxBytes: number): Promise<Uint8Array> {
    return readBody(this.#incoming, { maxBytes, timeoutMs: this.#bodyTimeoutMs })
  }

  stream(): ReadableStream<Uint8Array> | null {
    return streamBody(this.#incoming)
  }
}
