/**
 * Logs of OpenTelemetry (OTLP/HTTP 1.10) at `/v1/logs`, as JSON or Protocol Buffers. The payload is the log record in OTLP's
 * JSON, with `resource` and `scope`.
 *
 * | OTLP | Sluice |
 * |---|---|
 * | `eventName`, else `log` | name |
 * | `timeUnixNano`, else `observedTimeUnixNano` | date |
 */
import type { ProblemDetails } from '../../errors.ts'
import type { Outcome } from '../../spool/batch.ts'
import { toEventDate } from '../parsers/event-date.ts'
import { jsonAnswer } from './door-answers.ts'
import type { DoorEvents } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'
import { intakeHeaders } from './intake-headers.ts'
import { exportLogs } from './otlp-messages.ts'
import { protobufToJson } from './protobuf-json.ts'
import type { RefusalContent } from './refusals.ts'

const toHead: DoorEvents['toHead'] = ({ eventName, timeUnixNano, observedTimeUnixNano }) => ({
  name: toEventName(eventName, 'log'),
  date: toDate(timeUnixNano) ?? toDate(observedTimeUnixNano),
})

/** Nanoseconds, as text where JSON has them; 0 is an unknown time. */
const toDate = (nanos: unknown): number | undefined => {
  const text = typeof nanos === 'string' || typeof nanos === 'number' || typeof nanos === 'bigint' ? String(nanos) : ''
  return /^\d{7,25}$/.test(text) ? toEventDate(Number(text.slice(0, -6))) : undefined
}

const isProtobuf = (contentType = ''): boolean => /^\s*application\/(?:x-)?protobuf\s*(?:;|$)/i.test(contentType)

/** `ExportLogsServiceResponse`, in the form of the request. */
const toAnswer = ({ rejected, errors }: Outcome, contentType: string | undefined): Response => {
  const errorMessage = (errors[0]?.detail ?? '').slice(0, 1_000)
  if (!isProtobuf(contentType)) {
    const partialSuccess = rejected === 0 ? {} : { rejectedLogRecords: String(rejected), errorMessage }
    return jsonAnswer({ partialSuccess })
  }
  const headers = { ...intakeHeaders, 'content-type': protobufType }
  if (rejected === 0) return new Response(null, { headers })
  const partial = [0x08, ...varint(rejected), ...textField(errorMessage)]
  return new Response(Uint8Array.from([0x0a, ...varint(partial.length), ...partial]), { headers })
}

/** `google.rpc.Status`, in the form of the request; exporters look at the HTTP status, and show the message. */
const toContent = ({ title, detail = title }: ProblemDetails, contentType: string | undefined): RefusalContent => {
  const message = detail.slice(0, 1_000)
  return isProtobuf(contentType)
    ? { type: protobufType, body: Uint8Array.from(textField(message)) }
    : { type: 'application/json', body: JSON.stringify({ message }) }
}

const protobufType = 'application/x-protobuf'

/** The second field of a message, which is a text. */
const textField = (text: string): readonly number[] => {
  const bytes = Buffer.from(text)
  return [0x12, ...varint(bytes.length), ...bytes]
}

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]

/** Log records. */
export const otlp = createDoorFormat({
  door: 'otlp',
  api: 'POST_Otlp_API',
  mediaTypes: [],
  // Its clients retry after 429, 502, 503 and 504 only.
  refusals: { statuses: { 408: 503 }, toContent: (problem, call) => toContent(problem, call.header('content-type')) },
  toJson: (body, { call }, { addBytes }) =>
    isProtobuf(call.header('content-type')) ? protobufToJson(body, exportLogs, addBytes) : body,
  events: {
    forms: {
      lists: [
        { name: 'resourceLogs' },
        { name: 'scopeLogs', renames: { schemaUrl: 'resourceSchemaUrl' } },
        { name: 'logRecords', renames: { schemaUrl: 'scopeSchemaUrl' } },
      ],
    },
    toHead,
    answers: {
      accepted: (outcome, call) => toAnswer(outcome, call.header('content-type')),
      refused: (outcome, call) => toAnswer(outcome, call.header('content-type')),
    },
  },
})
