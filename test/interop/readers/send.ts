import { stringifyJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeFields, type ThriftField } from '../../../src/formats/thrift/field-list.ts'

/** An event, as a client has it. */
export type SentEvent = { readonly name: string; readonly payload: Readonly<Record<string, Value>> }

/** Sends events in one request. @throws Error when not all of them are accepted */
export const sendJson = (server: string, events: readonly SentEvent[]): Promise<void> =>
  post(`${server}${path}`, 'application/json', Buffer.from(stringifyJson(toEnvelopes(events))), events.length)

/** As {@link sendJson}, in Smile. */
export const sendSmile = (server: string, events: readonly SentEvent[]): Promise<void> => {
  const writer = createSmileWriter()
  writer.write(toEnvelopes(events))
  return post(`${server}${path}`, 'application/json+smile', writer.take(), events.length)
}

/** Sends the fields of one Thrift struct, which happened at `date` (ms). */
export const sendThrift = (server: string, name: string, date: number, fields: readonly ThriftField[]): Promise<void> =>
  post(
    `${server}${path}?name=${name}&date=${new Date(date).toISOString()}`,
    'application/thrift',
    encodeFields(fields),
    1,
  )

const path = '/rest/1.0/event'

const toEnvelopes = (events: readonly SentEvent[]): Value[] =>
  events.map(({ name, payload }) => ({ eventName: name, payload: { ...payload } }))

const post = async (url: string, type: string, body: Uint8Array, count: number): Promise<void> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, prefer: 'handling=strict' },
    body: new Uint8Array(body),
  })
  const answer = await response.text()
  if (!answer.startsWith(`{"accepted":${count},"rejected":0`)) throw new Error(`${response.status}: ${answer}`)
}
