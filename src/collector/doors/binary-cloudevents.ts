/**
 * CloudEvents 1.0 over HTTP in binary mode: the attributes are headers `ce-…`, the body is the data, of any type. It becomes
 * an event in the JSON event format: JSON data byte for byte as `data`, text as a string, all else as `data_base64`.
 */
import { isUtf8 } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import type { Call } from '../../http/call/call.ts'
import type { BodyDefaults, IntakeFormat } from '../formats/intake-format.ts'
import type { Parsed } from '../parsed.ts'
import type { WorkSteps } from '../work-turns.ts'
import { cloudEvent, cloudEventHead } from './cloudevents.ts'
import { createDoorFormat } from './door-format.ts'
import { JsonWalk } from './json-walk.ts'
import { ownOr } from './own-or.ts'

/** The header that says that a request is such an event. */
export const cloudEventHeader = 'ce-specversion'

/** Takes data of whatever type. */
export const binaryCloudEvent: IntakeFormat = createDoorFormat({
  door: 'cloudevents',
  api: cloudEvent.api,
  mediaTypes: ['*/*'],
  events: { forms: { one: true }, toHead: cloudEventHead },
  toJson,
})

/** The same where the body may be one of the collector's own. */
export const toBinaryCloudEvent = (own: IntakeFormat): IntakeFormat => ownOr(own, binaryCloudEvent)

/**
 * For a sender whose door is not open: the binary mode of CloudEvents sends the data as the body and everything else in headers: with 202 the sender would take
 * an event for stored that nothing was kept of.
 * @throws SluiceError `unsupported-media-type`
 */
export const checkNotCloudEvent = (call: Call<unknown>, parsed: Parsed): void => {
  if (parsed.events.length > 0 || parsed.format === 'thrift' || parsed.rejections.hasEventName) return
  if (parsed.answers !== undefined || call.header(cloudEventHeader) === undefined) return
  throw new SluiceError(
    'unsupported-media-type',
    'The header ce-specversion says that this is a CloudEvent; those are taken with cloudevents in the setting collector.doors, with JSON, text or other data, but not with Smile. Expected {"eventName": …, "payload": {…}}.',
  )
}

function* toJson(data: Buffer, { call, maxValues }: BodyDefaults): WorkSteps<Buffer> {
  const type = call.header('content-type')
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(call.headers)) {
    if (name.startsWith(prefix)) attributes[name.slice(prefix.length)] = decodeValue(name, value)
  }
  if (type !== undefined) attributes['datacontenttype'] = type
  const head = JSON.stringify(attributes).slice(0, -1)
  if (data.length === 0) return Buffer.from(`${head}}`)
  const kind = toKind(type)
  if (kind !== 'json') {
    const isText = kind === 'text' && isUtf8(data)
    const member = isText
      ? `"data":${JSON.stringify(data.toString('utf8'))}`
      : `"data_base64":"${data.toString('base64')}"`
    return Buffer.from(`${head},${member}}`)
  }
  // Alone it has to be a whole value: text after one would be read as attributes.
  const walk = new JsonWalk(data, maxValues)
  yield* walk.value()
  walk.end()
  return Buffer.concat([Buffer.from(`${head},"data":`), data, closing])
}

const prefix = 'ce-'
const closing = Buffer.from('}')

/** Values are percent-encoded (HTTP protocol binding, section 3.1.3.2). */
const decodeValue = (name: string, value: string): string => {
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    throw new SluiceError('bad-event', `The header ${name} is not percent-encoded UTF-8`, { cause })
  }
}

const toKind = (contentType = ''): 'json' | 'text' | 'bytes' => {
  const essence = contentType.split(';', 1).join('').trim().toLowerCase()
  if (/^(?:application|text)\/json$|\+json$/.test(essence)) return 'json'
  return /^text\/|^application\/(?:xml|x-ndjson)$|\+xml$/.test(essence) ? 'text' : 'bytes'
}
