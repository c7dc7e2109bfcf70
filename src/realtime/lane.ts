import type { BrokerConnection, Fate } from './broker.ts'
import { createFifo } from './fifo.ts'
import type { Message } from './message.ts'

/**
 * Figures of one event type since it was added. At any time
 *
 *     offered  = enqueued + dropped
 *     enqueued = sent + errored + queueSize + those under way at the broker
 */
export type LaneFigures = {
  readonly type: string
  readonly enqueued: number
  readonly sent: number
  readonly dropped: number
  readonly errored: number
  readonly queueSize: number
  readonly maxQueueSize: number
}

/** The bounded queue of one event type, and what sends from it. */
export type Lane = {
  readonly figures: () => LaneFigures
  /** Whether one more event may wait; counts it as enqueued, or as dropped. */
  reserve(): boolean
  /** Counts an event that may not wait for another reason. */
  drop(): void
  /** Queues the message of a reserved event. */
  push(message: Message): void
  /** A reserved event cannot become a message. */
  fail(): void
  /** Whether reserved events should become messages now: there are none to send soon, and somebody takes them. */
  isHungry(): boolean
  /** There may be a connection now. */
  wake(): void
  /** Gives up what waits; what is under way goes on, uncounted. */
  close(): void
}

export type LaneOptions = {
  readonly type: string
  readonly topic: string
  readonly maxQueueSize: number
  /** The connection to send over; undefined while there is none, or nothing is to be sent. */
  readonly connection: () => BrokerConnection | undefined
  /** Told what became of each message, for the bounds and the notes that all types share. */
  readonly onSettled: (message: Message, fate: Exclude<Fate, 'again'>) => void
  /** The lane may have become hungry. @default nobody asks */
  readonly onHungry?: () => void
  /** @default {@link defaultMaxInFlight} */
  readonly maxInFlight?: number
}

/**
 * Messages of one type that are under way at one time. Enough to hide the way to a broker; few, because they are
 * encoded in one go, and intake waits that long for the processor.
 */
export const defaultMaxInFlight = 64

/** A lane that sends as long as there is a connection. */
export const createLane = (options: LaneOptions): Lane => {
  const { type, topic, maxQueueSize, connection, onSettled, onHungry = () => {} } = options
  const { maxInFlight = defaultMaxInFlight } = options
  const queue = createFifo<Message>()
  const counts = { enqueued: 0, sent: 0, dropped: 0, errored: 0 }
  /** Reserved, and not yet a message. */
  let coming = 0
  let isSending = false
  let isClosed = false

  const settle = (message: Message, fate: Exclude<Fate, 'again'>): void => {
    if (fate === 'sent') counts.sent++
    else counts.errored++
    onSettled(message, fate)
  }
  const send = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    // The messages of one batch come one after another, and are to go together.
    await Promise.resolve()
    for (let over = connection(); over && queue.length > 0; over = connection()) {
      const messages = queue.take(maxInFlight)
      if (coming > 0) onHungry()
      const fates = await over.send(topic, messages)
      const again = messages.filter((message, index) => {
        const fate = fates[index] ?? 'again'
        if (fate !== 'again') settle(message, fate)
        return fate === 'again'
      })
      // In front of the younger ones, so that order lasts. The next connection wakes this lane.
      if (again.length > 0) {
        if (isClosed) for (const message of again) onSettled(message, { refused: 'no longer forwarded' })
        else queue.putBack(again)
        if (connection() === over) break
      }
    }
    isSending = false
  }
  const wake = (): void => void send()
  return {
    figures: () => ({ type, ...counts, queueSize: queue.length + coming, maxQueueSize }),
    reserve() {
      if (isClosed || queue.length + coming >= maxQueueSize) {
        counts.dropped++
        return false
      }
      counts.enqueued++
      coming++
      return true
    },
    drop: () => void counts.dropped++,
    push(message) {
      coming--
      queue.push(message)
      if (isClosed) for (const one of queue.clear()) onSettled(one, { refused: 'no longer forwarded' })
      else wake()
    },
    fail() {
      coming--
      counts.errored++
    },
    isHungry: () => coming > 0 && (isClosed || (queue.length < maxInFlight && connection() !== undefined)),
    wake() {
      wake()
      if (coming > 0) onHungry()
    },
    close() {
      isClosed = true
      for (const message of queue.clear()) onSettled(message, { refused: 'no longer forwarded' })
      onHungry()
    },
  }
}
