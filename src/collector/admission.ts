import { SluiceError } from '../errors.ts'

/** What one request holds; {@link Ticket.release} gives it all back, once, however the request ends. */
export type Ticket = {
  /** @throws SluiceError `overloaded` */
  addBytes(bytes: number): void
  /** @throws SluiceError `overloaded` */
  addEvents(events: number): void
  release(): void
}

/** The limits over all requests of one process, and what stands against them now. */
export type Admission = {
  /** A request that announces so many bytes; 0 when it does not say, then it grows as they arrive. */
  admit(announcedBytes: number): Ticket
  readonly inflightBytes: number
  readonly queuedEvents: number
  readonly requests: number
}

/** What all requests of a process together may hold. */
export type AdmissionLimits = { readonly maxInflightBytes: number; readonly maxEventQueueSize: number }

/**
 * Counts the bytes that requests hold and the events that wait for their acknowledgement, and refuses what would be
 * too much before it is read or kept: so memory stays bounded and refusals stay quick under any load.
 */
export const createAdmission = (limits: AdmissionLimits): Admission => {
  const held: Held = { inflightBytes: 0, queuedEvents: 0, requests: 0 }
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
    admit(announcedBytes) {
      const ticket = new RequestTicket(held, limits)
      ticket.addBytes(announcedBytes)
      held.requests++
      return ticket
    },
  }
}

type Held = { inflightBytes: number; queuedEvents: number; requests: number }

/** A class, not closures: each request takes one. */
class RequestTicket implements Ticket {
  readonly #held: Held
  readonly #limits: AdmissionLimits
  #bytes = 0
  #events = 0
  #isReleased = false

  constructor(held: Held, limits: AdmissionLimits) {
    this.#held = held
    this.#limits = limits
  }

  addBytes(more: number): void {
    const { inflightBytes } = this.#held
    if (inflightBytes + more > this.#limits.maxInflightBytes) {
      throw new SluiceError('overloaded', `Requests hold ${inflightBytes} bytes, ${more} more do not fit; try later`)
    }
    this.#held.inflightBytes += more
    this.#bytes += more
  }

  addEvents(more: number): void {
    const { queuedEvents } = this.#held
    if (queuedEvents + more > this.#limits.maxEventQueueSize) {
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
  }
}
