/**
 * A {@link Batch} as the payload of a log frame, numbers big-endian:
 *
 *     f64      when it was kept, ms since the epoch
 *     u8 u8    api and format, as numbers of `record-words.ts`
 *     u8       1 when an idempotency key follows:
 *                u16 n, key; u16 n, fingerprint; u32 n, outcome as JSON   (all UTF-8)
 *     u16      number of names, each: u16 n, UTF-8
 *     u32      number of events, each: u32 index, u16 position in the names, u8 granularity
 *              (a number of `record-words.ts`), f64 date
 *     …        body, to the end of the frame
 */
import { FormatError } from '../../errors.ts'
import type { Api } from '../apis.ts'
import type { Batch, EventHead, Outcome } from '../batch.ts'
import { copyBytes } from '../framing/copy-bytes.ts'
import {
  bodyFormatCodes,
  granularityCodes,
  readWord,
  toApi,
  toApiCode,
  toBodyFormat,
  toGranularity,
} from './record-words.ts'

/** A batch whose way in may be that of a later version. */
export type RecordBatch = Omit<Batch, 'api'> & { readonly api: Api | undefined }

export type KeptBatch = RecordBatch & { readonly keptAt: number }

const eventBytes = 15
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A batch ready to be written: its exact size is known before a byte is. */
export type EncodedBatch = {
  readonly byteLength: number
  /** Writes the payload; the target has at least `byteLength` bytes left. */
  write(bytes: Uint8Array, start: number): void
  /** The end of the payload. */
  readonly body: Uint8Array
  /** Writes what stands before the body; returns where that begins. */
  writeHead(bytes: Uint8Array, start: number): number
}

/** Measures a batch; nothing is written yet. */
export const encodeBatch = (batch: RecordBatch, keptAt: number): EncodedBatch => new BatchEncoder(batch, keptAt)

/** A class, because each request makes one. */
class BatchEncoder implements EncodedBatch {
  readonly byteLength: number
  readonly body: Uint8Array
  readonly #batch: RecordBatch
  readonly #keptAt: number
  readonly #names: readonly Uint8Array[]
  /** Where each name stands among them; absent where there is one name, as in most requests. */
  readonly #ids: ReadonlyMap<string, number> | undefined
  readonly #key: readonly Uint8Array[]

  constructor(batch: RecordBatch, keptAt: number) {
    const { events, body, idempotency } = batch
    this.body = body
    this.#batch = batch
    this.#keptAt = keptAt
    this.#ids = toNameIds(events)
    this.#names = this.#ids ? Array.from(this.#ids.keys(), toBytes) : events[0] ? [toBytes(events[0].name)] : []
    this.#key = idempotency ? encodeKey(idempotency) : noKey
    let size = 8 + 3 + 2 + 4 + events.length * eventBytes + body.length
    for (const name of this.#names) size += 2 + name.length
    for (const part of this.#key) size += part.length
    this.byteLength = size
  }

  write(bytes: Uint8Array, start: number): void {
    copyBytes(this.body, bytes, this.writeHead(bytes, start))
  }

  writeHead(bytes: Uint8Array, start: number): number {
    const { api, format, events } = this.#batch
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    let at = start
    view.setFloat64(at, this.#keptAt)
    bytes[at + 8] = toApiCode(api)
    bytes[at + 9] = bodyFormatCodes[format]
    bytes[at + 10] = this.#key.length > 0 ? 1 : 0
    at += 11
    for (const part of this.#key) {
      bytes.set(part, at)
      at += part.length
    }
    view.setUint16(at, this.#names.length)
    at += 2
    for (const name of this.#names) {
      view.setUint16(at, name.length)
      bytes.set(name, at + 2)
      at += 2 + name.length
    }
    view.setUint32(at, events.length)
    at += 4
    let lastName: string | undefined
    let id = 0
    for (const { index, name, granularity, date } of events) {
      // Nearly always the name of the event before it.
      if (name !== lastName) id = this.#ids?.get(name) ?? 0
      lastName = name
      view.setUint32(at, index)
      view.setUint16(at + 4, id)
      bytes[at + 6] = granularityCodes[granularity]
      view.setFloat64(at + 7, date)
      at += eventBytes
    }
    return at
  }
}

/** Undefined when there are not even two. */
const toNameIds = (events: readonly EventHead[]): ReadonlyMap<string, number> | undefined => {
  const first = events[0]?.name
  let last = first
  let ids: Map<string, number> | undefined
  for (const { name } of events) {
    if (name === last) continue
    last = name
    ids ??= new Map([[first ?? '', 0]])
    if (!ids.has(name)) ids.set(name, ids.size)
  }
  return ids
}

const toBytes = (text: string): Uint8Array => Buffer.from(text)

const noKey: readonly Uint8Array[] = []

/**
 * Reads a payload back; the body is a view of it.
 * @throws FormatError when it is not a batch: its CRC fitted, so another version wrote it
 */
export const decodeBatch = (payload: Uint8Array): KeptBatch => {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  try {
    const keptAt = view.getFloat64(0)
    const api = toApi(view.getUint8(8))
    const format = readWord(toBodyFormat, view.getUint8(9), 9)
    let at = 11
    const text = (lengthBytes: 2 | 4): string => {
      const length = lengthBytes === 2 ? view.getUint16(at) : view.getUint32(at)
      at += lengthBytes + length
      return decoder.decode(payload.subarray(at - length, at))
    }
    const idempotency =
      view.getUint8(10) === 1
        ? { key: text(2), fingerprint: text(2), outcome: JSON.parse(text(4)) as Outcome }
        : undefined
    const nameCount = view.getUint16(at)
    at += 2
    const names: string[] = []
    for (let i = 0; i < nameCount; i++) names.push(text(2))
    const eventCount = view.getUint32(at)
    at += 4
    if (eventCount * eventBytes > payload.length - at) throw new RangeError(`${eventCount} events do not fit`)
    const events: EventHead[] = []
    for (let i = 0; i < eventCount; i++, at += eventBytes) {
      events.push({
        index: view.getUint32(at),
        name: nameAt(names, view.getUint16(at + 4), at + 4),
        granularity: readWord(toGranularity, view.getUint8(at + 6), at + 6),
        date: view.getFloat64(at + 7),
      })
    }
    return { keptAt, api, format, events, body: payload.subarray(at), ...(idempotency ? { idempotency } : {}) }
  } catch (error) {
    if (error instanceof FormatError) throw error
    throw new FormatError('spool record', 0, 'expected a batch of this version', { cause: error })
  }
}

const encodeKey = ({ key, fingerprint, outcome }: NonNullable<Batch['idempotency']>): Uint8Array[] => [
  ...prefixed(encoder.encode(key), 2),
  ...prefixed(encoder.encode(fingerprint), 2),
  ...prefixed(encoder.encode(JSON.stringify(outcome)), 4),
]

const prefixed = (bytes: Uint8Array, lengthBytes: 2 | 4): [Uint8Array, Uint8Array] => {
  const prefix = new Uint8Array(lengthBytes)
  const view = new DataView(prefix.buffer)
  if (lengthBytes === 2) view.setUint16(0, bytes.length)
  else view.setUint32(0, bytes.length)
  return [prefix, bytes]
}

const nameAt = (names: readonly string[], index: number, offset: number): string => {
  const name = names[index]
  if (name === undefined) throw new FormatError('spool record', offset, `there are ${names.length} names, not ${index}`)
  return name
}
