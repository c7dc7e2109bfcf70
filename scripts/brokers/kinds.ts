/** The brokers that can be run here: small, on the loopback address, and without anything a test does not need. */
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Ports of one broker, the same through restarts. */
export type BrokerPorts = { readonly client: number; readonly internal: number }

/** One kind of broker. */
export type BrokerKind = {
  readonly name: 'activemq' | 'kafka'
  readonly version: string
  /** For `realtime.broker`. */
  readonly toUrl: (port: number) => string
  /**
   * Writes what the broker wants to find in its directory; `properties` are Kafka's.
   * @returns main classes with their arguments: the last one is the broker, the ones before it run to their end first
   */
  readonly prepare: (
    directory: string,
    ports: BrokerPorts,
    properties: Readonly<Record<string, string>>,
  ) => Promise<readonly (readonly string[])[]>
}

/** ActiveMQ Classic with its AMQP 1.0 transport, all in memory: topics hold nothing for those who are not there. */
export const activemq: BrokerKind = {
  name: 'activemq',
  version: '6.1.7',
  toUrl: port => `amqp://127.0.0.1:${port}`,
  prepare: async (_directory, { client }) => [
    [
      'org.apache.activemq.console.command.ShellCommand',
      'start',
      `broker:(amqp://127.0.0.1:${client})/sluice?persistent=false&useJmx=false`,
    ],
  ],
}

/** One Kafka node in KRaft mode, broker and controller in one; topics are made when they are first used. */
export const kafka: BrokerKind = {
  name: 'kafka',
  version: '4.1.0',
  toUrl: port => `kafka://127.0.0.1:${port}`,
  prepare: async (directory, { client, internal }, more) => {
    const data = join(directory, 'data')
    const properties = join(directory, 'server.properties')
    const isFormatted = await stat(join(data, 'meta.properties')).then(
      () => true,
      () => false,
    )
    await mkdir(data, { recursive: true })
    await writeFile(properties, toProperties(data, client, internal, more))
    const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties]
    return [...(isFormatted ? [] : [format]), ['kafka.Kafka', properties]]
  },
}

/** 16 bytes in base64; clusters of one node need not differ. */
const clusterId = 'c2x1aWNlLXRlc3Qta2Fma2E'.slice(0, 22)

const toProperties = (data: string, client: number, internal: number, more: Readonly<Record<string, string>>): string =>
  Object.entries({
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${internal}`,
    listeners: `PLAINTEXT://127.0.0.1:${client},CONTROLLER://127.0.0.1:${internal}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'num.partitions': '1',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'num.network.threads': '2',
    'num.io.threads': '2',
    'log.cleaner.enable': 'false',
    // A killed broker may come back when its last session is over.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
    'group.initial.rebalance.delay.ms': '0',
    'auto.create.topics.enable': 'true',
    ...more,
  })
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')
