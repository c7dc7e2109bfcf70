import { SluiceError } from '../../errors.ts'
import type { Call } from '../../http/call/call.ts'
import type { Api } from '../../spool/apis.ts'
import { binaryCloudEvent, cloudEventHeader, toBinaryCloudEvent } from '../doors/binary-cloudevents.ts'
import { cloudEvent, cloudEventBatch } from '../doors/cloudevents.ts'
import { csv } from '../doors/csv.ts'
import type { DoorName } from '../doors/door-names.ts'
import { plainObjects } from '../doors/plain-objects.ts'
import { doorFormats } from './doors.ts'
import { envelopeStream } from './envelope-stream.ts'
import { fieldList } from './field-list.ts'
import type { IntakeFormat } from './intake-format.ts'
import { json as ownJson } from './json.ts'
import { ndjson } from './ndjson.ts'
import { type QueryFormat, queryFormats } from './query.ts'
import { smile } from './smile.ts'

/** With a `name`, plain objects are events of that name. */
const json: IntakeFormat = { ...ownJson, named: plainObjects }

/** Every format of a body; their media types are those of the contract. */
export const intakeFormats: readonly IntakeFormat[] = [
  json,
  ndjson,
  smile,
  envelopeStream,
  fieldList,
  cloudEvent,
  cloudEventBatch,
  csv,
  binaryCloudEvent,
]

/** Reads a body whose sender says nothing of its type. */
const untyped = fieldList

const typed = intakeFormats.filter(format => format !== binaryCloudEvent)

const byType: ReadonlyMap<string, IntakeFormat> = new Map(
  typed.flatMap(format => format.mediaTypes.map(type => [type, format] as const)),
)

/** The part of a call that says how its body is read. */
type Typed = Pick<Call, 'header'>

/** The format of a body by its content type, parameters left aside; undefined for one that only a CloudEvent may have. */
const findFormat = (contentType: string | undefined): IntakeFormat | undefined => {
  // What nearly all clients send, bare: nothing to look up or to cut off.
  if (contentType === 'application/json') return json
  if (contentType === undefined) return untyped
  const bare = byType.get(contentType)
  if (bare !== undefined) return bare
  const essence = toEssence(contentType)
  return essence === '' ? untyped : (byType.get(essence) ?? byType.get(toRange(essence)))
}

/**
 * How a body is read.
 * @param hasName whether the request has the parameter `name`
 * @throws SluiceError `unsupported-media-type`: no format has the type, or its door is not open
 */
export const toFormat = (call: Typed, hasName: boolean, doors: ReadonlySet<DoorName>): IntakeFormat => {
  const contentType = call.header('content-type')
  const found = findFormat(contentType)
  if (call.header(cloudEventHeader) !== undefined && doors.has('cloudevents')) {
    const binary = toBinary(found, hasName)
    if (binary) return binary
  }
  if (found === undefined) throw unknownType(doors)
  const { named } = found
  const format = hasName && named && isOpen(named, doors) ? named : found
  if (isOpen(format, doors)) return format
  throw new SluiceError(
    'unsupported-media-type',
    `${toEssence(contentType)} is not accepted: its door is closed; add to collector.doors: ${format.door}`,
  )
}

/** How an event in binary mode is read, by what its body would be else; undefined where it says itself what it is. */
const toBinary = (found: IntakeFormat | undefined, hasName: boolean): IntakeFormat | undefined => {
  if (found === json || found === ndjson) return jsonOrBinary
  if (found === undefined || found === csv || (found === untyped && !hasName)) return binaryCloudEvent
  return undefined
}

const jsonOrBinary = toBinaryCloudEvent(json)

const isOpen = ({ door }: IntakeFormat, doors: ReadonlySet<DoorName>): boolean => door === undefined || doors.has(door)

const unknownType = (doors: ReadonlySet<DoorName>): SluiceError => {
  const known = typed.filter(format => isOpen(format, doors))
  return new SluiceError(
    'unsupported-media-type',
    `Content-Type: expected one of ${known.flatMap(({ mediaTypes }) => mediaTypes).join(', ')}`,
  )
}

/** What a request counts as of which nothing has been read; one whose type means nothing as JSON, which most are. */
export const apiOfRequest = (operationId: string, call: Typed): Api =>
  byOperation.get(operationId)?.api ?? (findFormat(call.header('content-type')) ?? json).api

/** Those of operations that have one alone. */
const byOperation: ReadonlyMap<string, QueryFormat | IntakeFormat> = new Map(
  Object.entries({ ...queryFormats, ...doorFormats }),
)

/** Whether an operation takes events: those that SDKs ask for their settings do not. */
export const takesEvents = (operationId: string): boolean => operationId === 'postEvent' || byOperation.has(operationId)

/** Type and subtype in lower case; empty when absent. */
export const toEssence = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1).join('').trim().toLowerCase()

const toRange = (essence: string): string => `${essence.slice(0, essence.indexOf('/') + 1)}*`
