import type { Api } from '../../spool/apis.ts'
import { type Envelope, nameAndPayload } from '../parsers/envelope.ts'
import { parseJsonEvents } from '../parsers/json.ts'
import { toUtf8Json } from '../parsers/json-text.ts'
import { parseLongJson } from '../parsers/long-json.ts'
import type { IntakeFormat } from './intake-format.ts'

/**
 * A format of JSON values. They are stored as sent, so each event has its fields in a member `payload`; what else is in an
 * event is for the envelope to know.
 */
export const createJsonFormat = (api: Api, mediaTypes: readonly string[], envelope: Envelope): IntakeFormat => ({
  api,
  mediaTypes,
  parameters: 'date',
  short: (body, defaults) => parseJsonEvents(body, defaults, envelope),
  long: async (body, defaults, { turns, inspect, addBytes }) =>
    parseLongJson(await toUtf8Json(body, turns, addBytes), defaults, turns, inspect?.('json'), envelope),
})

/** Envelopes `{"eventName": …, "payload": {…}}`; `text/plain` is what a page may post anywhere, by `navigator.sendBeacon`. */
export const json = createJsonFormat('POST_Json_API', ['application/json', 'text/plain'], nameAndPayload)
