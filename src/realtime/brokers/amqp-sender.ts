import rhea, { type Message as AmqpMessage, type Connection, type Delivery, type EventContext, type Sender } from 'rhea'
import type { Message } from '../message.ts'
import type { BrokerOptions, Fate } from './broker.ts'
import { toReason } from './reason.ts'

/** A link to one address. */
export type AmqpSender = {
  send(messages: readonly Message[]): Promise<readonly Fate[]>
  /** The connection is lost, and this becomes of what is not acknowledged. */
  lose(fate: Fate): void
}

/**
 * Opens a link in a session of its own: the window of a session is shared by its links, and a slow topic is not to
 * hold up another. `onClosed` is called when the broker ends the link, for example because it does not allow it.
 */
export const createAmqpSender = (
  connection: Connection,
  address: string,
  options: Pick<BrokerOptions, 'ttlMs' | 'persistent'>,
  onClosed: () => void,
): AmqpSender => {
  const session = connection.create_session()
  session.open()
  const sender = session.open_sender({ target: { address } })
  const unsettled = new Map<Delivery, (fate: Fate) => void>()
  /** Why nothing more can be sent; undefined as long as the link is there. */
  let ended: Fate | undefined
  let onSendable = (): void => {}

  const end = (fate: Fate): void => {
    ended ??= fate
    for (const settle of unsettled.values()) settle(ended)
    unsettled.clear()
    onSendable()
  }
  for (const [event, toFate] of Object.entries(outcomes)) {
    sender.on(event, ({ delivery }: EventContext) => {
      if (!delivery) return
      unsettled.get(delivery)?.(toFate(delivery))
      unsettled.delete(delivery)
    })
  }
  sender.on('sendable', () => onSendable())
  sender.on('sender_close', () => {
    onClosed()
    end({ refused: `${address}: ${toReason(sender.error, 'the broker closed the link')}` })
    session.remove()
  })

  const whenSendable = async (): Promise<void> => {
    while (ended === undefined && !sender.sendable()) {
      await new Promise<void>(done => {
        onSendable = done
      })
    }
  }
  return {
    async send(messages) {
      const fates: Promise<Fate>[] = []
      for (const message of messages) {
        await whenSendable()
        fates.push(ended === undefined ? deliver(sender, toAmqp(message, options), unsettled) : Promise.resolve(ended))
      }
      return Promise.all(fates)
    },
    lose: end,
  }
}

const deliver = (sender: Sender, message: AmqpMessage, unsettled: Map<Delivery, (fate: Fate) => void>): Promise<Fate> =>
  new Promise(done => unsettled.set(sender.send(message), done))

/** By the library's events. */
const outcomes: Readonly<Record<string, (delivery: Delivery) => Fate>> = {
  accepted: () => 'sent',
  rejected: delivery => ({ refused: toRejection(delivery) }),
  // No queue takes it (RabbitMQ), or the broker cannot hold it: a retry would end like this one. The library reports
  // `modified` the same way.
  released: () => ({ refused: 'the broker could not deliver the message' }),
  // Without an outcome the broker has taken it over; where there is one, this comes after it.
  settled: () => 'sent',
}

/** A string body is a JMS TextMessage at ActiveMQ, as old subscribers expect; the group is JMSXGroupID. */
const toAmqp = (message: Message, { ttlMs, persistent }: Pick<BrokerOptions, 'ttlMs' | 'persistent'>): AmqpMessage => ({
  durable: persistent,
  ...(ttlMs > 0 ? { ttl: ttlMs } : {}),
  content_type: 'application/json',
  ...(message.key === undefined ? {} : { group_id: message.key }),
  application_properties: {
    eventName: message.eventName,
    eventDate: rhea.types.wrap_long(message.date),
    eventGranularity: message.granularity,
    ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
  },
  body: message.text,
})

const toRejection = ({ remote_state: state }: Delivery): string => {
  const error: unknown = (state as { readonly error?: unknown } | undefined)?.error
  return toReason(error, 'the broker rejected the message')
}
