/**
 * Ids of events, so that an event which is sent again counts once. An id means something within the events of one type that
 * one sender sends through one door; all of that is hashed, so that each takes as much memory, however long it is. The hashes
 * are in tables and in files of refused events: with `collector.event-ids.key` a reader of those cannot try ids.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
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

/** The secret of the setting; nothing prints what it is made of. */
export const toEventIdKey = (secret: string | undefined): KeyObject | undefined =>
  secret === undefined ? undefined : createSecretKey(secret, 'utf8')

/** Without a key it stays what it was before there was one: spools and tables have such ids. */
const digestOf = (key: KeyObject | undefined, text: string): Buffer =>
  key === undefined ? hash('sha256', text, 'buffer') : createHmac('sha256', key).update(text).digest()

/**
 * The ids of some of the events, as a batch has them; undefined where the sender gives them none.
 * @param events ascending by their index
 */
export const toEventIds = (
  { api, sender, idKey, parsed, replay }: Pick<Submission, 'api' | 'sender' | 'idKey' | 'parsed' | 'replay'>,
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
      (id === undefined ? undefined : digestOf(idKey, JSON.stringify([api, sender, name, id])))
    if (digest) packed.set(digest.subarray(0, eventIdBytes), position * eventIdBytes)
  }
  return packed
}
