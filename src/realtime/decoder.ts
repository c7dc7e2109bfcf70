import { type DecodedEvent, decodeEvents } from '../spool/events/decode-events.ts'
import type { Message } from './message.ts'
import type { TypeLane } from './type-lane.ts'
import { createWaiting, type WaitingBatch } from './waiting.ts'

/**
 * Turns batches into messages while intake has nothing to do, and no sooner than a lane can send them: while the broker
 * is unavailable, or takes nothing, an event costs no more than its place in the queue.
 */
export type Decoder = {
  add(entry: WaitingBatch): void
  /** A lane may have become hungry. */
  wake(): void
  /** Batches that wait or are being worked on. */
  readonly pending: () => number
}

export type DecoderOptions = {
  readonly toMessage: (event: DecodedEvent, traceparent: string | undefined) => Message
  /** A message was made, and is about to be queued. */
  readonly onMessage: (message: Message) => void
  /** Whether a lane of any batch that waits is hungry; asked once for each slice. */
  readonly isWanted: () => boolean
  /** Events cannot become messages; their lanes know. */
  readonly onError: (error: unknown) => void
  /** A batch is done with. */
  readonly onDone: (batch: WaitingBatch['batch']) => void
  /** Longest piece of work between two turns of the event loop; decoding the body of a batch is one piece. @default 1 */
  readonly sliceMs?: number
}

/** Works a slice per turn of the event loop, so that no request waits for a batch of 100 000 events. */
export const createDecoder = (options: DecoderOptions): Decoder => {
  const { toMessage, onMessage, isWanted, onError, onDone, sliceMs = 1 } = options
  const waiting = createWaiting()
  let isScheduled = false
  let current: { readonly entry: WaitingBatch; readonly events: Iterator<DecodedEvent>; index: number } | undefined

  const step = (): void => {
    if (!current) {
      const entry = waiting.shift()
      if (!entry) return
      current = { entry, events: decodeEvents(entry.batch), index: 0 }
    }
    const { entry, events } = current
    const lane = entry.lanes[current.index]
    if (!lane) {
      finish()
      return
    }
    try {
      const { done, value } = events.next()
      if (done) throw new Error('A batch has fewer events than it lists')
      current.index++
      queue(lane, value, entry.traceparent)
    } catch (error) {
      failRest(error)
    }
  }
  const queue = (lane: TypeLane, event: DecodedEvent, traceparent: string | undefined): void => {
    let message: Message
    try {
      message = toMessage(event, traceparent)
    } catch (error) {
      lane.fail()
      onError(error)
      return
    }
    onMessage(message)
    lane.push(message)
  }
  const failRest = (error: unknown): void => {
    for (const lane of current?.entry.lanes.slice(current.index) ?? []) lane.fail()
    finish()
    onError(error)
  }
  const finish = (): void => {
    if (current) onDone(current.entry.batch)
    current = undefined
  }
  const isIdle = (): boolean => !current && waiting.length === 0
  const slice = (): void => {
    isScheduled = false
    if (isIdle() || !isWanted()) return
    const end = performance.now() + sliceMs
    do step()
    while (!isIdle() && performance.now() < end)
    wake()
  }
  const wake = (): void => {
    if (isScheduled || isIdle()) return
    isScheduled = true
    setImmediate(slice)
  }
  return {
    add(entry) {
      waiting.push(entry)
      if (!isScheduled && entry.lanes.some(lane => lane.isHungry())) wake()
    },
    wake,
    pending: () => waiting.length + (current ? 1 : 0),
  }
}
