import { isRefusedCaller } from '../../http/auth/auth.ts'
import type { Call } from '../../http/call/call.ts'
import type { Sent } from '../live/feed.ts'
import { toSent } from '../live/recent.ts'
import { maxListedRejections, type Parsed, type RefusedEvent } from '../parsed.ts'
import { findKey, maskBody } from './mask-keys.ts'
import { contentTypes, sliceEvents } from './slice-events.ts'

/** What is known of a body of which events are refused. */
export type SentBody = {
  /** Without keys. */
  readonly sent: Sent
  /** The key that it says. */
  readonly key: string | undefined
  /** Whether its `Content-Encoding` is undone. */
  readonly isDecoded: boolean
  /** Refused events by their position in the request, as far as they can be separated from the others. */
  readonly events: ReadonlyMap<number, RefusedEvent>
}

/** Keys are searched on demand: most of what is kept is accepted then. */
const bodies = new WeakMap<Call<unknown>, () => SentBody>()

const none: ReadonlyMap<number, RefusedEvent> = new Map()

/**
 * Keeps the beginning of a body that may be refused. A copy: its memory is used again.
 * @param length of all of it
 */
export const keepSent = (
  call: Call<unknown>,
  body: Uint8Array,
  isDecoded = true,
  length: number = body.length,
): void => {
  const sent = { ...toSent(body), length }
  bodies.set(call, () => ({ ...withoutKey(call, sent, isDecoded), isDecoded, events: none }))
}

/**
 * Keeps the same of a body that is refused.
 * @param error with which it is; of a caller that is refused nothing is kept, and what was is forgotten
 */
export const keepRefused = (
  call: Call<unknown>,
  body: Uint8Array | undefined,
  error: unknown,
  isDecoded = true,
): void => {
  if (isRefusedCaller(error)) bodies.delete(call)
  else if (body !== undefined) keepSent(call, body, isDecoded)
}

/** The same of a body of which a part is refused, and each event of that part. */
export const keepPartlySent = (call: Call<unknown>, body: Uint8Array, parsed: Parsed): void => {
  const kept = bodies.get(call)
  const sent = kept === undefined ? toSent(body) : undefined
  const found = findEvents(body, parsed)
  bodies.set(call, () => ({
    ...((sent === undefined ? kept?.() : undefined) ?? withoutKey(call, sent ?? nothing, true)),
    isDecoded: true,
    events: new Map(
      Array.from(found, ([index, event]) => [index, { ...event, sent: maskBody(call.operationId, event.sent, true) }]),
    ),
  }))
}

const nothing: Sent = { bytes: new Uint8Array(), length: 0 }

const withoutKey = (call: Call<unknown>, sent: Sent, isDecoded: boolean): Pick<SentBody, 'sent' | 'key'> => ({
  sent: maskBody(call.operationId, sent, isDecoded),
  key: isDecoded ? findKey(call.operationId, sent) : undefined,
})

/** What {@link keepSent} has kept. */
export const sentBodyOf = (call: Call<unknown>): SentBody | undefined => {
  const made = bodies.get(call)?.()
  if (made !== undefined) bodies.set(call, () => made)
  return made
}

const findEvents = (
  body: Uint8Array,
  { format, body: kept, rejections }: Parsed,
): ReadonlyMap<number, RefusedEvent> => {
  if (rejections.sent.size > 0) return rejections.sent
  // A rewritten body has only the good events.
  if (kept.length !== body.length || format === 'thrift') return none
  const events = new Map<number, RefusedEvent>()
  for (const { index, bytes } of sliceEvents({ format, body }, rejections.indexes.slice(0, maxListedRejections)))
    events.set(index, { sent: toSent(bytes()), contentType: contentTypes[format] })
  return events
}
