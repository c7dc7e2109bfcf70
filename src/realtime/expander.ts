import type { Batch } from '../spool/batch.ts'
import { type ExpandedEvent, expandBatch } from '../spool/expand.ts'
import type { Lane } from './lane.ts'
import type { Message } from './message.ts'
import { createWaiting, type Expansion } from './waiting.ts'

/**
 * Turns batches into messages while intake has nothing to do, and no sooner than a lane can send them: while the broker
 * is away, or takes nothing, an event costs no more than its place in the queue.
 */
export type Expander = {
  add(expansion: Expansion): void
  /** A lane may have become hungry. */
  wake(): void
  /** Batches that wait or are being worked on. */
  readonly pending: () => number
}

export type ExpanderOptions = {
  readonly toMessage: (event: ExpandedEvent) => Message
  /** A message was made, and is about to be queued. */
  readonly onMessage: (message: Message) => void
  /** Whether a lane of any batch that waits is hungry; asked once for each slice. */
  readonly isWanted: () => boolean
  /** Events cannot become messages; their lanes know. */
  readonly onError: (error: unknown) => void
  /** A batch is done with. */
  readonly onDone: (batch: Batch) => void
  /** Longest piece of work between two turns of the event loop; decoding the body of a batch is one piece. @default 1 */
  readonly sliceMs?: number
}

/** Works a slice per turn of the event loop, so that no request waits for a batch of 100 000 events. */
export const createExpander = (options: ExpanderOptions): Expander => {
  const { toMessage, onMessage, isWanted, onError, onDone, sliceMs = 1 } = options
  const waiting = createWaiting()
  let isScheduled = false
  let current: { readonly expansion: Expansion; readonly events: Iterator<ExpandedEvent>; index: number } | undefined

  const step = (): void => {
    if (!current) {
      const expansion = waiting.shift()
      if (!expansion) return
      current = { expansion, events: expandBatch(expansion.batch), index: 0 }
    }
    const { expansion, events } = current
    const lane = expansion.lanes[current.index]
    if (!lane) {
      finish()
      return
    }
    try {
      const { done, value } = events.next()
      if (done) throw new Error('A batch has fewer events than it lists')
      current.index++
      queue(lane, value)
    } catch (error) {
      failRest(error)
    }
  }
  const queue = (lane: Lane, event: ExpandedEvent): void => {
    let message: Message
    try {
      message = toMessage(event)
    } catch (error) {
      lane.fail()
      onError(error)
      return
    }
    onMessage(message)
    lane.push(message)
  }
  const failRest = (error: unknown): void => {
    for (const lane of current?.expansion.lanes.slice(current.index) ?? []) lane.fail()
    finish()
    onError(error)
  }
  const finish = (): void => {
    if (current) onDone(current.expansion.batch)
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
    add(expansion) {
      waiting.push(expansion)
      if (!isScheduled && expansion.lanes.some(lane => lane.isHungry())) wake()
    },
    wake,
    pending: () => waiting.length + (current ? 1 : 0),
  }
}
