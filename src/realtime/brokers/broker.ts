import type { Message } from '../message.ts'

/**
 * The outcome for a message: the broker has acknowledged it; it is to be sent again over another connection, because it
 * is not known whether the broker has it; the same, and the connection ended while it was under way, perhaps because of
 * it; or the broker refused it, and why.
 */
export type Fate = 'sent' | 'again' | 'cut' | { readonly refused: string }

/** An open connection to a broker. */
export type BrokerConnection = {
  /**
   * Sends messages to one topic, in order, and resolves when the fate of each is known, which may be long. Never
   * rejects. A connection that says `again` or `cut` is lost, or about to be.
   */
  send(topic: string, messages: readonly Message[]): Promise<readonly Fate[]>
  /** Resolves with the reason when either side ends the connection. */
  readonly lost: Promise<string>
  /** Ends it, whatever is under way. */
  close(): Promise<void>
}

/** The client library of a kind of broker, for one address. */
export type BrokerClient = {
  /**
   * Connects once; the signal ends an attempt that is no longer awaited.
   * @throws Error when the broker cannot be reached, or refuses the connection
   */
  connect(signal: AbortSignal): Promise<BrokerConnection>
}

/** A kind of broker at an address. */
export type Broker = BrokerClient & {
  /** Address for people, without secrets. */
  readonly url: string
  /**
   * The topic of an event name, in the characters that this kind of broker takes.
   * @param others topics that it has to go with
   */
  toTopic(eventName: string, others?: readonly string[]): string
  /** Lets go of what is kept from one connection to the next. */
  close(): void
}

/** How messages are sent; `realtime.*` of the settings. */
export type BrokerOptions = {
  /** `amqp://…`, `amqps://…` or `kafka://…`, with credentials and options. */
  readonly url: URL
  /** `{eventName}` is replaced by the event name, encoded. */
  readonly topic: string
  /** Time to live at the broker; 0 means unlimited. */
  readonly ttlMs: number
  /** Whether the broker is asked to store messages. */
  readonly persistent: boolean
}

/** How long connecting may take. */
export const connectTimeoutMs = 10_000

/** An address as it may be shown: no user, password or options. */
export const toShownUrl = (url: URL): string => `${url.protocol}//${url.host}`
