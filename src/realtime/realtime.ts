/**
 * Forwards events of chosen types to a broker, beside intake and never in its way: an event is offered after it is on
 * the disk, waits in the bounded queue of its type, and is dropped and counted when that is full. What waits is kept
 * while the broker is unavailable or forwarding is disabled, and is gone with the process.
 */
import { startTimeout } from '../runtime/timers.ts'
import type { Batch, EventHead } from '../spool/batch.ts'
import { createApart } from './apart.ts'
import type { Broker } from './brokers/broker.ts'
import { type Counts, createCounts } from './counts.ts'
import { createDecoder } from './decoder.ts'
import { type RealtimeHealth, toHealth } from './health.ts'
import { createLink, type LinkOptions, waitQuietly } from './link.ts'
import { createToMessage, type Message, type MessageOptions } from './message.ts'
import { createRefusedMessageLog } from './refusal-log.ts'
import { createTypeLane, type FinalFate, type LaneFigures, type TypeLane } from './type-lane.ts'
import { createTypeLanes } from './type-lanes.ts'

/** Bodies and messages that may wait over all types, in bytes: a queue of many events may be one of large ones. */
export const defaultMaxWaitingBytes = 128 << 20

/** How long {@link Realtime.close} waits for a broker that answers. */
const closeTimeoutMs = 3_000

export type RealtimeOptions = MessageOptions & {
  readonly broker: Broker
  /** Event types to forward from the start. */
  readonly types: readonly string[]
  /** Messages that may wait, per type. */
  readonly maxQueueSize: number
  /** Most bytes of a request of more than one message; a larger message goes alone. */
  readonly maxRequestBytes: number
  readonly log: LinkOptions['log']
  /** @default {@link defaultMaxWaitingBytes} */
  readonly maxWaitingBytes?: number
  /** @default the lane's */
  readonly maxInFlight?: number
  /** @default the link's */
  readonly wait?: NonNullable<LinkOptions['wait']>
}

/** The realtime subsystem, running. */
export type Realtime = {
  /**
   * Takes the events of a kept batch that are to be forwarded. Costs next to nothing, never waits, never throws.
   * @param origin is asked for the trace of its request, in the form of W3C Trace Context, once one of them is taken
   */
  readonly offer: (batch: Batch, origin?: { readonly traceparent?: string | undefined }) => void
  /** Of the health report. */
  readonly health: () => RealtimeHealth
  /** False after {@link Realtime.disable}. */
  readonly isEnabled: () => boolean
  /** Events of forwarded types that arrived while it was disabled. */
  readonly ignored: () => number
  readonly types: () => readonly LaneFigures[]
  /** Since the start, with the types that are no longer forwarded. */
  readonly total: () => Readonly<Counts>
  readonly enable: () => void
  /** Ends the connection; new events are ignored, waiting ones are kept. */
  readonly disable: () => void
  /** Whether it was new. @throws SluiceError `bad-event-name`; `bad-parameter` beyond `maxTypes` */
  readonly addType: (type: string) => boolean
  /** Whether it was there; what waited is given up. */
  readonly removeType: (type: string) => boolean
  /**
   * Looks whether these types can take the place of those that are forwarded.
   * @returns what makes it so; a type that stays keeps what waits
   * @throws SluiceError as {@link Realtime.addType}
   */
  readonly prepareTypes: (types: readonly string[]) => () => void
  /** Sends what waits, when the broker takes it at once, and ends the connection; what it did not take is logged. */
  close(): Promise<void>
}

/**
 * Starts forwarding; the broker need not be there yet.
 * @throws SluiceError for a name that cannot be an event type
 */
export const createRealtime = (options: RealtimeOptions): Realtime => {
  const { broker, maxQueueSize, maxRequestBytes, log, maxWaitingBytes = defaultMaxWaitingBytes } = options
  const { wait = waitQuietly } = options
  const counts = createCounts()
  const logRefusal = createRefusedMessageLog(log)
  let isEnabled = true
  let ignored = 0
  let waitingBytes = 0
  let lastRefusal = ''
  let onSettled = (): void => {}

  const link = createLink({
    broker,
    log,
    wait,
    onUp: () => lanes.wake(),
  })
  const apart = createApart({ broker, wait })
  const decoder = createDecoder({
    toMessage: createToMessage(options),
    isWanted: () => lanes.areHungry(),
    onMessage: message => {
      waitingBytes += toCost(message)
    },
    onError: error => {
      lastRefusal = String(error)
    },
    onDone: ({ body }) => {
      waitingBytes -= body.length
      onSettled()
    },
  })
  const settle = (message: Message, fate: FinalFate): void => {
    waitingBytes -= toCost(message)
    if (fate === 'sent') link.works()
    else {
      lastRefusal = `${fate.refused} (${message.eventName}, ${message.bytes} bytes)`
      logRefusal(message, fate.refused)
    }
    onSettled()
  }
  const lanes = createTypeLanes({
    broker,
    log,
    open: place =>
      createTypeLane({
        ...place,
        maxQueueSize,
        maxRequestBytes,
        counts: counts.of(place.type),
        connection: link.connection,
        onSettled: settle,
        onCut: suspect => apart.add(suspect),
        onHungry: () => decoder.wake(),
        ...(options.maxInFlight === undefined ? {} : { maxInFlight: options.maxInFlight }),
      }),
  })
  /** Resolves when nothing waits any more. */
  const whenIdle = (): Promise<void> =>
    new Promise(done => {
      onSettled = () => {
        if (waitingBytes === 0) done()
      }
      onSettled()
    })
  const stop = async (): Promise<void> => {
    await Promise.all([link.stop(), apart.stop()])
    broker.close()
  }
  for (const type of options.types) lanes.add(type)
  link.start()

  return {
    offer(batch, origin) {
      if (lanes.size === 0) return
      const hasRoom = waitingBytes + batch.body.length <= maxWaitingBytes
      const events: EventHead[] = []
      const taken: TypeLane[] = []
      for (const head of batch.events) {
        const lane = lanes.find(head.name)
        if (!lane) continue
        if (!isEnabled) ignored++
        else if (!hasRoom) lane.drop()
        else if (lane.reserve()) {
          events.push(head)
          taken.push(lane)
        }
      }
      if (events.length === 0) return
      waitingBytes += batch.body.length
      decoder.add({ batch: { ...batch, events }, lanes: taken, traceparent: origin?.traceparent })
    },
    health: () =>
      toHealth({
        types: lanes.figures(),
        total: counts.total(),
        url: broker.url,
        isEnabled,
        isConnected: link.connection() !== undefined,
        problem: link.problem(),
        ignored,
        lastRefusal,
      }),
    isEnabled: () => isEnabled,
    ignored: () => ignored,
    types: lanes.figures,
    total: () => counts.total(),
    enable() {
      isEnabled = true
      link.start()
    },
    disable() {
      isEnabled = false
      void stop()
    },
    addType: lanes.add,
    removeType: lanes.remove,
    prepareTypes: lanes.prepare,
    async close() {
      isEnabled = false
      const problem = link.problem()
      if (link.connection()) await Promise.race([whenIdle(), timeout(closeTimeoutMs)])
      await stop()
      const waiting = lanes.figures().filter(({ queueSize }) => queueSize > 0)
      if (waiting.length === 0) return
      const types = Object.fromEntries(waiting.map(({ type, queueSize }) => [type, queueSize]))
      const messages = waiting.reduce((sum, { queueSize }) => sum + queueSize, 0)
      log.warn(
        { broker: broker.url, messages, types, reason: problem },
        'messages that waited for the broker were discarded at shutdown; the file system still gets their events',
      )
    },
  }
}

/** Bytes that a waiting message takes, roughly. */
const toCost = ({ bytes }: Message): number => bytes + 256

const timeout = (ms: number): Promise<void> => new Promise(done => void startTimeout(done, ms).unref())
