/**
 * PostHog: events of its SDKs, at `/batch/`, `/capture/`, `/e/` and `/i/v0/e/`: one, an array, or a batch.
 *
 * | PostHog | Sluice |
 * |---|---|
 * | `event` | name |
 * | `timestamp` | date; never corrected by `sent_at`, which is another at each try |
 * | `uuid` | identity |
 */
import { parseIsoDate } from '../parsers/iso-date.ts'
import { jsonAnswer } from './door-answers.ts'
import { type DoorEvents, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'
import { findJson } from './hidden-json.ts'

const toHead: DoorEvents['toHead'] = ({ event, timestamp, uuid }) => {
  if (typeof event !== 'string' || event === '') return 'event is missing; expected its name'
  const date = typeof timestamp === 'string' ? parseIsoDate(timestamp) : undefined
  return { name: toEventName(event, 'event'), date, id: toId(uuid) }
}

/** Events of its SDKs. */
export const posthog = createDoorFormat({
  door: 'posthog',
  api: 'POST_PostHog_API',
  mediaTypes: [],
  keys: ['api_key', 'token', 'properties.token'],
  // The one for browsers drops what gets any 4xx. 413 stays: that for Node halves its batches then.
  refusals: { statuses: { 408: 503, 429: 503 } },
  toJson: body => findJson(body).json,
  events: {
    forms: { one: true, array: true, lists: [{ name: 'batch' }] },
    toHead,
    answers: { accepted: () => jsonAnswer(200, { status: 'Ok' }) },
  },
})

/** What SDKs hear that ask for feature flags: there are no flags, and nothing is wrong. */
export const noFlags = (): Response =>
  jsonAnswer(200, {
    flags: {},
    featureFlags: {},
    featureFlagPayloads: {},
    errorsWhileComputingFlags: false,
    sessionRecording: false,
    supportedCompression: ['gzip', 'gzip-js', 'base64'],
    isAuthenticated: false,
    toolbarParams: {},
    config: {},
  })
