import { formatBase64Number } from '../../src/formats/base64-number.ts'
import { stringifyJson } from '../../src/formats/json.ts'
import type { Value } from '../../src/formats/number.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { encodeFields, type ThriftField, thriftType } from '../../src/formats/thrift/field-list.ts'
import { toMark } from './marks.ts'

/** The intake routes and formats that crash tests go through. */
export const requestKinds = ['GET /1', 'GET /2', 'POST JSON', 'POST Smile', 'POST Thrift'] as const
export type RequestKind = (typeof requestKinds)[number]

/** Further ones: one event as JSON, and a field list as old clients send it. */
export const moreRequestKinds = ['POST JSON one', 'POST legacy Thrift'] as const
export type AnyRequestKind = RequestKind | (typeof moreRequestKinds)[number]

/** What an event carries besides its number. */
export type Extra = {
  readonly count: bigint
  readonly share: number
  readonly text: string
  /** Of another kind after {@link eventsOfKind} events. */
  readonly mixed: bigint | number | string
  /** A value with members or elements; JSON and Smile only. */
  readonly nested: Value
}

/** More than a file has: the first ones settle what a column is, and later ones do not fit. */
const eventsOfKind = 1_000

/** What an event may carry; the same for the same number. */
export const toExtra = (event: number): Extra => ({
  // Beyond what a double holds exactly, on both sides of zero.
  count: (2n ** 53n + 1n + BigInt(event) * 1_000_000_007n) * (event % 2 === 0 ? 1n : -1n),
  share: event + 0.5,
  text: texts[event % texts.length] ?? '',
  mixed: [BigInt(event), event + 0.25, `kind ${event}`][Math.floor(event / eventsOfKind) % 3] ?? '',
  nested: {
    at: [event, event + 1],
    // Three events have the same text: in many files one of these is the 255th, which Smile spells out each time.
    of: Math.floor(event / eventsOfKind) % 2 === 0 ? { share: 0.5 } : [`odd ${Math.floor(event / 3)}`, { is: true }],
  },
})

const texts = [
  'plain',
  'a,b%2C+c & "q" \\ \t\n\r',
  'grüße 漢字 🚀 \u0000 \u2028',
  '',
  'a longer one, so that events differ in length: '.repeat(8),
]

export type CrashRequestOptions = {
  /** Sent as `Idempotency-Key`. */
  readonly key?: string
  /** @default nothing */
  readonly toExtra?: (event: number) => Extra
}

/** A request with distinguishable events: wherever their bytes are, each number is found in them once. */
export const toCrashRequest = (
  origin: string,
  kind: AnyRequestKind,
  events: readonly number[],
  { key, toExtra }: CrashRequestOptions = {},
): Request => {
  const [first = 0] = events
  const extra = toExtra?.(first)
  const envelopes = events.map(n => ({ eventName: crashName, payload: { id: toMark(n), ...toExtra?.(n) } }))
  const url = `${origin}${path}`
  switch (kind) {
    case 'GET /1':
    case 'GET /2': {
      const version = kind.slice(4)
      const elements = [`s${toMark(first)}`, ...(extra ? toElements(extra, version) : [])]
      return new Request(`${origin}${version}?v=${encodeURIComponent([crashName, ...elements].join(','))}`)
    }
    case 'POST JSON':
      return toPost(url, 'application/json', Buffer.from(stringifyJson(envelopes)), key)
    case 'POST JSON one':
      return toPost(url, 'application/json', Buffer.from(stringifyJson(envelopes[0] ?? null)), key)
    case 'POST Smile': {
      const writer = createSmileWriter()
      writer.write(envelopes)
      return toPost(url, 'application/json+smile', writer.take(), key)
    }
    case 'POST Thrift':
      return toPost(`${url}?name=${crashName}`, 'application/thrift', toFields(first, extra), key)
    case 'POST legacy Thrift':
      return toPost(`${url}?name=${crashName}`, 'application/octet-stream', toFields(first, extra), key)
  }
}

/** How many events a request of this kind can carry. */
export const maxEvents = (kind: AnyRequestKind): number => (kind === 'POST JSON' || kind === 'POST Smile' ? 10 : 1)

/** The type of these events. */
export const crashName = 'Crash'

const path = '/rest/1.0/event'

/** Elements of the query API behind the first. */
const toElements = ({ count, share, text, mixed }: Extra, version: string): string[] =>
  [count, share, text, mixed].map(value => {
    if (typeof value === 'bigint') return `8${version === '/1' ? value : formatBase64Number(value)}`
    return typeof value === 'number' ? `d${value}` : `s${encodeURIComponent(value)}`
  })

const toFields = (event: number, extra: Extra | undefined): Uint8Array => {
  const values = [toMark(event), ...(extra ? [extra.count, extra.share, extra.text, extra.mixed] : [])]
  return encodeFields(values.map((value, index) => toField(index + 1, value)))
}

const toField = (id: number, value: bigint | number | string): ThriftField => {
  if (typeof value === 'bigint') return { id, type: thriftType.i64, value }
  if (typeof value === 'number') return { id, type: thriftType.double, value }
  return { id, type: thriftType.string, value: new TextEncoder().encode(value) }
}

const toPost = (url: string, type: string, body: Uint8Array, key: string | undefined): Request =>
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: new Uint8Array(body),
  })
