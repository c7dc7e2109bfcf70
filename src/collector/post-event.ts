import { SluiceError } from '../errors.ts'
import type { Call, Handler } from '../http/call.ts'
import type { Outcome } from '../spool/batch.ts'
import { checkEventName } from '../spool/bucket.ts'
import type { Ticket } from './admission.ts'
import { withIntakeHeaders } from './answers.ts'
import { type BodyKind, toBodyKind, toEssence } from './body-kind.ts'
import { decodeContent, parseContentEncoding } from './content-encoding.ts'
import { fingerprintOf, type IdempotentRequest, parseIdempotencyKey, submitOnce } from './idempotency.ts'
import { answerIntake, countUnread, type Intake, toContext } from './intake.ts'
import type { Parsed } from './parsed.ts'
import { parseDateParameter, parseGranularityParameter } from './parsers/event-date.ts'
import { parseJsonEvents } from './parsers/json.ts'
import { parseSmileEvents } from './parsers/smile.ts'
import { parseEnvelopeEvents, parseFieldListEvent } from './parsers/thrift.ts'
import { admitBody } from './read-body.ts'

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
    return answerIntake(intake, kind.api, () => take(intake, call, kind))
  }

const toKind = (call: Call<PostEventParams>): BodyKind => {
  try {
    return toBodyKind(call.header('content-type'), call.params.name !== undefined)
  } catch (error) {
    throw withIntakeHeaders(error)
  }
}

const take = async (intake: Intake, call: Call<PostEventParams>, kind: BodyKind): Promise<Outcome> => {
  if (intake.authorize) await intake.authorize(call)
  const count = intake.counters[kind.api]
  let request: ReadRequest
  try {
    request = await read(intake, call, kind)
  } catch (error) {
    countUnread(count, error)
    throw error
  }
  const { parsed, ticket, idempotent } = request
  try {
    const submission = { api: kind.api, parsed, ticket, context: toContext(call, intake) }
    if (idempotent === undefined) return await intake.submit(submission)
    const { outcome, isReplay } = await submitOnce(intake.spool, idempotent, () =>
      intake.submit({ ...submission, idempotent }),
    )
    if (isReplay) count.replays++
    return outcome
  } finally {
    ticket.release()
  }
}

type ReadRequest = {
  readonly parsed: Parsed
  readonly ticket: Ticket
  readonly idempotent: IdempotentRequest | undefined
}

/** Everything that can be refused without the body is refused before it is read. */
const read = async (intake: Intake, call: Call<PostEventParams>, kind: BodyKind): Promise<ReadRequest> => {
  const { settings } = intake
  const key = parseIdempotencyKey(call.header('idempotency-key'))
  const encodings = parseContentEncoding(call.header('content-encoding'))
  const parse = createParse(kind, call.params, settings.maxEventsPerRequest, intake.clock.now())
  const { bytes, ticket } = admitBody(call, intake.admission, settings.maxBodyBytes)
  try {
    const sent = await bytes
    const limits = { maxBytes: settings.maxDecompressedBytes, addBytes: (more: number) => ticket.addBytes(more) }
    const body = encodings.length === 0 ? sent : await decodeContent(sent, encodings, limits)
    const idempotent = key === undefined ? undefined : { key, fingerprint: toFingerprint(call, body) }
    return { parsed: parse(body), ticket, idempotent }
  } catch (error) {
    ticket.release()
    throw error
  }
}

const toFingerprint = (call: Call<PostEventParams>, body: Uint8Array): string => {
  const { name, date, gr } = call.params
  return fingerprintOf(body, [toEssence(call.header('content-type')), name, date, gr])
}

/** Checks the parameters now, and gives what reads the body later. */
const createParse = (
  { kind }: BodyKind,
  params: PostEventParams,
  maxEvents: number,
  receivedAt: number,
): ((body: Uint8Array) => Parsed) => {
  if (kind === 'envelopes') return body => parseEnvelopeEvents(body, { maxEvents })
  const date = parseDateParameter(params.date) ?? receivedAt
  const granularity = parseGranularityParameter(params.gr)
  if (kind === 'json') return body => parseJsonEvents(body, { date, granularity, maxEvents })
  if (kind === 'smile') return body => parseSmileEvents(body, { date, granularity, maxEvents })
  const name = checkName(params.name)
  return body => parseFieldListEvent(body, { name, date, granularity })
}

const checkName = (name: string | undefined): string => {
  if (name === undefined) {
    throw new SluiceError('bad-parameter', 'name is missing; a Thrift struct does not hold the name of its event')
  }
  checkEventName(name)
  return name
}
