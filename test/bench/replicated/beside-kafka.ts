/** The same events, to a collector whose log is on three DataNodes, and to a bare server in front of three Kafka brokers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MeasureOptions, Sample } from '../measure.ts'
import { startScript } from '../servers.ts'
import { type OpenTrial, withoutProfile } from '../trial.ts'
import { type KafkaBrokers, startKafkaBrokers } from './kafka-brokers.ts'
import type { ProducerArguments } from './kafka-producer.ts'
import { openThreeNodes } from './three-nodes.ts'
import { measureUnderLoad } from './under-load.ts'

export const openBesideKafka: OpenTrial = async options => {
  const place = await mkdtemp(join(options.directory, 'kafka-'))
  const brokers = await startKafkaBrokers(place)
  const close = async (): Promise<void> => {
    await brokers.stop()
    await rm(place, { recursive: true, force: true })
  }
  try {
    const nodes = await openThreeNodes(options)
    let runs = 0
    return {
      sluice: () => nodes.runSluice(options, 'replicated'),
      baseline: () => runKafka(withoutProfile(options), brokers, `events${++runs}`),
      close: async () => void (await Promise.all([nodes.close(), close()])),
    }
  } catch (error) {
    await close()
    throw error
  }
}

const runKafka = async (options: MeasureOptions, brokers: KafkaBrokers, topic: string): Promise<Sample> => {
  const given: ProducerArguments = { brokers: brokers.addresses, topic }
  const server = await startScript(options, 'replicated/kafka-producer.ts', [JSON.stringify(given)])
  try {
    // All brokers have what is answered.
    const settled = async (): Promise<void> => {}
    return await measureUnderLoad({ server, name: 'producer', others: brokers.pids, settled }, options)
  } finally {
    await server.stop()
  }
}
