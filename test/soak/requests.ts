import { formatBase64Number } from '../../src/formats/base64-number.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { encodeFrame, encodeMessage, messageType } from '../../src/formats/thrift/message.ts'
import { toMark } from '../suites/marks.ts'

/** Every way in, in the order in which they take turns. */
export const requestKinds = ['GET /1', 'GET /2', 'JSON', 'Smile', 'Thrift', 'Thrift stream', 'Scribe'] as const
export type RequestKind = (typeof requestKinds)[number]

const eventsOfBatch = 5

/** A request for the server's port; `frame` is for that of Scribe. */
export type SoakRequest =
  | {
      readonly method: string
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body?: Uint8Array
    }
  | { readonly frame: Uint8Array }

/** How many events a request of this kind holds. */
export const eventsOf = (kind: RequestKind): number =>
  kind === 'GET /1' || kind === 'GET /2' || kind === 'Thrift' ? 1 : eventsOfBatch

/** Events of a mean request, all kinds taking turns. */
export const meanEvents: number = requestKinds.reduce((sum, kind) => sum + eventsOf(kind), 0) / requestKinds.length

/** The event's type; neighbours differ. */
export const nameOf = (event: number): string => names[event % names.length] ?? ''
export const names: readonly string[] = ['PageView', 'Click', 'FormSent']

/**
 * A request with these events, about 200 bytes each, as web sites and servers send them. Each holds its number as
 * `E<number>E` once, in text that every format keeps as it is.
 */
export const toRequest = (kind: RequestKind, events: readonly number[], date: number): SoakRequest => {
  const [first = 0] = events
  switch (kind) {
    case 'GET /1':
      return toGet('/1', first, String)
    case 'GET /2':
      return toGet('/2', first, number => formatBase64Number(BigInt(number)))
    case 'JSON':
      return toPost('', 'application/json', Buffer.from(JSON.stringify(events.map(event => toEnvelope(event, date)))))
    case 'Smile': {
      const writer = createSmileWriter()
      writer.write(events.map(event => toEnvelope(event, date)))
      return toPost('', 'application/json+smile', writer.take())
    }
    case 'Thrift':
      return toPost(`?name=${nameOf(first)}`, 'application/thrift', toFields(first, date))
    case 'Thrift stream': {
      const records = events.map(event =>
        encodeRecord({ typeName: nameOf(event), date, granularity: 'HOURLY', payload: toFields(event, date) }),
      )
      return toPost('', 'application/thrift', Buffer.concat(records))
    }
    case 'Scribe':
      return { frame: toLog(events, date) }
  }
}

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const pathOf = (event: number): string => `/groups/${(event * 7919) % 5_000}/forum/topics`
const referrerOf = (event: number): string => `https://search.example.net/?q=term${event % 700}`

const toGet = (path: string, event: number, integer: (number: number) => string): SoakRequest => {
  const elements = [
    nameOf(event),
    `s${toMark(event)}`,
    `s${encodeURIComponent(pathOf(event))}`,
    `s${encodeURIComponent(referrerOf(event))}`,
    `4${integer(event % 1_000_000)}`,
    `b${event % 2}`,
    `d${(event % 977) + 0.25}`,
  ]
  const target = `${path}?v=${elements.map(encodeURIComponent).join(',')}`
  return { method: 'GET', path: target, headers: { 'user-agent': agent, accept: 'image/*,*/*' } }
}

const toPost = (query: string, type: string, body: Uint8Array): SoakRequest => ({
  method: 'POST',
  path: `/rest/1.0/event${query}`,
  headers: { 'content-type': type, 'content-length': String(body.length) },
  body,
})

const toEnvelope = (event: number, date: number) => ({
  eventName: nameOf(event),
  payload: {
    eventDate: date,
    id: toMark(event),
    path: pathOf(event),
    referrer: referrerOf(event),
    memberId: event % 1_000_000,
    isMember: event % 2 === 0,
    loadMs: (event % 977) + 0.25,
  },
})

const toFields = (event: number, date: number): Uint8Array =>
  encodeFields([
    { id: 1, type: thriftType.i64, value: BigInt(date) },
    { id: 2, type: thriftType.string, value: Buffer.from(toMark(event)) },
    { id: 3, type: thriftType.string, value: Buffer.from(pathOf(event)) },
    { id: 4, type: thriftType.string, value: Buffer.from(referrerOf(event)) },
    { id: 5, type: thriftType.bool, value: event % 2 === 0 },
  ])

/** A framed `Log` call; each message is `<date>:<field list in base64>`. */
const toLog = (events: readonly number[], date: number): Uint8Array => {
  const message = encodeMessage({ name: 'Log', type: messageType.call, sequence: 0 }, writer => {
    writer.fieldHeader(thriftType.list, 1)
    writer.byte(thriftType.struct)
    writer.i32(events.length)
    for (const event of events) {
      writer.fieldHeader(thriftType.string, 1)
      writer.binary(Buffer.from(nameOf(event)))
      writer.fieldHeader(thriftType.string, 2)
      writer.binary(Buffer.from(`${date}:${Buffer.from(toFields(event, date)).toString('base64')}`))
      writer.stop()
    }
  })
  return encodeFrame(message)
}
