import { formatBase64Number } from '../../src/formats/base64-number.ts'
import { type BinaryKind, createBinaryPost, isBinaryKind } from './binary-posts.ts'
import { createFlumeBody, type FlumeKind, isFlumeKind } from './flume-posts.ts'
import { createScribeFrame } from './scribe.ts'

/**
 * What one request holds: one JSON event, 100 of them, one event in the query, version 1 or 2, or 100 Scribe entries;
 * the same JSON events in other formats, or for Flume.
 */
export type RequestKind = 'post' | 'batch' | 'get1' | 'get2' | 'scribe' | BinaryKind | FlumeKind

/** Events of one batch. */
export const eventsPerBatch = 100

/** Bytes of one JSON event: {@link RequestKind} `post` and `batch`, and what the spool's throughput is measured with. */
export const eventBytes = 315
export const largeEventBytes = 2_048

/** Old browsers did not accept a longer URL. */
const maxTargetLength = 255

/**
 * Different requests that take turns, so that a cache of one text does not improve the figures; more where there are
 * more types.
 */
const variety = 16

/** What a {@link RequestKind} of JSON looks like, where it is not as usual. */
export type Shape = {
  /** Of one event, at least {@link leastEventBytes}. @default {@link eventBytes} */
  readonly bytes?: number
  /** Of one batch. @default {@link eventsPerBatch} */
  readonly events?: number
  /** How many event types take turns. @default the three of {@link nameOf} */
  readonly types?: number
}

/** Smallest event that {@link createEvent} makes. */
export const leastEventBytes = 100

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** How many events one request of a kind holds. */
export const eventsOf = (kind: RequestKind, { events = eventsPerBatch }: Shape = {}): number =>
  kind === 'scribe' || kind.endsWith('batch') ? events : 1

/** Whole HTTP/1.1 requests, or Thrift frames, ready to be written to a socket. */
export const createRequests = (kind: RequestKind, host: string, shape: Shape = {}): readonly Buffer[] => {
  const length = Math.max(variety, Math.ceil((shape.types ?? 0) / eventsOf(kind, shape)))
  return Array.from({ length }, (_, i) => createRequest(kind, host, i, shape))
}

/**
 * A JSON event of exactly `bytes` bytes, as a web site sends it; `i` makes it differ from others. One too small for all
 * values has a date and a text.
 */
export const createEvent = (
  i: number,
  bytes: number,
  eventName: string = nameOf(i),
  startedAt: number = Date.now(),
): string => {
  const whole = {
    eventDate: startedAt + i,
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
  const missingIn = (payload: object): number => bytes - JSON.stringify({ eventName, payload }).length
  const payload = missingIn(whole) < 0 ? { eventDate: whole.eventDate, note: '' } : whole
  const missing = missingIn(payload)
  if (missing < 0) throw new RangeError(`An event takes ${bytes - missing} bytes, not ${bytes}`)
  const note = filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing)
  return JSON.stringify({ eventName, payload: { ...payload, note } })
}

const filler = 'lorem ipsum '

/** A JSON array of events, {@link eventsPerBatch} of them unless the shape says more or fewer. */
export const createBatch = (i: number, bytes: number, { events = eventsPerBatch, types }: Shape = {}): string =>
  `[${Array.from({ length: events }, (_, k) => createEvent(i * events + k, bytes, nameOf(i * events + k, types))).join(',')}]`

/** The event's type: few unless said otherwise, and neighbours differ. */
export const nameOf = (i: number, types?: number): string =>
  types === undefined ? (['PageView', 'Click_it', 'FormSent'][i % 3] ?? '') : `Type${i % types}`

const createRequest = (kind: RequestKind, host: string, i: number, shape: Shape): Buffer => {
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
  const { bytes = eventBytes, types } = shape
  const json = kind.endsWith('batch') ? createBatch(i, bytes, shape) : createEvent(i, bytes, nameOf(i, types))
  const { target, contentType, body } = createPost(kind, json)
  const head = [
    `POST ${target} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: sluice-bench/1',
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

type Post = { readonly target: string; readonly contentType: string; readonly body: Uint8Array }

const createPost = (kind: RequestKind, json: string): Post => {
  const contentType = 'application/json'
  if (isFlumeKind(kind)) return { target: '/', contentType, body: createFlumeBody(json) }
  const target = '/rest/1.0/event'
  if (!isBinaryKind(kind)) return { target, contentType, body: Buffer.from(json) }
  const { query, ...post } = createBinaryPost(kind, json)
  return { target: `${target}${query}`, ...post }
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
