import type { Broker, BrokerConnection, Fate } from '../../src/realtime/broker.ts'
import type { Message } from '../../src/realtime/message.ts'

/** One request at the fake broker, to be answered by the test. */
export type FakeRequest = {
  readonly topic: string
  readonly messages: readonly Message[]
  readonly answer: (fates: readonly Fate[]) => void
}

/** A broker in memory that does what a test wants. */
export type FakeBroker = Broker & {
  /** Messages that were acknowledged, by topic. */
  readonly sent: Map<string, Message[]>
  /** Requests that nobody has answered: all, while {@link FakeBroker.holds} is set. */
  readonly requests: FakeRequest[]
  readonly attempts: () => number
  /** What becomes of a message. @default sent */
  fate: (message: Message) => Fate
  holds: boolean
  /** Connections fail with this, when it is set. */
  away: string
  /** Ends the open connection. */
  lose(reason: string): void
}

/** Answers at once, until told otherwise. */
export const createFakeBroker = (): FakeBroker => {
  let attempts = 0
  let end = (_reason: string): void => {}
  const broker: FakeBroker = {
    url: 'fake://broker',
    sent: new Map(),
    requests: [],
    attempts: () => attempts,
    fate: () => 'sent',
    holds: false,
    away: '',
    toTopic: eventName => `topic of ${eventName}`,
    connect: async () => {
      attempts++
      if (broker.away !== '') throw new Error(broker.away)
      const { promise: lost, resolve } = Promise.withResolvers<string>()
      end = resolve
      return connection(broker, lost, resolve)
    },
    lose: reason => end(reason),
  }
  return broker
}

const connection = (broker: FakeBroker, lost: Promise<string>, end: (reason: string) => void): BrokerConnection => ({
  lost,
  send: async (topic, messages) => {
    const answered = new Promise<readonly Fate[]>(answer => {
      if (broker.holds) broker.requests.push({ topic, messages, answer })
      else answer(messages.map(message => broker.fate(message)))
    })
    const fates = await Promise.race([answered, lost.then((): readonly Fate[] => messages.map(() => 'again'))])
    const sent = broker.sent.get(topic) ?? []
    broker.sent.set(topic, [...sent, ...messages.filter((_, index) => fates[index] === 'sent')])
    if (fates.includes('again')) end('a message is to be sent again')
    return fates
  },
  close: async () => end('closed'),
})
