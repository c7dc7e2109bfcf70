import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'

/** The intake routes and formats that crash tests go through. */
export const requestKinds = ['GET /1', 'GET /2', 'POST JSON', 'POST Smile', 'POST Thrift'] as const
export type RequestKind = (typeof requestKinds)[number]

/** A request with events that can be told apart: wherever their bytes stand, each number is found in them once. */
export const toCrashRequest = (origin: string, kind: RequestKind, events: readonly number[]): Request => {
  const [first = 0] = events
  const envelopes = events.map(n => ({ eventName: name, payload: { id: toMark(n) } }))
  switch (kind) {
    case 'GET /1':
    case 'GET /2':
      return new Request(`${origin}${kind.slice(4)}?v=${name},s${toMark(first)}`)
    case 'POST JSON':
      return toPost(`${origin}${path}`, 'application/json', Buffer.from(JSON.stringify(envelopes)))
    case 'POST Smile': {
      const writer = createSmileWriter()
      writer.write(envelopes)
      return toPost(`${origin}${path}`, 'application/json+smile', writer.take())
    }
    case 'POST Thrift': {
      const value = new TextEncoder().encode(toMark(first))
      const fields = encodeFields([{ id: 1, type: thriftType.string, value }])
      return toPost(`${origin}${path}?name=${name}`, 'application/thrift', fields)
    }
  }
}

/** How many events a request of this kind can carry. */
export const maxEvents = (kind: RequestKind): number => (kind === 'POST JSON' || kind === 'POST Smile' ? 10 : 1)

/** The numbers of the events whose bytes stand here, in any output format that is not compressed. */
export const findEvents = (bytes: Uint8Array): number[] =>
  [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/E(\d+)E/g),
  ].map(([, digits]) => Number(digits))

const name = 'Crash'
const path = '/rest/1.0/event'

const toMark = (event: number): string => `E${event}E`

const toPost = (url: string, type: string, body: Uint8Array): Request =>
  new Request(url, { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) })
