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

/**
 * Counts the bytes that requests hold and the events that wait for their acknowledgement, and refuses what would be
 * too much before it is read or kept: so memory stays bounded and refusals stay quick under any load.
 */
export const createAdmission = (limits: {
  readonly maxInflightBytes: number
  readonly maxEventQueueSize: number
}): Admission => {
  let inflightBytes = 0
  let queuedEvents = 0
  let requests = 0
  return {
    get inflightBytes() {
      return inflightBytes
    },
    get queuedEvents() {
      return queuedEvents
    },
    get requests() {
      return requests
    },
    admit(announcedBytes) {
      let bytes = 0
      let events = 0
      const addBytes = (more: number): void => {
        if (inflightBytes + more > limits.maxInflightBytes) {
          throw new SluiceError(
            'overloaded',
            `Requests hold ${inflightBytes} bytes, ${more} more do not fit; try later`,
          )
        }
        inflightBytes += more
        bytes += more
      }
      addBytes(announcedBytes)
      requests++
      let released = false
      return {
        addBytes,
        addEvents(more) {
          if (queuedEvents + more > limits.maxEventQueueSize) {
            throw new SluiceError('overloaded', `${queuedEvents} events wait, ${more} more do not fit; try later`)
          }
          queuedEvents += more
          events += more
        },
        release() {
          if (released) return
          released = true
          inflightBytes -= bytes
          queuedEvents -= events
          requests--
        },
      }
    },
  }
}
