import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import { BodyLine, LinePlace, smallBytes, toOverloaded } from './body-line.ts'

/** What one request holds; {@link Claim.release} gives it all back, once, however the request ends. */
export type Claim = {
  /** @throws SluiceError `overloaded` */
  addBytes(bytes: number): void
  /** @throws SluiceError `overloaded` */
  addEvents(events: number): void
  /**
   * Bytes of a body have arrived that does not come as a whole. A promise is to be waited for before more is read: it
   * resolves when there is room for all of the body, or when the request is over.
   * @param wholeBytes of the body, or as many as it may have
   * @throws SluiceError `overloaded`
   */
  receive(bytes: number, wholeBytes: number): void | Promise<void>
  /** The body is there: what it might have had beyond its bytes is free. */
  received(): void
  release(): void
}

/** Whose a request is; the address is asked for where the request is large, or does not come as a whole. */
export type Client = { readonly clientAddress: string }

const nobody: Client = { clientAddress: '' }

/** The limits over all requests of one process, and what stands against them now. */
export type Admission = {
  /**
   * A request that holds so many bytes.
   * @param client whose it is, for what one client may hold. @default one that all share
   */
  admit(bytes: number, client?: Client): Claim
  readonly inflightBytes: number
  readonly queuedEvents: number
  readonly requests: number
}

/** What all requests of a process together may hold. */
export type AdmissionLimits = { readonly maxInflightBytes: number; readonly maxEventQueueSize: number }

/**
 * Counts the bytes that requests hold and the events that wait for their acknowledgement, and refuses what would be
 * too much before it is kept: so memory stays bounded and refusals stay quick under any load. What a request announces
 * costs nothing until it comes; a quarter of all bytes stays for small requests that come whole.
 */
export const createAdmission = (limits: Current<AdmissionLimits>): Admission => {
  const held: Held = { inflightBytes: 0, queuedEvents: 0, requests: 0 }
  const line = new BodyLine(() => limits().maxInflightBytes, held)
  return {
    get inflightBytes() {
      return held.inflightBytes
    },
    get queuedEvents() {
      return held.queuedEvents
    },
    get requests() {
      return held.requests
    },
    admit(bytes, client = nobody) {
      const claim = new RequestClaim(held, limits, line, client)
      claim.addBytes(bytes)
      held.requests++
      return claim
    },
  }
}

type Held = { inflightBytes: number; queuedEvents: number; requests: number }

/** A class, not closures: each request takes one. */
class RequestClaim implements Claim {
  readonly #held: Held
  readonly #limits: Current<AdmissionLimits>
  readonly #line: BodyLine
  readonly #client: Client
  #bytes = 0
  #events = 0
  #isReleased = false
  /** Of a request that is large, or does not come as a whole. */
  #place: LinePlace | undefined

  constructor(held: Held, limits: Current<AdmissionLimits>, line: BodyLine, client: Client) {
    this.#held = held
    this.#limits = limits
    this.#line = line
    this.#client = client
  }

  addBytes(more: number): void {
    const { inflightBytes } = this.#held
    const bytes = this.#bytes + more
    if (this.#place !== undefined) this.#place.add(more)
    else if (bytes > smallBytes) this.#toPlace().add(bytes)
    else if (inflightBytes + more > this.#limits().maxInflightBytes) throw toOverloaded(inflightBytes, more)
    else {
      this.#held.inflightBytes += more
      this.#bytes = bytes
    }
  }

  receive(more: number, wholeBytes: number): void | Promise<void> {
    if (this.#isReleased) return
    const isSmallAndWhole = this.#place === undefined && more >= wholeBytes && more <= smallBytes
    if (!isSmallAndWhole) return this.#toPlace().receive(more, wholeBytes)
    this.addBytes(more)
  }

  received(): void {
    const place = this.#place
    if (place === undefined || this.#isReleased) return
    const { bytes } = place
    if (!place.received()) return
    this.#place = undefined
    this.#bytes = bytes
    this.#held.inflightBytes += bytes
  }

  /** From here on the line counts its bytes. */
  #toPlace(): LinePlace {
    if (this.#place === undefined) {
      this.#place = new LinePlace(this.#line, this.#client.clientAddress)
      this.#held.inflightBytes -= this.#bytes
      this.#bytes = 0
    }
    return this.#place
  }

  addEvents(more: number): void {
    const { queuedEvents } = this.#held
    if (queuedEvents + more > this.#limits().maxEventQueueSize) {
      throw new SluiceError('overloaded', `${queuedEvents} events wait, ${more} more do not fit; try later`)
    }
    this.#held.queuedEvents += more
    this.#events += more
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#held.inflightBytes -= this.#bytes
    this.#held.queuedEvents -= this.#events
    this.#held.requests--
    if (this.#place === undefined) this.#line.next()
    else this.#place.close()
  }
}
