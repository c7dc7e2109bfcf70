/** The same events, to a collector whose log is on three DataNodes, and to a bare server in front of three Kafka brokers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MeasureOptions, Sample } from '../measure.ts'
import { startScript } from '../servers.ts'
import { type OpenTrial, type Trial, withoutProfile } from '../trial.ts'
import { type KafkaBrokers, startKafkaBrokers } from './kafka-brokers.ts'
import type { ProducerArguments } from './kafka-producer.ts'
import { openThreeNodes } from './three-nodes.ts'
import { measureUnderLoad } from './under-load.ts'

export const openBesideKafka: OpenTrial = async options => {
  const place = await mkdtemp(join(options.directory, 'kafka-'))
  const brokers = await startKafkaBrokers(place)
  const stopBrokers = async (): Promise<void> => {
    await brokers.stop()
    await rm(place, { recursive: true, force: true })
  }
  const nodes = await openThreeNodes(options).catch(async error => {
    await stopBrokers()
    throw error
  })
  const unseen = withoutProfile(options)
  let runs = 0
  const trial: Trial = {
    sluice: () => nodes.runSluice(options, 'replicated'),
    baseline: () => runKafka(unseen, brokers, `events${++runs}`),
    close: async () => void (await Promise.all([nodes.close(), stopBrokers()])),
  }
  try {
    // A round that does not count: meanwhile the JVMs of both sides compile what is hot.
    await nodes.runSluice(unseen, 'replicated')
    await trial.baseline()
  } catch (error) {
    await trial.close()
    throw error
  }
  return trial
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
