import { type Envelope, fromEnvelope } from './envelope.ts'
import type { FoundEvent } from './found-event.ts'
import { parseSmile } from './parse-smile.ts'

/**
 * A `.smile` file, read by `smile-js`. It misreads BigDecimal, a leading U+FEFF, and shared names after one of more
 * than 64 bytes: the events of the tests do not contain these.
 */
export const readSmile = (bytes: Uint8Array): readonly FoundEvent[] =>
  (parseSmile(bytes) as readonly Envelope[]).map(fromEnvelope)
