import { SluiceError } from '../errors.ts'
import type { Claim } from '../http/body/admission.ts'
import { admitBody } from '../http/body/admit-body.ts'
import { noteArrivedBytes, noteDecodedBytes } from '../http/body/arrived-bytes.ts'
import type { CallAnswer } from '../http/call/answer.ts'
import type { Call, Identity } from '../http/call/call.ts'
import type { Granularity } from '../spool/batch.ts'
import { checkEventName } from '../spool/bucket.ts'
import { type BodyEncoding, decodeContent, parseContentEncoding } from './content-encoding.ts'
import { checkNotCloudEvent } from './doors/binary-cloudevents.ts'
import { apiOfRequest, toFormat } from './formats/formats.ts'
import type { BodyDefaults, IntakeFormat } from './formats/intake-format.ts'
import { answerIntake, type Intake } from './intake.ts'
import type { Parsed } from './parsed.ts'
import { parseDateParameter } from './parsers/event-date.ts'
import { refuseUnread } from './refused/refuse-unread.ts'
import { type Replay, replayOf, withOldDates } from './refused/replay.ts'
import { keepPartlySent, keepRefused, keepSent } from './refused/sent-bodies.ts'
import { toSubmittedReplay } from './refused/tell-refused.ts'
import type { CollectorSettings } from './settings.ts'
import { toContext } from './submit/call-context.ts'
import { toSender } from './submit/event-ids.ts'
import { withPayloadIds } from './submit/payload-ids.ts'
import { digestRequest, digestRequestAtOnce } from './submit/request-fingerprint.ts'
import type { Submission } from './submit/submission.ts'
import { runAtOnce, runInTurns } from './work-turns.ts'

/** Longer bodies are read in turns: up to here the work is a few ms, whatever they hold. */
export const maxShortBytes = 256 * 1024

/**
 * Parameters of `/rest/1.0/event`; `name` counts if the body lacks it, the others also if a payload lacks them. The
 * routes of doors take only the key.
 */
export type PostEventParams = {
  readonly name?: string | undefined
  readonly date?: string | undefined
  readonly gr?: Granularity
  /** Taken as it is, quotes included. */
  readonly 'Idempotency-Key'?: string | undefined
}

/** How the events of a request are read. @throws SluiceError of those of which none can be */
export type ChooseFormat = (call: Call<PostEventParams>, intake: Intake) => IntakeFormat

/**
 * Takes the events of a body.
 * @param authorizeKey checks whose events they are, where their body says it and no header does
 */
export const createPostEvent =
  (
    intake: Intake,
    choose: ChooseFormat,
    authorizeKey: AuthorizeKey = ({ caller }) => caller,
  ): ((call: Call<PostEventParams>) => CallAnswer) =>
  call => {
    let format: IntakeFormat
    try {
      format = choose(call, intake)
    } catch (error) {
      return answerIntake(intake, apiOfRequest(call.operationId, call), call, () => refuseUnread(intake, call, error))
    }
    return answerIntake(intake, format.api, call, () => read(intake, { call, format, authorizeKey }))
  }

/** By its content type. */
export const chooseByType: ChooseFormat = (call, { settings }) =>
  toFormat(call, call.params.name !== undefined, settings().doors)

/**
 * Identifies the caller, by the key in the body if no header has it. @throws SluiceError `unauthenticated`, `denied`
 */
export type AuthorizeKey = (call: Call<unknown>, said: Pick<Parsed, 'key' | 'hasOtherKeys'>) => Identity | undefined

/** Everything that can be refused without the body is refused before it is parsed. */
const read = (intake: Intake, chosen: Chosen): Submission | Promise<Submission> => {
  const { call, format } = chosen
  const settings = intake.settings()
  const context = toContext(call, intake)
  const replay = replayOf(call)
  let encodings: readonly BodyEncoding[]
  let defaults: BodyDefaults
  try {
    encodings = parseContentEncoding(call.header('content-encoding'))
    defaults = toDefaults(format, call, settings, context.receivedAt)
  } catch (error) {
    return refuseUnread(intake, call, error)
  }
  const { bytes, claim } = admitBody(call, intake.admission, settings.maxBodyBytes, context)
  const receivedAt = replay ? intake.clock.now() : context.receivedAt
  const submitted = replay && toSubmittedReplay(intake, call, replay)
  const { eventIdPath: idPath, eventIdKey: idKey } = settings
  const given = { api: format.api, receivedAt, claim, context, idKey, isStrict: isStrict(call), replay: submitted }
  const request: Request = { ...chosen, defaults, given, replay, idPath }
  const isReady = bytes instanceof Uint8Array && encodings.length === 0 && bytes.length <= maxShortBytes
  if (!isReady) return readLater(intake, request, bytes, encodings)
  try {
    return readShort(request, bytes)
  } catch (error) {
    keepRefused(call, bytes, error)
    claim.release()
    throw error
  }
}

type Chosen = {
  readonly call: Call<PostEventParams>
  readonly format: IntakeFormat
  readonly authorizeKey: AuthorizeKey
}

/** A request whose body is still to be read. */
type Request = Chosen & {
  readonly defaults: BodyDefaults
  readonly replay: Replay | undefined
  readonly idPath: string | undefined
  readonly given: Omit<Submission, 'parsed'>
}

const readLater = async (
  intake: Intake,
  request: Request,
  bytes: Uint8Array | Promise<Uint8Array>,
  encodings: readonly BodyEncoding[],
): Promise<Submission> => {
  const { claim } = request.given
  let body: Uint8Array | undefined
  let isDecoded = encodings.length === 0
  try {
    body = await bytes
    if (encodings.length > 0) {
      body = await decode(request.call, body, encodings, intake.settings(), claim)
      noteDecodedBytes(request.call, body.length)
    }
    isDecoded = true
    const whole = arrived(intake, request)
    if (body.length <= maxShortBytes) return readShort(whole, body)
    // Its parser puts spaces in place of what it refuses.
    keepSent(request.call, body)
    return await readLong(intake, whole, body)
  } catch (error) {
    keepRefused(request.call, isDecoded && Number(body?.length) > maxShortBytes ? undefined : body, error, isDecoded)
    claim.release()
    throw error
  }
}

/** Looks whose events were parsed, and keeps everything that was sent with those that are refused. */
const takeParsed = (
  { call, authorizeKey, replay }: Request,
  body: Uint8Array,
  read: Parsed,
): Pick<Submission, 'parsed' | 'sender' | 'caller'> => {
  const parsed = replay ? withOldDates(read, replay) : read
  const caller = authorizeKey(call, parsed)
  if (parsed.rejections.count > 0) keepPartlySent(call, body, parsed)
  checkNotCloudEvent(call, parsed)
  return parsed.ids === undefined
    ? { parsed, caller }
    : { parsed, caller, sender: replay?.sender ?? toSender(caller, parsed.key) }
}

/**
 * Dated by the end of the body, and not by its first byte: what is kept one after another is then dated so as well, and
 * a slow body makes no file of its own for the hour before.
 */
const arrived = ({ clock, settings }: Intake, request: Request): Request => {
  const receivedAt = clock.now()
  const { format, call, replay } = request
  const defaults = toDefaults(format, call, settings(), replay?.receivedAt ?? receivedAt)
  return { ...request, defaults, given: { ...request.given, receivedAt } }
}

/** Under which a request counts once. */
const keyOf = ({ call, replay }: Request): string | undefined => replay?.key ?? call.params['Idempotency-Key']

const readShort = (request: Request, body: Uint8Array): Submission => {
  const { call, format, defaults, given, replay, idPath } = request
  const key = keyOf(request)
  const fingerprint = key === undefined ? '' : (replay?.fingerprint ?? digestRequestAtOnce(call, body))
  const idempotent = key === undefined ? undefined : { key, fingerprint }
  const parsed = format.short(body, defaults)
  const read = idPath === undefined ? parsed : runAtOnce(withPayloadIds(parsed, idPath))
  return { ...given, ...takeParsed(request, body, read), idempotent }
}

const readLong = ({ inspect, longWork }: Intake, request: Request, body: Uint8Array): Promise<Submission> =>
  longWork(async turns => {
    const { call, format, defaults, given, idPath } = request
    const key = keyOf(request)
    const idempotent = key === undefined ? undefined : { key, fingerprint: await digestRequest(call, body, turns) }
    const parts = { turns, inspect, addBytes: (bytes: number) => given.claim.addBytes(bytes) }
    const parsed = await format.long(body, defaults, parts)
    const read = idPath === undefined ? parsed : await runInTurns(withPayloadIds(parsed, idPath), turns)
    return { ...given, ...takeParsed(request, body, read), idempotent }
  })

/** `Prefer: handling=strict` (RFC 7240 §4.4). */
const isStrict = (call: Call<PostEventParams>): boolean => {
  const prefer = call.header('prefer')
  return prefer !== undefined && strictHandling.test(prefer)
}

const strictHandling = /(?:^|[,;])\s*handling\s*=\s*"?strict"?\s*(?:$|[,;])/i

const decode = (
  call: Call<unknown>,
  sent: Uint8Array,
  encodings: readonly BodyEncoding[],
  { maxDecompressedBytes: maxBytes }: CollectorSettings,
  claim: Claim,
): Promise<Uint8Array> => {
  const addBytes = (more: number): void => {
    noteArrivedBytes(call, more)
    claim.addBytes(more)
  }
  return decodeContent(sent, encodings, { maxBytes, addBytes })
}

/** Checks the parameters that a format looks at. */
const toDefaults = (
  { parameters }: IntakeFormat,
  call: Call<PostEventParams>,
  { maxEventsPerRequest: maxEvents, maxValuesPerEvent: maxValues }: CollectorSettings,
  receivedAt: number,
): BodyDefaults => {
  if (parameters === 'none') return { name: '', date: receivedAt, granularity: 'HOURLY', maxEvents, maxValues, call }
  const { params } = call
  const date = parseDateParameter(params.date) ?? receivedAt
  return {
    name: parameters === 'name-and-date' ? checkName(params.name) : '',
    date,
    granularity: params.gr ?? 'HOURLY',
    maxEvents,
    maxValues,
    call,
  }
}

const checkName = (name: string | undefined): string => {
  if (name === undefined) {
    throw new SluiceError('bad-parameter', 'name is missing; with this Content-Type it is a required parameter')
  }
  checkEventName(name)
  return name
}
