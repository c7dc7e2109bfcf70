import { isUtf8 } from 'node:buffer'
import type { Api } from '../../spool/apis.ts'
import { type RefusedColumn, toRefusedName } from '../../spool/refused.ts'
import { createRefusedId } from '../../spool/refused-id.ts'
import { maxStoredBytes } from '../live/recent.ts'
import type { PieceHead, RefusedPiece, RefusedRequest } from './refused-request.ts'
import { commonHeaders } from './to-refused-request.ts'

/** Longest detail, in characters: it may quote what the client has sent. */
const maxDetailChars = 1_000

/** A refused event as it is stored; members without a value are left out. */
export type RefusedRow = { readonly [Column in RefusedColumn]?: string | number | boolean } & {
  readonly id: string
  readonly when: number
  readonly type: string
}

/** Whose the events are. */
export type RefusedFrom = { readonly api: Api; readonly peer: string }

/** The row of a refused piece. */
export const toRefusedRow = (
  { api, peer }: RefusedFrom,
  request: Omit<RefusedRequest, 'pieces'>,
  piece: RefusedPiece,
): RefusedRow => {
  const { code, detail, position, events, type, sent, contentType, eventIds, head, dates } = piece
  const { bytes, length } = sent ?? { bytes: undefined, length: 0 }
  const isCut = bytes !== undefined && bytes.length < length
  const isOwn = contentType !== undefined
  // What else is stored has the dates of its events in their own places.
  const isRedated = isOwn && isOfDoor(api)
  return {
    id: createRefusedId(request.receivedAt, type),
    kind: piece.isRest ? 'rest' : 'refused',
    when: request.receivedAt,
    api,
    peer,
    code,
    detail: detail.slice(0, maxDetailChars),
    ...(position === undefined ? {} : { position }),
    events,
    type,
    method: isOwn ? 'POST' : request.method,
    target: isRedated ? toEventTarget(head) : request.target,
    ...optional('contentType', contentType ?? request.contentType),
    ...optional('contentEncoding', isOwn ? undefined : request.contentEncoding),
    headers: JSON.stringify(isOwn ? withoutEnvelope(request.headers) : request.headers),
    ...optional('requestKey', request.key),
    ...optional('fingerprint', request.key === undefined ? undefined : request.fingerprint),
    bytes: length,
    isCut,
    isReplayable: !isCut && (isOwn || (position === undefined && request.target !== '' && hasContent(request, piece))),
    ...toSentMembers(bytes),
    ...optional('eventIds', eventIds && Buffer.from(eventIds).toString('base64')),
    ...optional('dates', isRedated && dates ? JSON.stringify(dates) : undefined),
    ...optional('sender', request.sender),
  }
}

/** Bytes as text where they are UTF-8, so that people can read them; what is cut may end within a character. */
export const toSentMembers = (bytes: Uint8Array | undefined): Pick<RefusedRow, 'sent' | 'sentBase64'> => {
  if (bytes === undefined) return {}
  for (let left = 0; left < (bytes.length < maxStoredBytes ? 1 : 4); left++) {
    const text = bytes.subarray(0, bytes.length - left)
    if (isUtf8(text)) return { sent: Buffer.from(text).toString('utf8') }
  }
  return { sentBase64: Buffer.from(bytes).toString('base64') }
}

const hasContent = ({ method }: Pick<RefusedRequest, 'method'>, { sent }: RefusedPiece): boolean =>
  method === 'GET' || sent !== undefined

const optional = <Name extends RefusedColumn>(name: Name, value: string | undefined): { [key in Name]?: string } =>
  value === undefined ? {} : ({ [name]: value } as { [key in Name]?: string })

/** A row as an event of JSON. */
export const toRowEvent = (row: RefusedRow): { readonly eventName: string; readonly payload: RefusedRow } => ({
  eventName: toRefusedName(row.type),
  payload: row,
})

/** Where events of the collector's own formats are sent. */
export const eventPath = '/rest/1.0/event'

/** The same with date and granularity: events of doors have them in other places. */
export const toEventTarget = (head: PieceHead | undefined): string => {
  if (head === undefined) return eventPath
  const { date, granularity } = head
  return `${eventPath}?${date === undefined ? '' : `date=${new Date(date).toISOString()}&`}gr=${granularity}`
}

/** Whether its requests are not those of the collector's own formats. */
const isOfDoor = (api: Api): boolean => !ownApis.has(api)

const ownApis: ReadonlySet<Api> = new Set([
  'POST_Json_API',
  'POST_Smile_API',
  'POST_Thrift_API',
  'POST_ThriftLegacy_API',
])

/** A single event is no longer a CloudEvent in binary mode, and has the members that its door made of other headers. */
const withoutEnvelope = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => commonHeaders.has(name)))
