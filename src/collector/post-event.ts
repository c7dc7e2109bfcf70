import { SluiceError } from '../errors.ts'
import type { Call, Handler } from '../http/call.ts'
import { checkEventName } from '../spool/bucket.ts'
import type { Ticket } from './admission.ts'
import { withIntakeHeaders } from './answers.ts'
import { type BodyKind, toBodyKind, toEssence } from './body-kind.ts'
import { decodeContent, type Encoding, parseContentEncoding } from './content-encoding.ts'
import { fingerprintOf, parseIdempotencyKey } from './idempotency.ts'
import { answerIntake, type Intake, toContext } from './intake.ts'
import type { EventDefaults, Parsed } from './parsed.ts'
import { parseDateParameter, parseGranularityParameter } from './parsers/event-date.ts'
import { parseJsonEvents } from './parsers/json.ts'
import { parseSmileEvents } from './parsers/smile.ts'
import { parseEnvelopeEvents, parseFieldListEvent } from './parsers/thrift.ts'
import { admitBody } from './read-body.ts'
import type { CollectorSettings } from './settings.ts'
import type { Submission } from './submit.ts'

/** Parameters of `/rest/1.0/event`; `name` counts for a bare Thrift struct only, the others also where a payload is silent. */
export type PostEventParams = {
  readonly name?: string | undefined
  readonly date?: string | undefined
  readonly gr?: string | undefined
}

/** Takes the events of a body, by its content type. */
export const createPostEvent =
  (intake: Intake): Handler<PostEventParams> =>
  call => {
    const kind = toKind(call)
    return answerIntake(intake, kind.api, call, () => read(intake, call, kind))
  }

const toKind = (call: Call<PostEventParams>): BodyKind => {
  try {
    return toBodyKind(call.header('content-type'), call.params.name !== undefined)
  } catch (error) {
    throw withIntakeHeaders(error)
  }
}

/** Everything that can be refused without the body is refused before it is read. */
const read = async (intake: Intake, call: Call<PostEventParams>, kind: BodyKind): Promise<Submission> => {
  const { settings } = intake
  const key = parseIdempotencyKey(call.header('idempotency-key'))
  const encodings = parseContentEncoding(call.header('content-encoding'))
  const context = toContext(call, intake)
  const defaults = toDefaults(kind, call.params, settings.maxEventsPerRequest, context.receivedAt)
  const { bytes, ticket } = admitBody(call, intake.admission, settings.maxBodyBytes)
  try {
    const sent = await bytes
    const body = encodings.length === 0 ? sent : await decode(sent, encodings, settings, ticket)
    const idempotent = key === undefined ? undefined : { key, fingerprint: toFingerprint(call, body) }
    return { api: kind.api, parsed: parse(body, kind, defaults), ticket, context, idempotent, isStrict: isStrict(call) }
  } catch (error) {
    ticket.release()
    throw error
  }
}

/** `Prefer: handling=strict` (RFC 7240 §4.4). */
const isStrict = (call: Call<PostEventParams>): boolean => {
  const prefer = call.header('prefer')
  return prefer !== undefined && strictHandling.test(prefer)
}

const strictHandling = /(?:^|[,;])\s*handling\s*=\s*"?strict"?\s*(?:$|[,;])/i

const decode = (
  sent: Uint8Array,
  encodings: readonly Encoding[],
  { maxDecompressedBytes: maxBytes }: CollectorSettings,
  ticket: Ticket,
): Promise<Uint8Array> => decodeContent(sent, encodings, { maxBytes, addBytes: more => ticket.addBytes(more) })

const toFingerprint = (call: Call<PostEventParams>, body: Uint8Array): string => {
  const { name, date, gr } = call.params
  return fingerprintOf(body, [toEssence(call.header('content-type')), name, date, gr])
}

/** What holds for the events of a body that do not say otherwise; their name only where no body says it. */
type Defaults = EventDefaults & { readonly name: string }

/** Checks the parameters that a kind of body looks at. */
const toDefaults = ({ kind }: BodyKind, params: PostEventParams, maxEvents: number, receivedAt: number): Defaults => {
  if (kind === 'envelopes') return { name: '', date: receivedAt, granularity: 'HOURLY', maxEvents }
  const date = parseDateParameter(params.date) ?? receivedAt
  const granularity = parseGranularityParameter(params.gr)
  return { name: kind === 'field-list' ? checkName(params.name) : '', date, granularity, maxEvents }
}

const parse = (body: Uint8Array, { kind }: BodyKind, defaults: Defaults): Parsed => {
  switch (kind) {
    case 'json':
      return parseJsonEvents(body, defaults)
    case 'smile':
      return parseSmileEvents(body, defaults)
    case 'envelopes':
      return parseEnvelopeEvents(body, defaults)
    case 'field-list':
      return parseFieldListEvent(body, defaults)
  }
}

const checkName = (name: string | undefined): string => {
  if (name === undefined) {
    throw new SluiceError('bad-parameter', 'name is missing; a Thrift struct does not hold the name of its event')
  }
  checkEventName(name)
  return name
}
