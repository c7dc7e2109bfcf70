import type { Suspect } from './apart.ts'
import type { BrokerConnection, Fate } from './brokers/broker.ts'
import type { Counts } from './counts.ts'
import { createFifo } from './fifo.ts'
import type { Message } from './message.ts'

/**
 * Figures of one event type since the start. At any time
 *
 *     offered  = enqueued + dropped
 *     enqueued = sent + errored + queueSize + those under way at the broker
 *
 * where `errored` also has those that were given up because their type is no longer forwarded.
 */
export type LaneFigures = Readonly<Counts> & {
  readonly type: string
  /** At the broker. */
  readonly topic: string
  /** Whether it is escaped more than usual, because the broker cannot have it beside the topic of another type. */
  readonly isEscaped: boolean
  readonly queueSize: number
  readonly maxQueueSize: number
}

/** The final outcome for a message. */
export type FinalFate = Exclude<Fate, 'again' | 'cut'>

/** The bounded queue of one event type, and what sends from it. */
export type TypeLane = {
  readonly figures: () => LaneFigures
  /** Whether one more event may wait; counts it as enqueued, or as dropped. */
  reserve(): boolean
  /** Counts an event that may not wait for another reason. */
  drop(): void
  /** Queues the message of a reserved event. */
  push(message: Message): void
  /** A reserved event cannot become a message. */
  fail(): void
  /**
   * Whether reserved events should become messages now: none are left to send soon, and there is a connection for them.
   */
  isHungry(): boolean
  /** There may be a connection now. */
  wake(): void
  /** Gives up what waits; messages under way continue. */
  close(): void
}

export type TypeLaneOptions = {
  readonly type: string
  readonly topic: string
  /** @default false */
  readonly isEscaped?: boolean
  readonly maxQueueSize: number
  /** Most bytes of a request of more than one message. */
  readonly maxRequestBytes: number
  /** What it counts in. */
  readonly counts: Counts
  /** The connection to send over; undefined without one, or while nothing is to be sent. */
  readonly connection: () => BrokerConnection | undefined
  /** Called with the fate of each message, for the bounds and the notes that all types share. */
  readonly onSettled: (message: Message, fate: FinalFate) => void
  /** The lane may have become hungry. @default no calls */
  readonly onHungry?: () => void
  /** The connection ended while its messages were under way: they are tried apart, and nothing is sent until then. */
  readonly onCut: (suspect: Suspect) => void
  /** @default {@link defaultMaxInFlight} */
  readonly maxInFlight?: number
}

/**
 * Messages of one type that are under way at one time. Enough to hide the way to a broker; few, because they are
 * encoded in one go, and intake waits that long for the processor.
 */
export const defaultMaxInFlight = 64

/** A lane that sends as long as there is a connection. */
export const createTypeLane = (options: TypeLaneOptions): TypeLane => {
  const {
    type,
    topic,
    maxQueueSize,
    maxRequestBytes,
    counts,
    connection,
    onSettled,
    onCut,
    onHungry = () => {},
  } = options
  const { maxInFlight = defaultMaxInFlight, isEscaped = false } = options
  const queue = createFifo<Message>(({ bytes }) => bytes)
  /** Reserved, and not yet a message. */
  let coming = 0
  let isSending = false
  let isApart = false
  let isClosed = false

  const settle = (message: Message, fate: FinalFate): void => {
    if (fate === 'sent') counts.sent++
    else counts.errored++
    onSettled(message, fate)
  }
  const giveUp = (messages: readonly Message[]): void => {
    for (const message of messages) settle(message, { refused: 'its type is no longer forwarded' })
  }
  const take = (count: number): readonly Message[] => {
    const messages = queue.take(count, maxRequestBytes)
    if (coming > 0) onHungry()
    return messages
  }
  const give = (messages: readonly Message[], fates: readonly Fate[]): number => {
    const again = messages.filter((message, index) => {
      const fate = fates[index] ?? 'again'
      if (fate === 'again' || fate === 'cut') return true
      settle(message, fate)
      return false
    })
    // In front of the younger ones, so that order lasts.
    if (isClosed) giveUp(again)
    else queue.putBack(again)
    return isClosed ? 0 : again.length
  }
  const release = (): void => {
    isApart = false
    wake()
  }
  const send = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    // The messages of one batch arrive one after another, and are to go together.
    await Promise.resolve()
    for (let over = connection(); !isApart && over && queue.length > 0; over = connection()) {
      const messages = take(maxInFlight)
      const fates = await over.send(topic, messages)
      const again = give(messages, fates)
      if (again > 0 && fates.includes('cut')) {
        isApart = true
        onCut({ topic, count: again, take, give, release })
      }
      // The next connection wakes this lane.
      else if (again > 0 && connection() === over) break
    }
    isSending = false
  }
  const wake = (): void => void send()
  /** For messages to be made that go soon. */
  const hasRoom = (): boolean => queue.length < maxInFlight && queue.weight < maxRequestBytes
  return {
    figures: () => ({ type, topic, isEscaped, ...counts, queueSize: queue.length + coming, maxQueueSize }),
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
      if (isClosed) giveUp(queue.clear())
      else wake()
    },
    fail() {
      coming--
      counts.errored++
    },
    isHungry: () => coming > 0 && (isClosed || (hasRoom() && connection() !== undefined)),
    wake() {
      wake()
      if (coming > 0) onHungry()
    },
    close() {
      isClosed = true
      giveUp(queue.clear())
      onHungry()
    },
  }
}
