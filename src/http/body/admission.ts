import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import { BodyLine, LinePlace, smallBytes, toOverloaded } from './body-line.ts'
import { createHolding, type Holding } from './holding.ts'

/** What one request holds; {@link Claim.release} gives it all back, once, however the request ends. */
export type Claim = {
  /** @throws SluiceError `overloaded` */
  addBytes(bytes: number): void
  /** @throws SluiceError `overloaded` */
  addEvents(events: number): void
  /**
   * Bytes have arrived of a body that arrives in pieces. A promise is to be waited for before more is read: it resolves
   * when all of the body fits, or when the request is over.
   * @param wholeBytes of the body, or as many as it may have
   * @throws SluiceError `overloaded`
   */
  receive(bytes: number, wholeBytes: number): void | Promise<void>
  /** The body is there: what it might have had beyond its bytes is free. */
  received(): void
  release(): void
}

/** Whose a request is; the address is asked for where the request is large, or arrives in pieces. */
export type Client = { readonly clientAddress: string }

const nobody: Client = { clientAddress: '' }

/** The limits over all requests of a process, and their current use. */
export type Admission = {
  /**
   * A request that holds this many bytes.
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
 * Counts the bytes that requests hold and the events that wait for their acknowledgement, and refuses what would be too
 * much before it is kept: so memory stays bounded and refusals stay quick under any load. Announced bytes cost nothing
 * until they arrive; a quarter of all bytes stays for small requests that arrive whole.
 */
export const createAdmission = (limits: Current<AdmissionLimits>, held: Holding = createHolding()): Admission => {
  const line = new BodyLine(() => limits().maxInflightBytes, held)
  return {
    get inflightBytes() {
      return held.all.inflightBytes
    },
    get queuedEvents() {
      return held.all.queuedEvents
    },
    get requests() {
      return held.all.requests
    },
    admit(bytes, client = nobody) {
      const claim = new RequestClaim(held, limits, line, client)
      claim.addBytes(bytes)
      held.add('requests', 1)
      return claim
    },
  }
}

/** A class, not closures: each request takes one. */
class RequestClaim implements Claim {
  readonly #held: Holding
  readonly #limits: Current<AdmissionLimits>
  readonly #line: BodyLine
  readonly #client: Client
  #bytes = 0
  #events = 0
  #isReleased = false
  /** Of a request that is large, or arrives in pieces. */
  #place: LinePlace | undefined

  constructor(held: Holding, limits: Current<AdmissionLimits>, line: BodyLine, client: Client) {
    this.#held = held
    this.#limits = limits
    this.#line = line
    this.#client = client
  }

  addBytes(more: number): void {
    const { inflightBytes } = this.#held.all
    const bytes = this.#bytes + more
    if (this.#place !== undefined) this.#place.add(more)
    else if (bytes > smallBytes) this.#toPlace().add(bytes)
    else if (inflightBytes + more > this.#limits().maxInflightBytes) throw toOverloaded(inflightBytes, more)
    else {
      this.#held.add('inflightBytes', more)
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
    this.#held.add('inflightBytes', bytes)
  }

  /** From here on the line counts its bytes. */
  #toPlace(): LinePlace {
    if (this.#place === undefined) {
      this.#place = new LinePlace(this.#line, this.#client.clientAddress)
      this.#held.add('inflightBytes', -this.#bytes)
      this.#bytes = 0
    }
    return this.#place
  }

  addEvents(more: number): void {
    const { queuedEvents } = this.#held.all
    if (queuedEvents + more > this.#limits().maxEventQueueSize) {
      throw new SluiceError('overloaded', `${queuedEvents} events wait, ${more} more do not fit; retry later`)
    }
    this.#held.add('queuedEvents', more)
    this.#events += more
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#held.add('inflightBytes', -this.#bytes)
    this.#held.add('queuedEvents', -this.#events)
    this.#held.add('requests', -1)
    if (this.#place === undefined) this.#line.next()
    else this.#place.close()
  }
}
