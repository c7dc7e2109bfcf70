import { stringifyJson } from '../../formats/json.ts'
import type { Granularity } from '../batch.ts'
import type { DecodedEvent } from './decode-events.ts'
import { flattenPayload, wrapPayload } from './line-values.ts'
import { PiecedBytes } from './pieced-bytes.ts'
import { SentEvent } from './sent-events.ts'

/**
 * `{"eventName", "payload"}` per line: a file can be posted again. Or, without an envelope, the payload alone with the
 * event's name in front, for tables. What a {@link SentEvent} has of it stays as sent.
 */
export class JsonLines {
  readonly extension = 'jsonl'
  readonly #hasEnvelope: boolean
  /** What a line ends with, as text and as bytes. */
  readonly #braces: string
  readonly #end: Uint8Array
  readonly #bytes = new PiecedBytes()
  /** The beginning of a line of the name, up to its payload. */
  #name: string | undefined
  #front: Uint8Array = nothing
  /** How it ends where the payload lacks nothing but that. */
  #granularity: Granularity | undefined
  #granularityEnd: Uint8Array = nothing

  constructor(hasEnvelope: boolean) {
    this.#hasEnvelope = hasEnvelope
    this.#braces = hasEnvelope ? '}}\n' : '}\n'
    this.#end = Buffer.from(this.#braces)
  }

  add(event: DecodedEvent): void {
    if (event instanceof SentEvent) this.#pass(event)
    else {
      const line = stringifyJson(this.#hasEnvelope ? wrapPayload(event) : flattenPayload(event))
      this.#bytes.append(Buffer.from(`${line}\n`))
    }
  }

  get readyBytes(): number {
    return this.#bytes.length
  }

  take(): Uint8Array {
    return this.#bytes.take()
  }

  finish(): Uint8Array {
    return this.#bytes.take()
  }

  #pass(event: SentEvent): void {
    const { body, start, end, hasEventName, isEmpty, head } = event
    const isWhole = this.#hasEnvelope || hasEventName
    const front = !this.#hasEnvelope && hasEventName ? nothing : this.#toFront(head.name)
    // Without its last brace, because members may have to be added, and without the first one if the name goes first
    // among them.
    const payload = body.subarray(isWhole ? start : start + 1, end - 1)
    const separator = isWhole || isEmpty ? nothing : comma
    const rest = this.#toRest(event)
    this.#bytes.reserve(front.length + separator.length + payload.length + rest.length)
    this.#bytes.put(front)
    this.#bytes.put(separator)
    this.#bytes.put(payload)
    this.#bytes.put(rest)
  }

  /** A file has events of one name. */
  #toFront(name: string): Uint8Array {
    if (name !== this.#name) {
      const text = `{"eventName":${JSON.stringify(name)}${this.#hasEnvelope ? ',"payload":' : ''}`
      this.#front = Buffer.from(text)
      this.#name = name
    }
    return this.#front
  }

  /** What is missing in the payload, and the end of the line. */
  #toRest({ hasDate, hasGranularity, isEmpty, head }: SentEvent): Uint8Array {
    if (hasDate && hasGranularity) return this.#end
    if (hasDate) return this.#toGranularity(head.granularity)
    const separator = isEmpty && this.#hasEnvelope ? '' : ','
    const granularity = hasGranularity ? '' : `,"eventGranularity":"${head.granularity}"`
    return Buffer.from(`${separator}"eventDate":${head.date}${granularity}${this.#braces}`)
  }

  /** Most events have a date alone, and a file one granularity. */
  #toGranularity(granularity: Granularity): Uint8Array {
    if (granularity !== this.#granularity) {
      this.#granularity = granularity
      this.#granularityEnd = Buffer.from(`,"eventGranularity":"${granularity}"${this.#braces}`)
    }
    return this.#granularityEnd
  }
}

const nothing = Buffer.alloc(0)
const comma = Buffer.from(',')
