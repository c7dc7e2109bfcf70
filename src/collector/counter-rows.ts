/** Numbers that several threads record, each in a row of its own, so that a reader adds up the rows. */
import { apis } from '../spool/apis.ts'
import { latencyLength } from './latency.ts'

/** Why events of a request answered 503 or 429 were not kept. */
export type RefusalKind = 'lost' | 'errored' | 'ignored' | 'throttled'

/**
 * What is recorded, a number each; all else follows from these. `failures`: requests answered with an error status, or not at
 * all; `replayed`: accepted events that had been refused before; `unread`: those of lost, errored, ignored and throttled that no
 * parser saw; `handedOver`: events that a thread has given to
 * the desk of another one, which counts what becomes of them.
 */
export type Recorded =
  | 'requests'
  | 'failures'
  | 'accepted'
  | 'filtered'
  | 'duplicates'
  | 'malformed'
  | RefusalKind
  | 'unknown'
  | 'unread'
  | 'replays'
  | 'replayed'
  | 'handedOver'

/** What is recorded, in the order in which a row has it. */
export const recorded = [
  'requests',
  'failures',
  'accepted',
  'filtered',
  'duplicates',
  'malformed',
  'lost',
  'errored',
  'ignored',
  'throttled',
  'unknown',
  'unread',
  'replays',
  'replayed',
  'handedOver',
] as const satisfies readonly Recorded[]

/** Where each is. */
export const placeOf = Object.fromEntries(recorded.map((kind, i) => [kind, i])) as Readonly<Record<Recorded, number>>

/** Numbers of one API in a row. */
export const apiLength = recorded.length + latencyLength

/** Bytes of the numbers of one thread. */
export const counterRowBytes = apis.length * apiLength * Float64Array.BYTES_PER_ELEMENT

/** The rows of all threads in their memory. */
export const toCounterRows = (memory: ArrayBufferLike): readonly Float64Array[] => {
  const length = counterRowBytes / Float64Array.BYTES_PER_ELEMENT
  const rows = memory.byteLength / counterRowBytes
  return Array.from({ length: rows }, (_, row) => new Float64Array(memory, row * counterRowBytes, length))
}
