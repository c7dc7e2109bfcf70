/**
 * Forwards events of chosen types to a broker, beside intake and never in its way: an event is offered after it is on
 * the disk, waits in the bounded queue of its type, and is dropped and counted when that is full. What waits is kept
 * while the broker is unavailable or forwarding is disabled, and is gone with the process.
 */
import { SluiceError } from '../errors.ts'
import type { Batch, EventHead } from '../spool/batch.ts'
import { checkEventName } from '../spool/bucket.ts'
import type { Broker, Fate } from './broker.ts'
import { createDecoder } from './decoder.ts'
import { toHealth } from './health.ts'
import { createLane, type Lane, type LaneFigures } from './lane.ts'
import { createLink, type LinkOptions } from './link.ts'
import { createToMessage, type Message, type MessageOptions } from './message.ts'

/** Most event types that can be forwarded. */
export const maxTypes = 1_000

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
  readonly health: () => { readonly code: 'OK' | 'WARN'; readonly message: string }
  /** False after {@link Realtime.disable}. */
  readonly isEnabled: () => boolean
  /** Events of forwarded types that came while it was disabled. */
  readonly ignored: () => number
  readonly types: () => readonly LaneFigures[]
  readonly enable: () => void
  /** Ends the connection; events that come are ignored, what waits is kept. */
  readonly disable: () => void
  /** Whether it was new. @throws SluiceError `bad-event-name`; `bad-parameter` beyond {@link maxTypes} */
  readonly addType: (type: string) => boolean
  /** Whether it was there; what waited is given up, and its figures with it. */
  readonly removeType: (type: string) => boolean
  /**
   * Looks whether these types can take the place of those that are forwarded.
   * @returns what makes it so; a type that stays keeps what waits
   * @throws SluiceError as {@link Realtime.addType}
   */
  readonly prepareTypes: (types: readonly string[]) => () => void
  /** Sends what waits, when the broker takes it at once, and ends the connection. */
  close(): Promise<void>
}

/**
 * Starts forwarding; the broker need not be there yet.
 * @throws SluiceError for a name that cannot be an event type
 */
export const createRealtime = (options: RealtimeOptions): Realtime => {
  const { broker, maxQueueSize, log, maxWaitingBytes = defaultMaxWaitingBytes } = options
  const lanes = new Map<string, Lane>()
  /** Removed, with events that are still to be given up. */
  const leaving = new Set<Lane>()
  let isEnabled = true
  let ignored = 0
  let waitingBytes = 0
  let lastRefusal = ''
  let onSettled = (): void => {}

  const link = createLink({
    broker,
    log,
    ...(options.wait ? { wait: options.wait } : {}),
    onUp: () => {
      for (const lane of lanes.values()) lane.wake()
    },
  })
  const decoder = createDecoder({
    toMessage: createToMessage(options),
    isWanted: () => {
      for (const lane of leaving) if (!lane.isHungry()) leaving.delete(lane)
      return leaving.size > 0 || lanes.values().some(lane => lane.isHungry())
    },
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
  const settle = (message: Message, fate: Exclude<Fate, 'again'>): void => {
    waitingBytes -= toCost(message)
    if (fate === 'sent') link.works()
    else lastRefusal = fate.refused
    onSettled()
  }
  const addType = (type: string): boolean => {
    checkEventName(type)
    if (lanes.has(type)) return false
    if (lanes.size >= maxTypes) throw tooManyTypes()
    const topic = broker.toTopic(type)
    const more = options.maxInFlight === undefined ? {} : { maxInFlight: options.maxInFlight }
    const lane = createLane({
      type,
      topic,
      maxQueueSize,
      connection: link.connection,
      onSettled: settle,
      onHungry: () => decoder.wake(),
      ...more,
    })
    lanes.set(type, lane)
    return true
  }
  const removeType = (type: string): boolean => {
    const lane = lanes.get(type)
    lane?.close()
    if (lane?.isHungry()) leaving.add(lane)
    return lanes.delete(type)
  }
  const figures = (): readonly LaneFigures[] => Array.from(lanes.values(), lane => lane.figures())
  /** Resolves when nothing waits any more. */
  const whenIdle = (): Promise<void> =>
    new Promise(done => {
      onSettled = () => {
        if (waitingBytes === 0) done()
      }
      onSettled()
    })
  for (const type of options.types) addType(type)
  link.start()

  return {
    offer(batch, origin) {
      if (lanes.size === 0) return
      const hasRoom = waitingBytes + batch.body.length <= maxWaitingBytes
      const events: EventHead[] = []
      const taken: Lane[] = []
      for (const head of batch.events) {
        const lane = lanes.get(head.name)
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
        types: figures(),
        url: broker.url,
        isEnabled,
        isConnected: link.connection() !== undefined,
        problem: link.problem(),
        ignored,
        lastRefusal,
      }),
    isEnabled: () => isEnabled,
    ignored: () => ignored,
    types: figures,
    enable() {
      isEnabled = true
      link.start()
    },
    disable() {
      isEnabled = false
      void link.stop()
    },
    addType,
    removeType,
    prepareTypes(types) {
      types.forEach(checkEventName)
      const wanted = new Set(types)
      if (wanted.size > maxTypes) throw tooManyTypes()
      return () => {
        for (const type of lanes.keys()) if (!wanted.has(type)) removeType(type)
        for (const type of wanted) addType(type)
      }
    },
    async close() {
      isEnabled = false
      if (link.connection()) await Promise.race([whenIdle(), timeout(closeTimeoutMs)])
      await link.stop()
    },
  }
}

const tooManyTypes = (): SluiceError =>
  new SluiceError('bad-parameter', `At most ${maxTypes} event types are forwarded`)

/** Bytes that a waiting message takes, roughly. */
const toCost = ({ text }: Message): number => text.length + 256

const timeout = (ms: number): Promise<void> => new Promise(done => void setTimeout(done, ms).unref())
