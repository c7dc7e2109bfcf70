import { formatBase64Number } from '../../src/formats/base64-number.ts'
import { type BinaryKind, createBinaryPost, isBinaryKind } from './binary-posts.ts'
import { createScribeFrame } from './scribe.ts'

/**
 * What one request holds: one JSON event, 100 of them, one event in the query, version 1 or 2, or 100 Scribe entries;
 * the same JSON events in other formats.
 */
export type RequestKind = 'post' | 'batch' | 'get1' | 'get2' | 'scribe' | BinaryKind

/** Events of one batch. */
export const eventsPerBatch = 100

/** Bytes of one JSON event: {@link RequestKind} `post` and `batch`, and what the spool's throughput is measured with. */
export const eventBytes = 315
export const largeEventBytes = 2_048

/** Browsers of old took no longer URL. */
const maxTargetLength = 255

/** Different requests that take turns, so that no cache of one text flatters anybody. */
const variety = 16

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** How many events one request of a kind holds. */
export const eventsOf = (kind: RequestKind): number =>
  kind === 'scribe' || kind.endsWith('batch') ? eventsPerBatch : 1

/** Whole HTTP/1.1 requests, or Thrift frames, ready to be written to a socket. */
export const createRequests = (kind: RequestKind, host: string): readonly Buffer[] =>
  Array.from({ length: variety }, (_, i) => createRequest(kind, host, i))

/** A JSON event of exactly `bytes` bytes, as a web site sends it; `i` makes it differ from others. */
export const createEvent = (i: number, bytes: number): string => {
  const payload = {
    eventDate: Date.now() + i,
    host: `www${i % 20}.example.org`,
    path: `/groups/${(i * 7919) % 5_000}/forum/topics?page=${i % 9}`,
    referrer: `https://search.example.net/?q=term${i % 700}`,
    visitor: ((i + 1) * 104_729 * 65_537).toString(36),
    memberId: 100_000 + i,
    isMember: i % 3 === 0,
    loadMs: (i % 977) + 0.25,
    tags: ['forum', `section-${i % 40}`],
    note: '',
  }
  const missing = bytes - JSON.stringify({ eventName: nameOf(i), payload }).length
  if (missing < 0) throw new RangeError(`An event takes ${bytes - missing} bytes, not ${bytes}`)
  return JSON.stringify({
    eventName: nameOf(i),
    payload: { ...payload, note: 'lorem ipsum '.repeat(200).slice(0, missing) },
  })
}

/** A JSON array of {@link eventsPerBatch} events. */
export const createBatch = (i: number, bytes: number): string =>
  `[${Array.from({ length: eventsPerBatch }, (_, k) => createEvent(i * eventsPerBatch + k, bytes)).join(',')}]`

/** The event's type: few, and neighbours differ. */
export const nameOf = (i: number): string => ['PageView', 'Click_it', 'FormSent'][i % 3] ?? ''

const createRequest = (kind: RequestKind, host: string, i: number): Buffer => {
  if (kind === 'scribe') {
    const entries = Array.from({ length: eventsPerBatch }, (_, k) => i * eventsPerBatch + k)
    return createScribeFrame(entries.map(k => ({ category: nameOf(k), date: Date.now() + k, bytes: eventBytes })))
  }
  if (kind === 'get1' || kind === 'get2') {
    const head = [
      `GET ${createTarget(kind, i)} HTTP/1.1`,
      `Host: ${host}`,
      `User-Agent: ${agent}`,
      'Accept: image/*,*/*',
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n`)
  }
  const json = eventsOf(kind) > 1 ? createBatch(i, eventBytes) : createEvent(i, eventBytes)
  const { query, contentType, body } = isBinaryKind(kind)
    ? createBinaryPost(kind, json)
    : { query: '', contentType: 'application/json', body: Buffer.from(json) }
  const head = [
    `POST /rest/1.0/event${query} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: sluice-bench/1',
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

/** `v` holds what the JSON event holds; text is encoded once as a value and once as a parameter. */
const createTarget = (kind: 'get1' | 'get2', i: number): string => {
  const integer = (value: number): string => (kind === 'get1' ? String(value) : formatBase64Number(BigInt(value)))
  const elements = [
    nameOf(i),
    `8${integer(Date.now() + i)}`,
    `s${encodeURIComponent(`www${i % 20}.example.org`)}`,
    `s${encodeURIComponent(`/groups/${(i * 7919) % 5_000}/forum/topics`)}`,
    `s${encodeURIComponent(`https://search.example.net/?q=term${i % 700}`)}`,
    `s${((i + 1) * 104_729 * 65_537).toString(36)}`,
    `4${integer(100_000 + i)}`,
    `b${i % 2}`,
    `d${(i % 977) + 0.25}`,
  ]
  const target = `/${kind === 'get1' ? 1 : 2}?v=${elements.map(encodeURIComponent).join(',')}`
  if (target.length > maxTargetLength) throw new RangeError(`A target takes ${target.length} characters`)
  return target
}
