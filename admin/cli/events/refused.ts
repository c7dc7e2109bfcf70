/** Refused events: read by the gateway, where they are files, and sent again to the collector. */

import { GatewayError } from '../../../clients/gateway/error.ts'
import { readListing } from '../../../clients/gateway/read-rows.ts'
import { isRecord } from '../../../src/is-record.ts'
import { encodeEventName } from '../../../src/spool/bucket.ts'
import { refusedDirectory, toRefusedName } from '../../../src/spool/refused.ts'
import { CliError } from '../command/failure.ts'
import type { GatewayCalls } from '../files/gateway.ts'

/** A refused event, or a request of which nothing was kept. */
export type RefusedEventRow = {
  readonly id: string
  /** ms since the epoch. */
  readonly when: number
  readonly kind: string
  readonly code: string
  readonly detail: string
  readonly type: string
  readonly peer: string
  readonly api: string
  readonly position: number | undefined
  readonly events: number
  readonly method: string
  readonly target: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly headers: string
  readonly requestKey: string | undefined
  readonly bytes: number
  readonly isCut: boolean
  readonly isReplayable: boolean
  readonly sent: string | undefined
  readonly sentBase64: string | undefined
}

/** Which refused events are looked for. */
export type RefusedFilter = {
  /** Event names; `_unknown` for those that could not be read. Empty for all. */
  readonly types: readonly string[]
  readonly code?: string | undefined
  /** ms since the epoch. */
  readonly since?: number | undefined
  /** Empty for all. */
  readonly ids?: readonly string[]
}

/** Those in the files, in the order of the files. @param directory of all event types */
export async function* readRefused(
  gateway: GatewayCalls,
  directory: string,
  { types, code, since = 0, ids = [] }: RefusedFilter,
): AsyncGenerator<RefusedEventRow, void, undefined> {
  const root = directory === '/' ? '' : directory
  const names = types.map(type => encodeEventName(toRefusedName(type === '_unknown' ? '' : type)))
  for (const name of names.length === 0 ? [refusedDirectory] : names) {
    try {
      for await (const { kind, text } of readListing(gateway, { path: `${root}/${name}`, recursive: true })) {
        const value: unknown = JSON.parse(text)
        if (!isRecord(value)) continue
        if (kind === 'entry') checkReadable(value)
        if (kind !== 'row') continue
        const one = toRefused(value)
        if (one.when < since || (code !== undefined && one.code !== code)) continue
        if (ids.length === 0 || ids.includes(one.id)) yield one
      }
    } catch (error) {
      // Nothing was ever refused, or nothing of this type.
      if (!isMissing(error)) throw error
    }
  }
}

/** @throws CliError `unreadable` of a damaged file */
const checkReadable = ({ path, error }: Readonly<Record<string, unknown>>): void => {
  if (error !== undefined) throw new CliError(`${toWord(path)}: ${toWord(error)}`, { code: 'unreadable' })
}

const isMissing = (error: unknown): boolean =>
  (error instanceof GatewayError || error instanceof CliError) && error.code === 'not-found'

/** Values are those of any format of event files: a time is a number in some, and text in others. */
const toRefused = (row: Readonly<Record<string, unknown>>): RefusedEventRow => {
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
    headers: text('headers') ?? '{}',
    requestKey: text('requestKey'),
    bytes: Number(members['bytes'] ?? 0),
    isCut: members['isCut'] === true,
    isReplayable: members['isReplayable'] === true,
    sent: text('sent'),
    sentBase64: text('sentBase64'),
  }
}

const toOptional = (value: unknown): number | undefined =>
  value === undefined || value === null || value === '' ? undefined : Number(value)

/** What became of a refused event that was sent again. */
export type ReplayOutcome = {
  readonly id: string
  /** `accepted`: it is in, by this call or an earlier one; `superseded`: its sender has sent something else in its place. */
  readonly outcome: 'accepted' | 'refused' | 'superseded' | 'not-replayable'
  readonly detail: string
}

/**
 * Sends a refused event in again, as it was, with its old date. It counts once however often this is called, and also when its
 * sender sends the request again: both have the same key.
 * @throws CliError `unreachable`, or what the collector says where it takes nothing now
 */
export const replay = async (collector: GatewayCalls, row: RefusedEventRow): Promise<ReplayOutcome> => {
  const { id, isReplayable, method, target } = row
  if (!isReplayable)
    return { id, outcome: 'not-replayable', detail: row.isCut ? 'it is not stored in full' : 'it cannot be told apart' }
  const { pathname, searchParams } = new URL(target, 'http://localhost')
  const query = Object.fromEntries(searchParams)
  const isDated = hasDate(pathname) && query['date'] === undefined
  const dated = isDated ? { ...query, date: new Date(row.when).toISOString() } : query
  const sent = { method, headers: toHeaders(row, isDated), ...(method === 'POST' ? { body: toBody(row) } : {}) }
  const response = await collector.send(pathname, dated, sent)
  const problem: unknown = await response.json().catch(() => undefined)
  const told = isRecord(problem) ? problem : {}
  const detail = toWord(told['detail'] ?? firstDetail(told['errors']))
  if (response.status === 422 && told['code'] === 'key-reused') return { id, outcome: 'superseded', detail }
  if (isContentStatus(response.status)) return { id, outcome: 'refused', detail }
  if (!response.ok)
    throw new CliError(`The collector answers ${response.status}: ${detail}`, { code: toWord(told['code']) })
  const isRefused = Number(told['rejected'] ?? 0) > 0 && Number(told['accepted'] ?? 0) === 0
  return { id, outcome: isRefused ? 'refused' : 'accepted', detail }
}

const hasDate = (path: string): boolean => ['/rest/1.0/event', '/1', '/2'].includes(path)

const isContentStatus = (status: number): boolean => status === 400 || status === 415 || status === 422

const toHeaders = (
  { id, headers, contentType, contentEncoding, requestKey, position }: RefusedEventRow,
  isDated: boolean,
) => ({
  ...toTexts(JSON.parse(headers)),
  ...(contentType === undefined ? {} : { 'content-type': contentType }),
  ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
  // A request as a whole is the one that its sender may send again.
  'idempotency-key': requestKey !== undefined && position === undefined ? requestKey : `replay:${id}`,
  'sluice-replay': isDated ? `${id} dated` : id,
})

const toTexts = (value: unknown): Record<string, string> =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)])) : {}

const toBody = ({ sent, sentBase64 }: RefusedEventRow): Uint8Array<ArrayBuffer> =>
  sentBase64 === undefined ? new TextEncoder().encode(sent ?? '') : Uint8Array.from(Buffer.from(sentBase64, 'base64'))

const firstDetail = (errors: unknown): unknown =>
  Array.isArray(errors) && isRecord(errors[0]) ? errors[0]['detail'] : undefined

const toWord = (value: unknown): string => (typeof value === 'string' ? value : '')
