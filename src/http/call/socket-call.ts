import type { Socket } from 'node:net'
import type { Call, Identity } from './call.ts'

/** The common part of calls over a socket. A class, not closures: one is made for every request. */
export abstract class SocketCall {
  operationId = ''
  params: unknown = {}
  caller: Identity | undefined
  #aborter: AbortController | undefined

  protected abstract readonly socket: Socket

  /** Calls back when the client is gone before its answer; at once, if it is. */
  protected abstract onGone(abort: () => void): void

  /** Hears who calls. */
  abstract identified(caller: Identity): void

  get peer(): string {
    return toPeer(this.socket.remoteAddress)
  }

  get secure(): boolean {
    return 'encrypted' in this.socket
  }

  get signal(): AbortSignal {
    if (this.#aborter !== undefined) return this.#aborter.signal
    const aborter = new AbortController()
    this.#aborter = aborter
    this.onGone(() => aborter.abort(new DOMException('The client disconnected', 'AbortError')))
    return aborter.signal
  }

  withOperation<Params>(
    this: Call<unknown> & SocketCall,
    operationId: string,
    params: Params,
    caller?: Identity,
  ): Call<Params> {
    this.operationId = operationId
    this.params = params
    this.caller = caller
    if (caller !== undefined) this.identified(caller)
    // Its parameters are of this type from here on.
    return this as Call<Params>
  }
}

/**
 * The peer of a socket that is gone and has no address any more. Not empty, as within the process: those calls are
 * trusted.
 */
export const gonePeer = 'unknown'

/** A socket's address without zone; IPv4 addresses of dual-stack sockets as IPv4. */
export const toPeer = (address: string | undefined): string => {
  if (address === undefined) return gonePeer
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const zone = address.indexOf('%')
  return zone === -1 ? address : address.slice(0, zone)
}
