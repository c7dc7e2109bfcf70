/**
 * Ids of events, so that an event which is sent again counts once. An id means something within the events of one type that
 * one sender sends through one door; all of that is hashed, so that each takes as much memory, however long it is.
 */
import { hash } from 'node:crypto'
import type { Identity } from '../../http/call/call.ts'
import type { EventHead } from '../../spool/batch.ts'
import { eventIdBytes } from '../../spool/event-ids.ts'
import type { Submission } from './submission.ts'

/**
 * The owner of the ids: a token or rule, also when it has a new secret; else the key that the sender gives. Never an
 * address: a retry comes from another one if the sender moves, or is behind NAT or proxies, and many senders may share
 * one address. So all without token and key share one space of ids; these are made to be globally unique.
 */
export const toSender = (caller: Identity | undefined, key: string | undefined): string => {
  const named = caller === undefined || caller.isClaimed === true ? [key] : [caller.name, caller.subject ?? '']
  const text = JSON.stringify(named)
  const known = senders.get(text)
  if (known !== undefined) return known
  const made = hash('sha256', text, 'base64url')
  if (text.length <= maxKeptChars && senders.size < maxKeptSenders) senders.set(text, made)
  return made
}

/** Most requests are those of a few. A key that is not checked may be as long as a body. */
const senders = new Map<string, string>()
const maxKeptSenders = 1_000
const maxKeptChars = 1_000

/**
 * The ids of some of the events, as a batch has them; undefined where the sender gives them none.
 * @param events ascending by their index
 */
export const toEventIds = (
  { api, sender, parsed, replay }: Pick<Submission, 'api' | 'sender' | 'parsed' | 'replay'>,
  events: readonly EventHead[],
): Uint8Array | undefined => {
  const { ids } = parsed
  const hashed = replay?.eventIds?.length === parsed.events.length * eventIdBytes ? replay.eventIds : undefined
  if (hashed === undefined && (ids === undefined || ids.every(id => id === undefined))) return undefined
  const packed = new Uint8Array(events.length * eventIdBytes)
  let from = 0
  for (const [position, { index, name }] of events.entries()) {
    while ((parsed.events[from]?.index ?? index) < index) from++
    const id = ids?.[from]
    const digest =
      hashed?.subarray(from * eventIdBytes) ??
      (id === undefined ? undefined : hash('sha256', JSON.stringify([api, sender, name, id]), 'buffer'))
    if (digest) packed.set(digest.subarray(0, eventIdBytes), position * eventIdBytes)
  }
  return packed
}
