import { isRecord } from '../is-record.ts'

/** A row of a refused event, or of a request of which nothing was kept, as its file has it: `src/spool/refused.ts`. */
export type RefusedRecord = {
  readonly id: string
  /** ms since the epoch. */
  readonly when: number
  readonly kind: string
  readonly code: string
  readonly detail: string
  /** Empty where it could not be read. */
  readonly type: string
  readonly peer: string
  readonly api: string
  readonly position: number | undefined
  readonly events: number
  readonly method: string
  readonly target: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly requestKey: string | undefined
  readonly bytes: number
  readonly isCut: boolean
  readonly isReplayable: boolean
  readonly sent: string | undefined
  readonly sentBase64: string | undefined
  readonly eventIds: string | undefined
  readonly fingerprint: string | undefined
  readonly dates: readonly number[] | undefined
  readonly sender: string | undefined
}

/** Values are those of any format of event files: a time is a number in some, and text in others. */
export const toRefusedRecord = (row: Readonly<Record<string, unknown>>): RefusedRecord => {
  // With an envelope the members stand in its payload.
  const members: Readonly<Record<string, unknown>> = isRecord(row['payload']) ? row['payload'] : row
  const text = (name: string): string | undefined =>
    typeof members[name] === 'string' && members[name] !== '' ? members[name] : undefined
  const when = members['when']
  return {
    id: text('id') ?? '',
    when: typeof when === 'string' ? Date.parse(when) : Number(when),
    kind: text('kind') ?? '',
    code: text('code') ?? '',
    detail: text('detail') ?? '',
    type: text('type') ?? '',
    peer: text('peer') ?? '',
    api: text('api') ?? '',
    position: toOptional(members['position']),
    events: Number(members['events'] ?? 1),
    method: text('method') ?? '',
    target: text('target') ?? '',
    contentType: text('contentType'),
    contentEncoding: text('contentEncoding'),
    headers: toHeaders(text('headers')),
    requestKey: text('requestKey'),
    bytes: Number(members['bytes'] ?? 0),
    isCut: members['isCut'] === true,
    isReplayable: members['isReplayable'] === true,
    sent: text('sent'),
    sentBase64: text('sentBase64'),
    eventIds: text('eventIds'),
    fingerprint: text('fingerprint'),
    dates: toNumbers(text('dates')),
    sender: text('sender'),
  }
}

/**
 * Under which it counts once, however often it is sent in: by its sender, too, where that sends the whole request again. An event
 * of a request that is not stored as a whole has the same key whichever try of its sender it was refused in.
 */
export const replayKeyOf = ({ id, requestKey, fingerprint, position }: RefusedRecord): string => {
  if (requestKey === undefined) return `${ownKeyMark}${id}`
  return position === undefined ? requestKey : `${ownKeyMark}${requestKey}:${fingerprint ?? id}:${position}`
}

/** Begins keys of the server's own. No header can have this first character, and so no sender's key is one of them. */
const ownKeyMark = '\u0000replay:'

/** Ids of its events as they were hashed when they came; undefined where they have none. */
export const eventIdsOf = ({ eventIds }: RefusedRecord): Uint8Array | undefined =>
  eventIds === undefined ? undefined : Buffer.from(eventIds, 'base64')

/** Why it cannot be sent in again, in words; undefined where it can be. */
export const whyNotReplayable = ({ isReplayable, isCut, api, position }: RefusedRecord): string | undefined => {
  if (isReplayable) return undefined
  if (isCut) return 'only its beginning is stored; ask its sender to send it again'
  if (api === 'SCRIBE_API') return 'an entry of a Scribe call that is no event; ask its sender to send it again'
  if (position === undefined) return 'nothing of what was sent is stored; ask its sender to send it again'
  return 'its sender’s format has no form for one event alone; export it, fix it, and send it as JSON'
}

const toOptional = (value: unknown): number | undefined =>
  value === undefined || value === null || value === '' ? undefined : Number(value)

const toNumbers = (text: string | undefined): readonly number[] | undefined => {
  const value: unknown = text === undefined ? undefined : JSON.parse(text)
  return Array.isArray(value) ? value.map(Number) : undefined
}

const toHeaders = (text: string | undefined): Readonly<Record<string, string>> => {
  const value: unknown = text === undefined ? {} : JSON.parse(text)
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)])) : {}
}
