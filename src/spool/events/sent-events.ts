import { parseJson } from '../../formats/json.ts'
import { JsonByteScan } from '../../formats/json-byte-scan.ts'
import { JsonElements } from '../../formats/json-elements.ts'
import type { Value } from '../../formats/number.ts'
import type { EventHead } from '../batch.ts'
import {
  type DecodedEvent,
  decodeEvents,
  type EncodedEvents,
  type Payload,
  payloadOf,
  wholePayload,
} from './decode-events.ts'
import { PayloadScan } from './payload-scan.ts'

/** An event of JSON whose payload may be written as sent; members that it lacks come from the head. */
export class SentEvent {
  readonly kind = 'smile'
  readonly isTyped = false
  readonly head: EventHead
  /** What holds the payload, */
  readonly body: Uint8Array
  /** from its opening brace */
  readonly start: number
  /** to the byte after the closing one. */
  readonly end: number
  readonly isEmpty: boolean
  readonly hasDate: boolean
  readonly hasGranularity: boolean
  /** Of its own, beside the name of the event. */
  readonly hasEventName: boolean

  constructor(head: EventHead, body: Uint8Array, scan: PayloadScan) {
    this.head = head
    this.body = body
    this.start = scan.start
    this.end = scan.end
    this.isEmpty = scan.isEmpty
    this.hasDate = scan.hasDate
    this.hasGranularity = scan.hasGranularity
    this.hasEventName = scan.hasEventName
  }

  get payload(): Payload {
    return wholePayload(parse(this.body, this.start, this.end), this.head)
  }
}

/**
 * As {@link decodeEvents}, for those who write events as JSON: an event whose payload can be passed on unchanged is a
 * {@link SentEvent}, and is not parsed.
 */
export const createSentEvents = (): ((batch: EncodedEvents) => Iterable<DecodedEvent>) => {
  const scan = new PayloadScan()
  return batch => (batch.format === 'json' ? sentEvents(batch, scan) : decodeEvents(batch))
}

function* sentEvents(batch: EncodedEvents, scan: PayloadScan): Generator<DecodedEvent> {
  const { body, events } = batch
  const elements = new JsonElements(body)
  let others: JsonByteScan | undefined
  let index = 0
  for (let i = 0; i < events.length; index++) {
    const head = events[i] as EventHead
    const isThere = elements.skip(body.length) === 'done'
    if (isThere && index !== head.index) {
      others ??= new JsonByteScan(body)
      others.begin(elements.at)
      others.run(body.length)
      elements.at = others.at
      continue
    }
    const end = isThere ? scan.read(body, elements.at) : -1
    if (end < 0) {
      // Not as it should be: then nothing is known of those after it either.
      yield* decodeEvents({ ...batch, events: events.slice(i) })
      return
    }
    const start = elements.at
    elements.at = end
    i++
    if (scan.isPlain) yield new SentEvent(head, body, scan)
    else yield { kind: 'smile', head, payload: payloadOf(parse(body, start, end), head), isTyped: false }
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const parse = (body: Uint8Array, start: number, end: number): Value =>
  parseJson(decoder.decode(body.subarray(start, end)))
