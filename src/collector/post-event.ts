import { SluiceError } from '../errors.ts'
import type { Call, Handler } from '../http/call.ts'
import type { BodyFormat, Granularity } from '../spool/batch.ts'
import { checkEventName } from '../spool/bucket.ts'
import type { Ticket } from './admission.ts'
import { type BodyKind, toBodyKind, toEssence } from './body-kind.ts'
import { decodeContent, type Encoding, parseContentEncoding } from './content-encoding.ts'
import { fingerprintOf } from './idempotency.ts'
import { answerIntake, type Intake, keepSent, toContext } from './intake.ts'
import { toSent } from './live/recent.ts'
import type { EventDefaults, Parsed } from './parsed.ts'
import { parseDateParameter } from './parsers/event-date.ts'
import type { Inspect } from './parsers/inspection.ts'
import { parseJsonEvents } from './parsers/json.ts'
import { toUtf8 } from './parsers/json-text.ts'
import { parseLongJson } from './parsers/long-json.ts'
import { parseSmileEvents } from './parsers/smile.ts'
import { parseEnvelopeEvents, parseFieldListEvent } from './parsers/thrift.ts'
import { admitBody } from './read-body.ts'
import type { CollectorSettings } from './settings.ts'
import type { Submission } from './submit.ts'
import { runAtOnce, runInTurns, type WorkTurns } from './work-turns.ts'

/** Longer bodies are read in turns: up to here the work is a few ms, whatever they hold. */
export const maxShortBytes = 256 * 1024

/** Parameters of `/rest/1.0/event`; `name` counts for a bare Thrift struct only, the others also where a payload is silent. */
export type PostEventParams = {
  readonly name?: string | undefined
  readonly date?: string | undefined
  readonly gr: Granularity
  /** Taken as it is, quotes included. */
  readonly 'Idempotency-Key'?: string | undefined
}

/** Takes the events of a body, by its content type. */
export const createPostEvent =
  (intake: Intake): Handler<PostEventParams> =>
  call => {
    const kind = toBodyKind(call.header('content-type'), call.params.name !== undefined)
    return answerIntake(intake, kind.api, call, () => read(intake, call, kind))
  }

/** Everything that can be refused without the body is refused before it is read. */
const read = (intake: Intake, call: Call<PostEventParams>, kind: BodyKind): Submission | Promise<Submission> => {
  const { settings } = intake
  const encodings = parseContentEncoding(call.header('content-encoding'))
  const context = toContext(call, intake)
  const { receivedAt } = context
  const defaults = toDefaults(kind, call.params, settings, receivedAt)
  const { bytes, ticket } = admitBody(call, intake.admission, settings.maxBodyBytes)
  const given = { api: kind.api, receivedAt, ticket, context, isStrict: isStrict(call) }
  const request: Request = { call, kind, defaults, given }
  const isReady = bytes instanceof Uint8Array && encodings.length === 0 && bytes.length <= maxShortBytes
  if (!isReady) return readLater(intake, request, bytes, encodings)
  try {
    return readShort(request, bytes)
  } catch (error) {
    keepSent(call, toSent(bytes))
    ticket.release()
    throw error
  }
}

/** A request whose body is still to be read. */
type Request = {
  readonly call: Call<PostEventParams>
  readonly kind: BodyKind
  readonly defaults: Defaults
  readonly given: Omit<Submission, 'parsed'>
}

const readLater = async (
  intake: Intake,
  request: Request,
  bytes: Uint8Array | Promise<Uint8Array>,
  encodings: readonly Encoding[],
): Promise<Submission> => {
  const { ticket } = request.given
  let body: Uint8Array | undefined
  try {
    const sent = await bytes
    body = sent
    if (encodings.length > 0) body = await decode(sent, encodings, intake.settings, ticket)
    const whole = arrived(intake, request)
    return body.length > maxShortBytes ? await readLong(intake, whole, body) : readShort(whole, body)
  } catch (error) {
    if (body && body.length <= maxShortBytes) keepSent(request.call, toSent(body))
    ticket.release()
    throw error
  }
}

/** Of a request that is refused in part, everything is kept that was sent with it. */
const keeping = (call: Call<unknown>, body: Uint8Array, parsed: Parsed): Parsed => {
  if (parsed.rejections.count > 0) keepSent(call, toSent(body))
  return parsed
}

/**
 * Dates by when the body was there, and not by when its first byte came: what is kept one after another is then dated so
 * as well, and a slow body makes no file of its own for the hour before.
 */
const arrived = ({ clock, settings }: Intake, request: Request): Request => {
  const receivedAt = clock.now()
  const defaults = toDefaults(request.kind, request.call.params, settings, receivedAt)
  return { ...request, defaults, given: { ...request.given, receivedAt } }
}

const readShort = ({ call, kind, defaults, given }: Request, body: Uint8Array): Submission => {
  const key = call.params['Idempotency-Key']
  const idempotent = key === undefined ? undefined : { key, fingerprint: toFingerprintAtOnce(call, body) }
  return { ...given, parsed: keeping(call, body, parse(body, kind, defaults)), idempotent }
}

const readLong = (
  { inspect, longWork }: Intake,
  { call, kind, defaults, given }: Request,
  body: Uint8Array,
): Promise<Submission> =>
  longWork(async turns => {
    const key = call.params['Idempotency-Key']
    const idempotent = key === undefined ? undefined : { key, fingerprint: await toFingerprint(call, body, turns) }
    const parts = { turns, inspect, addBytes: (bytes: number) => given.ticket.addBytes(bytes) }
    // Its parser puts spaces in place of what it refuses.
    keepSent(call, toSent(body))
    return { ...given, parsed: await parseLong(body, kind, defaults, parts), idempotent }
  })

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

const toFingerprintAtOnce = (call: Call<PostEventParams>, body: Uint8Array): string =>
  fingerprintOf(circumstancesOf(call)).update(body).digest()

const toFingerprint = async (call: Call<PostEventParams>, body: Uint8Array, turns: WorkTurns): Promise<string> => {
  const fingerprint = fingerprintOf(circumstancesOf(call))
  for (let at = 0; at < body.length; at += hashedBytes) {
    fingerprint.update(body.subarray(at, at + hashedBytes))
    if (turns.isOver()) await turns.next()
  }
  return fingerprint.digest()
}

/** Bytes hashed between two looks at the clock. */
const hashedBytes = 1024 * 1024

const circumstancesOf = (call: Call<PostEventParams>): readonly (string | undefined)[] => {
  const { name, date, gr } = call.params
  return [toEssence(call.header('content-type')), name, date, gr]
}

/** What holds for the events of a body that do not say otherwise; their name only where no body says it. */
type Defaults = EventDefaults & { readonly name: string }

/** Checks the parameters that a kind of body looks at. */
const toDefaults = (
  { kind }: BodyKind,
  params: PostEventParams,
  { maxEventsPerRequest: maxEvents, maxValuesPerEvent: maxValues }: CollectorSettings,
  receivedAt: number,
): Defaults => {
  if (kind === 'envelopes') return { name: '', date: receivedAt, granularity: 'HOURLY', maxEvents, maxValues }
  const date = parseDateParameter(params.date) ?? receivedAt
  return {
    name: kind === 'field-list' ? checkName(params.name) : '',
    date,
    granularity: params.gr,
    maxEvents,
    maxValues,
  }
}

const parse = (body: Uint8Array, { kind }: BodyKind, defaults: Defaults): Parsed => {
  switch (kind) {
    case 'json':
      return parseJsonEvents(body, defaults)
    case 'smile':
      return runAtOnce(parseSmileEvents(body, defaults))
    case 'envelopes':
      return runAtOnce(parseEnvelopeEvents(body, defaults))
    case 'field-list':
      return parseFieldListEvent(body, defaults)
  }
}

/** What reading a long body takes. */
type LongParts = {
  readonly turns: WorkTurns
  readonly inspect: ((format: BodyFormat) => Inspect) | undefined
  /** @throws SluiceError `overloaded` */
  readonly addBytes: (bytes: number) => void
}

/** The same in turns, and in the memory of one event. */
const parseLong = async (
  body: Uint8Array,
  { kind }: BodyKind,
  defaults: Defaults,
  { turns, inspect, addBytes }: LongParts,
): Promise<Parsed> => {
  switch (kind) {
    case 'json':
      return await parseLongJson(await toUtf8(body, turns, addBytes), defaults, turns, inspect?.('json'))
    case 'smile':
      return await runInTurns(parseSmileEvents(body, defaults, inspect?.('smile')), turns)
    case 'envelopes':
      return await runInTurns(parseEnvelopeEvents(body, defaults, inspect?.('thrift')), turns)
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
