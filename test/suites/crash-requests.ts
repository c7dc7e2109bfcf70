import { formatBase64Number } from '../../src/formats/base64-number.ts'
import { stringifyJson } from '../../src/formats/json.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { toMark } from './marks.ts'

/** The intake routes and formats that crash tests go through. */
export const requestKinds = ['GET /1', 'GET /2', 'POST JSON', 'POST Smile', 'POST Thrift'] as const
export type RequestKind = (typeof requestKinds)[number]

/** Further ones: one event as JSON, and a field list as old clients send it. */
export const moreRequestKinds = ['POST JSON one', 'POST legacy Thrift'] as const
export type AnyRequestKind = RequestKind | (typeof moreRequestKinds)[number]

/** What an event carries besides its number. */
export type Extra = { readonly count: bigint; readonly share: number; readonly text: string }

export type CrashRequestOptions = {
  /** Sent as `Idempotency-Key`. */
  readonly key?: string
  /** @default nothing */
  readonly toExtra?: (event: number) => Extra
}

/** A request with events that can be told apart: wherever their bytes stand, each number is found in them once. */
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
const toElements = ({ count, share, text }: Extra, version: string): string[] => [
  `8${version === '/1' ? count : formatBase64Number(count)}`,
  `d${share}`,
  `s${encodeURIComponent(text)}`,
]

const toFields = (event: number, extra: Extra | undefined): Uint8Array => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
  return encodeFields([
    { id: 1, type: thriftType.string, value: encode(toMark(event)) },
    ...(extra
      ? [
          { id: 2, type: thriftType.i64, value: extra.count },
          { id: 3, type: thriftType.double, value: extra.share },
          { id: 4, type: thriftType.string, value: encode(extra.text) },
        ]
      : []),
  ])
}

const toPost = (url: string, type: string, body: Uint8Array, key: string | undefined): Request =>
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: new Uint8Array(body),
  })
