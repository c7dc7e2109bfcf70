/**
 * Amazon Data Firehose: deliveries to an HTTP endpoint (protocol 1.0), of which a parameter of the URL says the name.
 *
 * | delivery | Sluice |
 * |---|---|
 * | a record that is a JSON object | the payload, byte for byte |
 * | any other record | the payload's `data`, where it is text, else `data_base64` |
 * | `X-Amz-Firehose-Request-Id`, the same at each try, and the position of the record | identity |
 * | `X-Amz-Firehose-Common-Attributes` | `commonAttributes` of payloads |
 */
import { Buffer, isUtf8 } from 'node:buffer'
import { GrowingBytes } from '../../bytes/growing-bytes.ts'
import { SluiceError } from '../../errors.ts'
import { openBrace } from '../../formats/json-grammar.ts'
import { isObject } from '../../formats/members.ts'
import type { Call } from '../../http/call/call.ts'
import type { BodyDefaults } from '../formats/intake-format.ts'
import type { WorkSteps } from '../work-turns.ts'
import { jsonAnswer } from './door-answers.ts'
import { type DoorEvents, type DoorParts, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { readSlice } from './find-events.ts'
import { JsonWalk } from './json-walk.ts'

/** The answer to Firehose, whatever the status: it counts as delivered with 200 alone. */
const toAnswer = (call: Pick<Call, 'header'>, errorMessage?: string): object => ({
  requestId: call.header('x-amz-firehose-request-id') ?? '',
  timestamp: Date.now(),
  ...(errorMessage === undefined ? {} : { errorMessage: errorMessage.slice(0, maxMessageLength) }),
})

/** Longer ones are cut there. */
const maxMessageLength = 8_192

const toEvents = ({ name, call }: BodyDefaults): DoorEvents => {
  const requestId = call.header('x-amz-firehose-request-id')
  const attributes = toAttributes(call.header('x-amz-firehose-common-attributes'))
  return {
    forms: { array: true },
    more: attributes === undefined ? {} : { commonAttributes: attributes },
    toHead: (_, index) => ({ name, id: toId(requestId && `${requestId} ${index}`) }),
    answers: { accepted: () => jsonAnswer(toAnswer(call)) },
  }
}

/** As JSON text: what is sent as `{"commonAttributes": {…}}`, else the header as it is. */
const toAttributes = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  try {
    const sent: unknown = JSON.parse(header)
    return JSON.stringify(isObject(sent) ? (sent['commonAttributes'] ?? sent) : sent)
  } catch {
    return JSON.stringify(header)
  }
}

/** An array of payloads. */
function* toJson(body: Buffer, { maxValues }: BodyDefaults, { addBytes }: DoorParts): WorkSteps<Buffer> {
  const walk = new JsonWalk(body, maxValues)
  const made = new GrowingBytes(Number.MAX_SAFE_INTEGER)
  let count = 0
  let hasRecords = false
  const takeRecord = () =>
    walk.object(function* visit(name) {
      const slice = yield* walk.value()
      if (name !== 'data') return
      const data = toBytes(readSlice(walk, slice), count)
      const payload = (yield* isJsonObject(data, maxValues)) ? data : toPayload(data)
      addBytes?.(payload.length)
      made.append(count++ === 0 ? openList : nextItem)
      made.append(payload)
    })
  yield* walk.object(function* visit(name) {
    if (name !== 'records') {
      yield* walk.value()
      return
    }
    hasRecords = true
    let records = 0
    yield* walk.array(function* take() {
      yield* takeRecord()
      if (++records !== count) throw bad(`Record ${records - 1} has not one member data`)
    })
  })
  walk.end()
  if (!hasRecords) throw bad('The body has no records')
  made.append(count === 0 ? emptyList : closeList)
  return made.bytes()
}

const openList = Buffer.from('[')
const nextItem = Buffer.from(',')
const closeList = Buffer.from(']')
const emptyList = Buffer.from('[]')

const bad = (message: string): SluiceError => new SluiceError('bad-event', message)

const toBytes = (value: unknown, record: number): Buffer => {
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value)) throw bad(`data of record ${record} is not base64`)
  return Buffer.from(value, 'base64')
}

function* isJsonObject(data: Buffer, maxValues: number): WorkSteps<boolean> {
  if (!isUtf8(data)) return false
  const walk = new JsonWalk(data, maxValues)
  if (walk.peek() !== openBrace) return false
  try {
    const slice = yield* walk.value()
    walk.end()
    readSlice(walk, slice)
    return true
  } catch (error) {
    if (error instanceof SluiceError) return false
    throw error
  }
}

const toPayload = (data: Buffer): Buffer =>
  Buffer.from(JSON.stringify(isUtf8(data) ? { data: data.toString('utf8') } : { data_base64: data.toString('base64') }))

/** Deliveries. */
export const firehose = createDoorFormat({
  door: 'firehose',
  api: 'POST_Firehose_API',
  mediaTypes: [],
  parameters: 'name-and-date',
  headers: ['x-amz-firehose-request-id', 'x-amz-firehose-common-attributes'],
  refusals: {
    toContent: ({ title, detail = title }, call) => ({
      type: 'application/json',
      body: JSON.stringify(toAnswer(call, detail)),
    }),
  },
  toJson,
  events: toEvents,
})
