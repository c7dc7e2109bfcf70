/**
 * The events of a file until they become rows of columns, in order. Of those whose payload is JSON as it was sent, the bytes
 * are kept, in blocks; numbers are little-endian:
 *
 *     date:8 (double) granularity:1 flags:1 length:4 id payload
 *     date:8          granularity:1 1:1     ff ff ff ff     one that is kept as an object, beside the blocks
 *
 *     flags   a sum: 1, its payload has a granularity; 2, it has an id, as text
 */
import { Buffer } from 'node:buffer'
import type { EventHead } from '../batch.ts'
import type { Payload } from '../events/decode-events.ts'
import type { SentEvent } from '../events/sent-events.ts'
import { blockBytes, type HeldBlocks } from './held-blocks.ts'

/** A payload as it was sent: valid until the next one is asked for. */
export type HeldPayload = {
  bytes: Buffer
  /** From its opening brace */
  start: number
  /** to the byte after the closing one. */
  end: number
  date: number
  /** Where the payload does not say it itself. */
  granularity: string | undefined
  /** In base64url. */
  id: string | undefined
}

/** A payload that had to become an object. */
export type HeldObject = {
  readonly payload: Payload
  readonly isTyped: boolean
  readonly date: number
  readonly id?: string | undefined
}

const headBytes = 14
const isObject = 0xff_ff_ff_ff
const flags = { granularity: 1, id: 2 } as const
/** Characters of an id. */
const idLength = 22

export class HeldEvents {
  readonly #memory: HeldBlocks
  /** Blocks, and one of its own for a payload that is larger, */
  #blocks: Buffer[] = []
  /** and where what is in each ends. */
  #ends: number[] = []
  #objects: HeldObject[] = []
  #granularities: EventHead['granularity'][] = []
  #lastDate = Number.NEGATIVE_INFINITY
  /** Whether no event is older than the one before it. */
  #isByDate = true
  count = 0

  constructor(memory: HeldBlocks) {
    this.#memory = memory
  }

  add({ head, body, start, end, hasGranularity }: SentEvent, id?: string): void {
    const granularity = hasGranularity ? flags.granularity : 0
    const at = this.#addHead(head, id === undefined ? granularity : granularity | flags.id, end - start)
    const block = this.#blocks.at(-1)
    if (id !== undefined) block?.write(id, at - idLength, 'latin1')
    block?.set(body.subarray(start, end), at)
    this.#ends[this.#ends.length - 1] = at + end - start
    this.count++
  }

  addObject(head: EventHead, object: HeldObject): void {
    this.#addHead(head, flags.granularity, isObject)
    this.#objects.push(object)
    this.count++
  }

  /** In order of arrival, from one on. */
  *events(first = 0): Generator<HeldPayload | HeldObject> {
    const payload = noPayload()
    let number = 0
    for (const { bytes, at, object } of this.#places()) {
      if (number++ >= first) yield this.#read(payload, bytes, at, object)
    }
  }

  /** The oldest first; those of one date in order of arrival. */
  *eventsByDate(): Generator<HeldPayload | HeldObject> {
    if (this.#isByDate) return yield* this.events()
    const payload = noPayload()
    const dates = new Float64Array(this.count)
    const places: Place[] = []
    for (const { bytes, at, object } of this.#places()) {
      dates[places.length] = bytes.readDoubleLE(at)
      places.push({ bytes, at, object })
    }
    const order = Uint32Array.from(dates.keys())
    order.sort((a, b) => (dates[a] as number) - (dates[b] as number) || a - b)
    for (const i of order) {
      const { bytes, at, object } = places[i] as Place
      yield this.#read(payload, bytes, at, object)
    }
  }

  /** Valid until the next one is asked for. */
  *#places(): Generator<Readonly<Place>> {
    const place: Place = { bytes: noBytes, at: 0, object: 0 }
    for (const [i, bytes] of this.#blocks.entries()) {
      place.bytes = bytes
      for (let at = 0; at < (this.#ends[i] as number); ) {
        place.at = at
        yield place
        const length = bytes.readUInt32LE(at + 10)
        if (length === isObject) place.object++
        const head = headBytes + idLengthOf(bytes[at + 9] as number)
        at += head + (length === isObject ? 0 : length)
      }
    }
  }

  #read(into: HeldPayload, bytes: Buffer, at: number, object: number): HeldPayload | HeldObject {
    const length = bytes.readUInt32LE(at + 10)
    if (length === isObject) return this.#objects[object] as HeldObject
    into.bytes = bytes
    const flag = bytes[at + 9] as number
    into.start = at + headBytes + idLengthOf(flag)
    into.id = (flag & flags.id) === 0 ? undefined : bytes.toString('latin1', at + headBytes, into.start)
    into.end = into.start + length
    into.date = bytes.readDoubleLE(at)
    into.granularity = (flag & flags.granularity) !== 0 ? undefined : this.#granularities[bytes[at + 8] as number]
    return into
  }

  clear(): void {
    for (const block of this.#blocks) if (block.length === blockBytes) this.#memory.give(block)
    this.#blocks = []
    this.#ends = []
    this.#objects = []
    this.#lastDate = Number.NEGATIVE_INFINITY
    this.#isByDate = true
    this.count = 0
  }

  /** @returns where the payload goes to in the last block */
  #addHead({ date, granularity }: EventHead, flag: number, length: number): number {
    const head = headBytes + idLengthOf(flag)
    const needed = head + (length === isObject ? 0 : length)
    let end = this.#ends.at(-1) ?? 0
    let block = this.#blocks.at(-1)
    if (!block || end + needed > block.length) {
      block = needed > blockBytes ? Buffer.allocUnsafeSlow(needed) : this.#memory.take()
      this.#blocks.push(block)
      this.#ends.push(0)
      end = 0
    }
    let number = this.#granularities.indexOf(granularity)
    if (number < 0) number = this.#granularities.push(granularity) - 1
    if (date < this.#lastDate) this.#isByDate = false
    this.#lastDate = date
    block.writeDoubleLE(date, end)
    block[end + 8] = number
    block[end + 9] = flag
    block.writeUInt32LE(length, end + 10)
    this.#ends[this.#ends.length - 1] = end + head
    return end + head
  }
}

const idLengthOf = (flag: number): number => ((flag & flags.id) === 0 ? 0 : idLength)

const noBytes = Buffer.alloc(0)

const noPayload = (): HeldPayload => ({
  bytes: noBytes,
  start: 0,
  end: 0,
  date: 0,
  granularity: undefined,
  id: undefined,
})

/** Where an event begins, and which of the objects it would be. */
type Place = { bytes: Buffer; at: number; object: number }
