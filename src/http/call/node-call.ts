import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { readBody, streamBody } from '../body/read-body.ts'
import { type BodyPace, defaultEdgeLimits } from '../limits.ts'
import type { BaseCall } from './base-call.ts'
import type { Call, CheckedTicket, Identity, OnBytes } from './call.ts'
import { noteCaller } from './callers.ts'
import { SocketCall } from './socket-call.ts'

/** A call on Node: reads straight from the incoming message, without a `Request`, its headers or a web stream. */
export const createNodeCall = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  pace: BodyPace = defaultEdgeLimits,
  ticket?: CheckedTicket,
): BaseCall => new NodeCall(incoming, outgoing, pace, ticket)

/** Several headers of one name, as Node has them, as one. */
export const joinValues = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value

class NodeCall extends SocketCall implements Call<unknown>, BaseCall {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #pace: BodyPace
  readonly ticket: CheckedTicket | undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, pace: BodyPace, ticket: CheckedTicket | undefined) {
    super()
    this.ticket = ticket
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#pace = pace
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

  bytes(maxBytes: number, onBytes?: OnBytes, isBeginning?: boolean): Promise<Uint8Array> {
    return readBody(this.#incoming, { ...this.#pace, maxBytes, isBeginning }, onBytes)
  }

  stream(): ReadableStream<Uint8Array> | null {
    return streamBody(this.#incoming)
  }
}
