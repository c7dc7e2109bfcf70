import { isRecord } from '../is-record.ts'
import { eventIdBytes } from '../spool/event-ids.ts'
import { toOwnKey } from '../spool/own-key.ts'
import type { RefusedColumn } from '../spool/refused.ts'
import { timeOfRefusedId } from '../spool/refused-id.ts'

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
  /** Columns of which the row has something, but nothing that can be read. */
  readonly damaged: readonly RefusedColumn[]
}

/** Values are those of any format of event files: a time is a number in some, and text in others. */
export const toRefusedRecord = (row: Readonly<Record<string, unknown>>): RefusedRecord => {
  // With an envelope the members are in its payload.
  const members: Readonly<Record<string, unknown>> = isRecord(row['payload']) ? row['payload'] : row
  const damaged: RefusedColumn[] = []
  const text = (name: RefusedColumn): string | undefined =>
    typeof members[name] === 'string' && members[name] !== '' ? members[name] : undefined
  const number = (name: RefusedColumn): number | undefined => {
    const value = members[name]
    return value === undefined || value === null || value === '' ? undefined : Number(value)
  }
  /** What a column holds as text; where that cannot be read, the row is shown without it. */
  const parsed = <T>(name: RefusedColumn, parse: (text: string) => T | undefined): T | undefined => {
    const stored = text(name)
    const value = stored === undefined ? undefined : parse(stored)
    if (stored !== undefined && value === undefined) damaged.push(name)
    return value
  }
  const id = text('id') ?? ''
  return {
    id,
    when: toMoment(members['when']) ?? timeOfRefusedId(id) ?? 0,
    kind: text('kind') ?? '',
    code: text('code') ?? '',
    detail: text('detail') ?? '',
    type: text('type') ?? '',
    peer: text('peer') ?? '',
    api: text('api') ?? '',
    position: number('position'),
    events: number('events') ?? 1,
    method: text('method') ?? '',
    target: text('target') ?? '',
    contentType: text('contentType'),
    contentEncoding: text('contentEncoding'),
    headers: parsed('headers', parseHeaders) ?? {},
    requestKey: text('requestKey'),
    bytes: number('bytes') ?? 0,
    isCut: members['isCut'] === true,
    isReplayable: members['isReplayable'] === true,
    sent: text('sent'),
    sentBase64: text('sentBase64'),
    eventIds: parsed('eventIds', parseEventIds),
    fingerprint: text('fingerprint'),
    dates: parsed('dates', parseDates),
    sender: text('sender'),
    damaged,
  }
}

/**
 * Under which it counts once, however often it is sent in: by its sender, too, where that sends the whole request again. An event
 * of a request that is not stored as a whole has the same key whichever try of its sender it was refused in.
 */
export const replayKeyOf = ({ id, requestKey, fingerprint, position }: RefusedRecord): string => {
  if (requestKey === undefined) return toOwnKey(`replay:${id}`)
  return position === undefined ? requestKey : toOwnKey(`replay:${requestKey}:${fingerprint ?? id}:${position}`)
}

/** Ids of its events as they were hashed on arrival; undefined without ids. */
export const eventIdsOf = ({ eventIds }: RefusedRecord): Uint8Array | undefined =>
  eventIds === undefined ? undefined : Buffer.from(eventIds, 'base64')

/** Why it cannot be sent in again, in words; undefined where it can be. */
export const whyNotReplayable = (record: RefusedRecord): string | undefined => {
  const { isReplayable, isCut, api, position, damaged } = record
  if (damaged.length > 0) return `its row is damaged (${damaged.join(', ')}); ask its sender to send it again`
  if (isReplayable) return undefined
  if (isCut) return 'only its beginning is stored; ask its sender to send it again'
  if (api === 'SCRIBE_API') return 'an entry of a Scribe call that is no event; ask its sender to send it again'
  if (position === undefined) return 'nothing of what was sent is stored; ask its sender to send it again'
  return 'its sender’s format has no form for one event alone; export it, fix it, and send it as JSON'
}

const toMoment = (value: unknown): number | undefined => {
  const moment = typeof value === 'string' ? Date.parse(value) : Number(value ?? Number.NaN)
  return Number.isNaN(moment) ? undefined : moment
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const parseHeaders = (text: string): Readonly<Record<string, string>> | undefined => {
  const value = parseJson(text)
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]))
    : undefined
}

const parseDates = (text: string): readonly number[] | undefined => {
  const value = parseJson(text)
  return Array.isArray(value) && value.every(Number.isFinite) ? value.map(Number) : undefined
}

/** Each has this many bytes. */
const parseEventIds = (text: string): string | undefined =>
  Buffer.from(text, 'base64').length % eventIdBytes === 0 ? text : undefined
