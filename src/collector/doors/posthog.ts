/**
 * PostHog: events of its SDKs, at `/batch/`, `/capture/`, `/e/` and `/i/v0/e/`: one, an array, or a batch.
 *
 * | PostHog | Sluice |
 * |---|---|
 * | `event` | name |
 * | `timestamp` | date; never corrected by `sent_at`, which is another at each try |
 * | `uuid` | identity |
 */
import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { SluiceError } from '../../errors.ts'
import { isObject } from '../../formats/members.ts'
import { parseIsoDate } from '../parsers/iso-date.ts'
import { jsonAnswer } from './door-answers.ts'
import { type DoorEvents, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'

const toHead: DoorEvents['toHead'] = ({ event, timestamp, uuid, properties }) => {
  if (typeof event !== 'string' || event === '') return 'event is missing; expected its name'
  const date = typeof timestamp === 'string' ? parseIsoDate(timestamp) : undefined
  const key = isObject(properties) ? properties['token'] : undefined
  return { name: toEventName(event, 'event'), date, id: toId(uuid), ...(typeof key === 'string' ? { key } : {}) }
}

/** JSON, whatever is said of its type: plain, by gzip without a header that says so, or in base64 as a field of a form. */
const toJson = (body: Buffer): Buffer => {
  if (body[0] === 0x1f && body[1] === 0x8b) return inflate(body)
  if (!body.subarray(0, formField.length).equals(formField)) return body
  const encoded = new URLSearchParams(body.toString('latin1')).get('data') ?? ''
  // A plus that was not escaped became a space.
  const bytes = Buffer.from(encoded.replaceAll(' ', '+'), 'base64')
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? inflate(bytes) : bytes
}

const formField = Buffer.from('data=')

const inflate = (bytes: Buffer): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxHiddenBytes })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      const hint = 'longer ones need the header Content-Encoding'
      throw new SluiceError('too-large', `The body inflates to more than ${maxHiddenBytes} bytes; ${hint}`, { cause })
    }
    throw new SluiceError('bad-request', 'The body is not a complete gzip stream', { cause })
  }
}

/** Browsers send far less, and it inflates at once. */
const maxHiddenBytes = 4 * 1024 * 1024

/** Events of its SDKs. */
export const posthog = createDoorFormat({
  door: 'posthog',
  api: 'POST_PostHog_API',
  mediaTypes: [],
  hasKeyInBody: true,
  // The one for browsers drops what gets any 4xx. 413 stays: that for Node halves its batches then.
  refusals: { statuses: { 408: 503, 429: 503 } },
  toJson,
  events: {
    forms: { one: true, array: true, lists: [{ name: 'batch' }] },
    keys: ['api_key', 'token', 'properties.token'],
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
