import type { Broker, BrokerConnection, Fate } from '../../src/realtime/brokers/broker.ts'
import type { Message } from '../../src/realtime/message.ts'

/** One request at the fake broker, to be answered by the test. */
export type FakeRequest = {
  readonly topic: string
  readonly messages: readonly Message[]
  readonly answer: (fates: readonly Fate[]) => void
}

/** A broker in memory that does what a test wants. */
export type FakeBroker = Omit<Broker, 'toTopic'> & {
  toTopic: Broker['toTopic']
  /** Messages that were acknowledged, by topic. */
  readonly sent: Map<string, Message[]>
  /** Requests without an answer: all, while {@link FakeBroker.holds} is set. */
  readonly requests: FakeRequest[]
  readonly attempts: () => number
  /** What becomes of a message. @default sent */
  fate: (message: Message) => Fate
  holds: boolean
  /** Connections fail with this, when it is set. */
  away: string
  /** What becomes of messages under way when a connection ends. @default again */
  lostFate: Fate
  /** Whether it hangs up over a request. */
  cuts: (messages: readonly Message[]) => boolean
  /** Connections that are open. */
  readonly open: () => number
  /** Ends the connection that was opened last. */
  lose(reason: string): void
}

/** Answers at once, until told otherwise. */
export const createFakeBroker = (): FakeBroker => {
  let attempts = 0
  let end = (_reason: string): void => {}
  let open = 0
  const broker: FakeBroker = {
    url: 'fake://broker',
    sent: new Map(),
    requests: [],
    attempts: () => attempts,
    fate: () => 'sent',
    lostFate: 'again',
    cuts: () => false,
    open: () => open,
    holds: false,
    away: '',
    toTopic: eventName => `topic of ${eventName}`,
    connect: async () => {
      attempts++
      if (broker.away !== '') throw new Error(broker.away)
      const { promise: lost, resolve } = Promise.withResolvers<string>()
      end = resolve
      open++
      void lost.then(() => open--)
      return connection(broker, lost, resolve)
    },
    close: () => {},
    lose: reason => end(reason),
  }
  return broker
}

const connection = (broker: FakeBroker, lost: Promise<string>, end: (reason: string) => void): BrokerConnection => ({
  lost,
  send: async (topic, messages) => {
    const answered = new Promise<readonly Fate[]>(answer => {
      if (broker.cuts(messages)) end('it hung up')
      else if (broker.holds) broker.requests.push({ topic, messages, answer })
      else answer(messages.map(message => broker.fate(message)))
    })
    const fates = await Promise.race([answered, lost.then((): readonly Fate[] => messages.map(() => broker.lostFate))])
    const sent = broker.sent.get(topic) ?? []
    broker.sent.set(topic, [...sent, ...messages.filter((_, index) => fates[index] === 'sent')])
    if (fates.some(fate => fate === 'again' || fate === 'cut')) end('a message is to be sent again')
    return fates
  },
  close: async () => end('closed'),
})
