import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BaseCall } from './base-call.ts'
import type { Call, CheckedTicket, Identity } from './call.ts'
import { noteCaller } from './callers.ts'
import { readBody, streamBody } from './read-body.ts'
import { SocketCall } from './socket-call.ts'

/** A body must have arrived this long after somebody asked for it. Uploads, which stream, have no such limit. */
export const defaultBodyTimeoutMs = 30_000

/** A call on Node: reads straight from the incoming message, without a `Request`, its headers or a web stream. */
export const createNodeCall = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bodyTimeoutMs = defaultBodyTimeoutMs,
  ticket?: CheckedTicket,
): BaseCall => new NodeCall(incoming, outgoing, bodyTimeoutMs, ticket)

/** Several headers of one name, as Node has them, as one. */
export const joinValues = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value

class NodeCall extends SocketCall implements Call<unknown>, BaseCall {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #bodyTimeoutMs: number
  readonly ticket: CheckedTicket | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    bodyTimeoutMs: number,
    ticket: CheckedTicket | undefined,
  ) {
    super()
    this.ticket = ticket
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

  protected get socket(): Socket {
    return this.#incoming.socket
  }

  protected onGone(abort: () => void): void {
    if (this.#outgoing.destroyed) abort()
    else {
      this.#outgoing.on('close', () => {
        if (!this.#outgoing.writableFinished) abort()
      })
    }
  }

  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#incoming.headers).map(([name, value]) => [name, joinValues(value) ?? '']),
    )
  }

  header(name: string): string | undefined {
    return joinValues(this.#incoming.headers[name])
  }

  identified(caller: Identity): void {
    noteCaller(this.#incoming, caller)
  }

  bytes(maxBytes: number): Promise<Uint8Array> {
    return readBody(this.#incoming, { maxBytes, timeoutMs: this.#bodyTimeoutMs })
  }

  stream(): ReadableStream<Uint8Array> | null {
    return streamBody(this.#incoming)
  }
}
