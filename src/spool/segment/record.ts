/**
 * A {@link Batch} as the payload of a log frame, numbers big-endian:
 *
 *     f64      when it was kept, ms since the epoch
 *     u8 u8    api and format, as numbers of `record-words.ts`
 *     u8       what else there is, as a sum:
 *                1: an idempotency key follows: u16 n, key; u16 n, fingerprint; u32 n, outcome as JSON   (all UTF-8)
 *                2: ids of the events follow them; only in segments of version 4
 *     u16      number of names, each: u16 n, UTF-8
 *     u32      number of events, each: u32 index, u16 position in the names, u8 granularity
 *              (a number of `record-words.ts`), f64 date
 *     …        ids, where there are any: 16 bytes for each event, zeros for one without
 *     …        body, to the end of the frame
 */

import { FormatError } from '../../errors.ts'
import type { Api } from '../apis.ts'
import type { Batch, EventHead, Outcome } from '../batch.ts'
import { eventIdBytes } from '../event-ids.ts'
import { float64At, uint16At, uint32At } from '../framing/big-endian.ts'
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
import { createTextMemory } from './text-memory.ts'

/** A batch whose way in may be that of a later version. */
export type RecordBatch = Omit<Batch, 'api'> & { readonly api: Api | undefined }

export type KeptBatch = RecordBatch & { readonly keptAt: number }

const eventBytes = 15

/** What else a record has. */
const flags = { key: 1, ids: 2 } as const
const allFlags = flags.key | flags.ids

const encoder = new TextEncoder()

/** A batch ready to be written: its exact size is known before a byte is. */
export type EncodedBatch = {
  readonly byteLength: number
  /** Writes the payload; the target has at least `byteLength` bytes left. */
  write(bytes: Uint8Array, start: number): void
  /** The end of the payload. */
  readonly body: Uint8Array
  /** Writes everything before the body; returns where the body begins. */
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
  /** The index of each name; absent with only one name, as in most requests. */
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
    if (batch.eventIds !== undefined) size += events.length * eventIdBytes
    this.byteLength = size
  }

  write(bytes: Uint8Array, start: number): void {
    copyBytes(this.body, bytes, this.writeHead(bytes, start))
  }

  writeHead(bytes: Uint8Array, start: number): number {
    const { api, format, events, eventIds } = this.#batch
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    let at = start
    view.setFloat64(at, this.#keptAt)
    bytes[at + 8] = toApiCode(api)
    bytes[at + 9] = bodyFormatCodes[format]
    bytes[at + 10] = (this.#key.length > 0 ? flags.key : 0) | (eventIds === undefined ? 0 : flags.ids)
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
    if (eventIds === undefined) return at
    bytes.set(eventIds, at)
    return at + eventIds.length
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
 * Reads a payload back, from all of the bytes or a part of them; body and ids are views of it.
 * @throws FormatError when it is not a batch: its CRC matched, so another version wrote it
 */
export const decodeBatch = (bytes: Uint8Array, start = 0, end = bytes.length): KeptBatch => {
  const at = { next: start, end }
  take(at, 11)
  const flag = bytes[start + 10] as number
  if ((flag & ~allFlags) !== 0) throw new FormatError('spool record', 10, `${flag} stands for no word of this version`)
  const format = readWord(toBodyFormat, bytes[start + 9] as number, 9)
  const idempotency =
    (flag & flags.key) !== 0
      ? {
          key: readText(bytes, at, 2),
          fingerprint: readText(bytes, at, 2),
          outcome: parseOutcome(readText(bytes, at, 4)),
        }
      : undefined
  const names: string[] = []
  const namesAt = take(at, 2)
  for (let i = uint16At(bytes, namesAt); i > 0; i--) names.push(readText(bytes, at, 2))
  const eventsAt = take(at, 4)
  const eventCount = uint32At(bytes, eventsAt)
  const events: EventHead[] = []
  let head = take(at, eventCount * eventBytes)
  for (let i = 0; i < eventCount; i++, head += eventBytes) {
    events.push({
      index: uint32At(bytes, head),
      name: nameAt(names, uint16At(bytes, head + 4), head + 4 - start),
      granularity: readWord(toGranularity, bytes[head + 6] as number, head + 6 - start),
      date: float64At(bytes, head + 7),
    })
  }
  const idsAt = (flag & flags.ids) === 0 ? undefined : take(at, eventCount * eventIdBytes)
  const body = bytes.subarray(at.next, end)
  const batch = { keptAt: float64At(bytes, start), api: toApi(bytes[start + 8] as number), format, events, body }
  if (idempotency === undefined && idsAt === undefined) return batch
  return {
    ...batch,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(idsAt === undefined ? {} : { eventIds: bytes.subarray(idsAt, idsAt + eventCount * eventIdBytes) }),
  }
}

/** How far a payload was read. */
type Place = { next: number; readonly end: number }

/** Advances by this many bytes. @returns where they begin @throws FormatError when they are missing */
const take = (at: Place, length: number): number => {
  const { next, end } = at
  if (length > end - next) throw new FormatError('spool record', 0, 'expected a batch of this version')
  at.next += length
  return next
}

/** Names recur. */
const texts = createTextMemory()

const readText = (bytes: Uint8Array, at: Place, lengthBytes: 2 | 4): string => {
  const lengthAt = take(at, lengthBytes)
  const length = lengthBytes === 2 ? uint16At(bytes, lengthAt) : uint32At(bytes, lengthAt)
  return texts.read(bytes, take(at, length), at.next)
}

const parseOutcome = (text: string): Outcome => {
  try {
    return JSON.parse(text) as Outcome
  } catch (error) {
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
