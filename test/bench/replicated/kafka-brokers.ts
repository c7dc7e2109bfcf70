/** A Kafka cluster of three brokers on this machine, each of them a controller as well: what a small one is run as. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { missingForBroker } from '../../../scripts/brokers/artifacts.ts'
import { type RunningBroker, startBroker } from '../../../scripts/brokers/broker.ts'
import { kafka } from '../../../scripts/brokers/kinds.ts'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import type { Other } from '../others/other.ts'
import { Skipped } from '../trial.ts'

/** Where one broker listens. */
export type BrokerAddress = { readonly client: number; readonly controller: number }

export type KafkaBrokers = {
  /** `host:port` of each. */
  readonly addresses: readonly string[]
  /** Of their processes: `broker 1` … */
  readonly pids: Readonly<Record<string, number>>
  stop(): Promise<void>
}

const count = 3
const maxHeapMb = 512

/** Kafka as it takes part here. */
export const kafkaSoftware: Pick<Other, 'describe'> = {
  describe: async () => {
    await needKafka()
    return `Kafka ${kafka.version}`
  },
}

/** @throws Skipped when this machine lacks it */
export const startKafkaBrokers = async (directory: string): Promise<KafkaBrokers> => {
  await needKafka()
  const ports = await findFreePorts(2 * count)
  const addresses = Array.from({ length: count }, (_, at) => ({
    client: ports[2 * at] ?? 0,
    controller: ports[2 * at + 1] ?? 0,
  }))
  // Each waits for the others: none takes connections before most of them vote.
  const starts = addresses.map(async (own, at) => {
    const place = join(directory, `broker${at + 1}`)
    await mkdir(place, { recursive: true })
    const properties = toBrokerProperties(addresses, at)
    return await startBroker(kafka, { directory: place, port: own.client, properties, maxHeapMb, quickStart: false })
  })
  const started = await Promise.allSettled(starts)
  const brokers = started.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const stop = async (): Promise<void> => void (await Promise.all(brokers.map(broker => broker.stop())))
  const failed = started.find(one => one.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  return { addresses: addresses.map(({ client }) => `127.0.0.1:${client}`), pids: toPids(brokers), stop }
}

/**
 * Additional settings of a broker over those of a single one; the rest are Kafka's defaults, so that nothing is synced
 * before it is acknowledged.
 */
export const toBrokerProperties = (
  addresses: readonly BrokerAddress[],
  at: number,
): Readonly<Record<string, string>> => ({
  'node.id': `${at + 1}`,
  'controller.quorum.voters': addresses.map(({ controller }, i) => `${i + 1}@127.0.0.1:${controller}`).join(','),
  listeners: `PLAINTEXT://127.0.0.1:${addresses[at]?.client},CONTROLLER://127.0.0.1:${addresses[at]?.controller}`,
  'default.replication.factor': `${addresses.length}`,
  'min.insync.replicas': `${addresses.length - 1}`,
  // On a busy machine a late one would be considered dead.
  'broker.session.timeout.ms': '9000',
  'broker.heartbeat.interval.ms': '2000',
})

const toPids = (brokers: readonly RunningBroker[]): Readonly<Record<string, number>> =>
  Object.fromEntries(brokers.map((broker, at) => [`broker ${at + 1}`, broker.pid() ?? 0]))

const needKafka = async (): Promise<void> => {
  const missing = await missingForBroker(kafka)
  if (missing !== undefined) throw new Skipped(`no Kafka, ${missing}`)
}
