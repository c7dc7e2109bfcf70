/**
 * Snowplow trackers: events as JSON at `/com.snowplowanalytics.snowplow/tp2`, or one in the query of `/i`.
 *
 * | tracker protocol | Sluice |
 * |---|---|
 * | the schema's name in `ue_px` or `ue_pr`, else the word for `e` | name |
 * | `ttm`, else `dtm` | date; never `stm`, which is another at each try |
 * | `eid` | identity |
 * | the cookie `sp` | `nuid` of the payload, as their collector has it |
 */
import { Buffer, isUtf8 } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { createFixedResponse } from '../../http/answers/fixed-response.ts'
import type { BodyDefaults } from '../formats/intake-format.ts'
import { toEventDate } from '../parsers/event-date.ts'
import { type DoorEvents, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'
import { intakeHeaders } from './intake-headers.ts'
import type { DoorRefusals } from './refusals.ts'

/** What events are called by their `e`, apart from self-describing ones. */
const names: Readonly<Record<string, string>> = {
  pv: 'page_view',
  pp: 'page_ping',
  se: 'struct',
  tr: 'transaction',
  ti: 'transaction_item',
  ue: 'unstruct',
}

const toHead: DoorEvents['toHead'] = ({ e, eid, ttm, dtm, ue_px: encoded, ue_pr: plain }) => {
  if (typeof e !== 'string' || e === '') return 'e is missing; expected the type of the event'
  const fallback = Object.hasOwn(names, e) ? (names[e] ?? e) : toEventName(e, 'unknown')
  const name = e === 'ue' ? toEventName(schemaName(encoded, plain), fallback) : fallback
  const date = [ttm, dtm].find(one => typeof one === 'string' && one !== '')
  return { name, date: typeof date === 'string' ? toEventDate(date) : undefined, id: toId(eid) }
}

/** The name in the schema of a self-describing event, `iglu:com.acme/ad_click/jsonschema/1-0-0`. */
const schemaName = (encoded: unknown, plain: unknown): string | undefined => {
  const text = typeof plain === 'string' ? plain : typeof encoded === 'string' ? decodeBase64(encoded) : undefined
  // The outer schema says that it is such an event; the inner one which.
  const [, name] = /"data"\s*:\s*\{[^{}]*?"schema"\s*:\s*"iglu:[^"/]+\/([^"/]+)\//.exec(text ?? '') ?? []
  return name
}

const decodeBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8')

const toEvents = ({ call }: BodyDefaults, succeed: (headers: Readonly<Record<string, string>>) => Response) => {
  const isAnonymous = call.header('sp-anonymous') !== undefined
  const [, known] = /(?:^|;)\s*sp=([\w-]{1,64})\s*(?:;|$)/.exec(call.header('cookie') ?? '') ?? []
  const nuid = isAnonymous ? undefined : (known ?? crypto.randomUUID())
  // Browsers send it from pages of other origins only where it says so, over TLS.
  const sameSite = call.secure ? '; SameSite=None; Secure' : ''
  const cookie = nuid === undefined ? {} : { 'set-cookie': `sp=${nuid}; Max-Age=31536000; Path=/; HttpOnly${sameSite}` }
  return {
    toHead,
    more: nuid === undefined ? {} : { nuid: JSON.stringify(nuid) },
    answers: { accepted: () => succeed({ ...intakeHeaders, ...cookie }) },
  }
}

/**
 * Trackers repeat a refused request endlessly, and send nothing after it, except after 400, 401, 403, 410 and 422: what
 * will never be taken must not hold up all other events.
 */
const refusals: DoorRefusals = { statuses: { 413: 400, 414: 400, 415: 400 } }

/** Who a visitor is, and whether that may be known. */
const kept = { headers: ['sp-anonymous'], cookies: ['sp'] }

/** Events in a body. */
export const snowplow = createDoorFormat({
  door: 'snowplow',
  api: 'Snowplow_API',
  mediaTypes: [],
  ...kept,
  refusals,
  events: defaults => ({
    forms: { lists: [{ name: 'data' }] },
    ...toEvents(defaults, headers => createFixedResponse(200, { ...headers, 'content-type': 'text/plain' }, 'ok')),
  }),
})

/** The smallest GIF: a transparent pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** A part of a query, of which Node has a character for each byte. @throws SluiceError `bad-event`: what it says cannot be known */
const decodePart = (text: string): string => {
  const bytes = Buffer.from(text.replaceAll('+', ' '), 'latin1')
  try {
    if (isUtf8(bytes)) return decodeURIComponent(bytes.toString('utf8'))
  } catch {
    // An escape is malformed.
  }
  throw new SluiceError('bad-event', 'The query is not percent-encoded UTF-8')
}

/** One event in a query. */
export const snowplowPixel = createDoorFormat({
  door: 'snowplow',
  api: 'Snowplow_API',
  mediaTypes: [],
  ...kept,
  refusals,
  toJson: (_, { call }) => {
    const [, query = ''] = call.target.split(/\?(.*)/s, 2)
    const fields = new Map<string, string>()
    for (const pair of query.split('&')) {
      const [name = '', value = ''] = pair.split(/=(.*)/s, 2).map(decodePart)
      // Of a repeated one the first counts, as everywhere.
      if (pair !== '' && !fields.has(name)) fields.set(name, value)
    }
    return Buffer.from(JSON.stringify(Object.fromEntries(fields)))
  },
  events: defaults => ({
    forms: { one: true },
    ...toEvents(defaults, headers => new Response(pixel, { headers: { ...headers, 'content-type': 'image/gif' } })),
  }),
})
