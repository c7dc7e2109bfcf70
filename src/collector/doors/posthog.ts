/**
 * PostHog: events of its SDKs, at `/batch/`, `/capture/`, `/e/` and `/i/v0/e/`: one, an array, or a batch.
 *
 * | PostHog | Sluice |
 * |---|---|
 * | `event` | name |
 * | `timestamp`, else the time in a `uuid` of version 7 | date; never corrected by `sent_at` or `offset`, which count from each sending |
 * | `uuid` | identity |
 */
import { toEventDate } from '../parsers/event-date.ts'
import { parseIsoDate } from '../parsers/iso-date.ts'
import { jsonAnswer } from './door-answers.ts'
import { type DoorEvents, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'
import { findJson } from './hidden-json.ts'

const toHead: DoorEvents['toHead'] = ({ event, timestamp, uuid }) => {
  if (typeof event !== 'string' || event === '') return 'event is missing; expected its name'
  const id = toId(uuid)
  const date = (typeof timestamp === 'string' ? parseIsoDate(timestamp) : undefined) ?? timeOf(id)
  return { name: toEventName(event, 'event'), date, id }
}

/** When a UUID of version 7 was made (RFC 9562, section 5.7): the SDK for browsers sends no `timestamp`. */
const timeOf = (uuid = ''): number | undefined => {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.exec(uuid) ?? []
  return high === undefined ? undefined : toEventDate(Number.parseInt(`${high}${low}`, 16))
}

const success = jsonAnswer({ status: 'Ok' })

/** Events of its SDKs. */
export const posthog = createDoorFormat({
  door: 'posthog',
  api: 'POST_PostHog_API',
  mediaTypes: [],
  keys: ['api_key', 'token', 'properties.token'],
  // The one for browsers drops what gets any 4xx. 413 stays: that for Node halves its batches then.
  refusals: { statuses: { 408: 503, 429: 503 } },
  toJson: body => findJson(body),
  events: {
    forms: { one: true, array: true, lists: [{ name: 'batch' }] },
    toHead,
    answers: { accepted: () => success },
  },
})
