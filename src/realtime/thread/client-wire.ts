import type { BrokerOptions, Fate } from '../brokers/broker.ts'
import type { Message } from '../message.ts'

/** {@link BrokerOptions} as a thread gets them. */
export type ClientOptions = Omit<BrokerOptions, 'url'> & { readonly url: string }

/** What the thread of a broker's client is asked. At most one connection is open, or being opened, at a time. */
export type ClientCall =
  | { readonly kind: 'connect' }
  | { readonly kind: 'send'; readonly id: number; readonly topic: string; readonly messages: readonly Message[] }
  | { readonly kind: 'close' }

/** What it says. */
export type ClientReply =
  | { readonly kind: 'opened' }
  /** There is no connection, or no longer one. */
  | { readonly kind: 'failed' | 'lost'; readonly reason: string }
  | { readonly kind: 'sent'; readonly id: number; readonly fates: readonly Fate[] }
  | { readonly kind: 'closed' }
