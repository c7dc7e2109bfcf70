import { randomUUID } from 'node:crypto'
import { Consumer, stringDeserializers } from '@platformatic/kafka'
import rhea from 'rhea'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { missingForBroker } from '../../scripts/brokers/artifacts.ts'
import { type RunningBroker, startBroker } from '../../scripts/brokers/broker.ts'
import { activemq, type BrokerKind, kafka } from '../../scripts/brokers/kinds.ts'
import { isRequired, realParts } from './hdfs.ts'

/** By their names in `SLUICE_REQUIRE`. */
const kinds: Readonly<Record<BrokerName, BrokerKind>> = { amqp: activemq, kafka }
export type BrokerName = 'amqp' | 'kafka'

/**
 * A `describe` with a real broker of its own, which may be killed and started again. Where it cannot run the tests are
 * skipped and the reason is said, or they fail when `SLUICE_REQUIRE` has its name. `properties` are its settings.
 */
export const describeBroker = async (
  name: BrokerName,
  title: string,
  body: (broker: () => RunningBroker) => void,
  properties: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const kind = kinds[name]
  const missing = process.env['SLUICE_NO_BROKERS'] ? 'SLUICE_NO_BROKERS is set' : await missingForBroker(kind)
  if (missing !== undefined) {
    const reason = `${title}: no ${kind.name}, ${missing}`
    if (!isRequired(name)) console.warn(`skipped ${reason}`)
    return void describe.skipIf(!isRequired(name))(reason, () =>
      test(`needs ${kind.name}`, () => {
        throw new Error(`SLUICE_REQUIRE has "${name}", but ${missing}`)
      }),
    )
  }
  describe(title, realParts, () => {
    let running: RunningBroker | undefined
    // The first start on a machine fetches the jars.
    beforeAll(async () => {
      running = await startBroker(kind, { properties })
    })
    afterAll(() => running?.stop())
    body(() => {
      if (!running) throw new Error(`${kind.name} is not running`)
      return running
    })
  })
}

/** A message as a subscriber gets it. */
export type Received = {
  readonly text: string
  readonly key: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  /** Of Kafka. */
  readonly partition?: number
}

export type Subscriber = { readonly received: readonly Received[]; close(): Promise<void> }

/** Listens at an AMQP address; resolves when the broker knows of it. */
export const subscribeAmqp = (url: string, address: string): Promise<Subscriber> =>
  new Promise((done, fail) => {
    const received: Received[] = []
    const container = rhea.create_container()
    const { hostname, port } = new URL(url)
    const connection = container.connect({
      host: hostname,
      port: Number(port),
      username: 'anonymous',
      reconnect: false,
    })
    container.on('disconnected', ({ error }) => fail(error ?? new Error('disconnected')))
    container.on('message', ({ message }) =>
      received.push({
        text: message?.body,
        key: message?.group_id,
        headers: { ...message?.application_properties, durable: message?.durable ?? false, ttl: message?.ttl },
      }),
    )
    container.on('receiver_open', () => done({ received, close: async () => connection.close() }))
    connection.open_receiver(address)
  })

/** Reads a Kafka topic from its beginning. */
export const subscribeKafka = async (url: string, topic: string): Promise<Subscriber> => {
  const received: Received[] = []
  const consumer = new Consumer({
    groupId: randomUUID(),
    clientId: 'test',
    bootstrapBrokers: [new URL(url).host],
    deserializers: stringDeserializers,
    maxWaitTime: 200,
    autocommit: false,
    autocreateTopics: true,
  })
  const stream = await consumer.consume({ topics: [topic], mode: 'earliest' })
  stream.on('error', () => {})
  stream.on('data', ({ key, value, headers, partition }) =>
    received.push({ text: value, key, headers: Object.fromEntries(headers), partition }),
  )
  return {
    received,
    close: async () => {
      await stream.close()
      await consumer.close(true)
    },
  }
}
