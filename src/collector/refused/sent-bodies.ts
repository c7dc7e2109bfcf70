import type { Call } from '../../http/call/call.ts'
import type { Sent } from '../live/feed.ts'
import { toSent } from '../live/recent.ts'
import { maxListedRejections, type Parsed, type RefusedEvent } from '../parsed.ts'
import { maskBody } from './mask-keys.ts'
import { contentTypes, sliceEvents } from './slice-events.ts'

/** What is known of a body of which events are refused. */
export type SentBody = {
  readonly sent: Sent
  /** Whether its `Content-Encoding` is undone. */
  readonly isDecoded: boolean
  /** Refused events by their position in the request, as far as they can be told from the others. */
  readonly events: ReadonlyMap<number, RefusedEvent>
}

const bodies = new WeakMap<Call<unknown>, SentBody>()

const none: ReadonlyMap<number, RefusedEvent> = new Map()

/** Keeps the beginning of a body that may be refused, without keys. A copy: its memory is used again. */
export const keepSent = (call: Call<unknown>, body: Uint8Array, isDecoded = true): void =>
  void bodies.set(call, { sent: maskBody(call.operationId, toSent(body), isDecoded), isDecoded, events: none })

/** The same of a body of which a part is refused, and each event of that part. */
export const keepPartlySent = (call: Call<unknown>, body: Uint8Array, parsed: Parsed): void =>
  void bodies.set(call, {
    sent: bodies.get(call)?.sent ?? maskBody(call.operationId, toSent(body), true),
    isDecoded: true,
    events: new Map(
      Array.from(findEvents(body, parsed), ([index, { sent, contentType }]) => [
        index,
        { sent: maskBody(call.operationId, sent, true), contentType },
      ]),
    ),
  })

/** What {@link keepSent} has kept. */
export const sentBodyOf = (call: Call<unknown>): SentBody | undefined => bodies.get(call)

const findEvents = (
  body: Uint8Array,
  { format, body: kept, rejections }: Parsed,
): ReadonlyMap<number, RefusedEvent> => {
  if (rejections.sent.size > 0) return rejections.sent
  // A body that was written anew has the good events alone.
  if (kept.length !== body.length || format === 'thrift') return none
  const events = new Map<number, RefusedEvent>()
  for (const { index, bytes } of sliceEvents({ format, body }, rejections.indexes.slice(0, maxListedRejections)))
    events.set(index, { sent: toSent(bytes()), contentType: contentTypes[format] })
  return events
}
