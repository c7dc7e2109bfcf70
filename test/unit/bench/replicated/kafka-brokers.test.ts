import { afterEach, expect, test, vi } from 'vitest'
import { startKafkaBrokers, toBrokerProperties } from '../../../bench/replicated/kafka-brokers.ts'
import { Skipped } from '../../../bench/trial.ts'

afterEach(() => vi.unstubAllEnvs())

test('startKafkaBrokers: skipped with the reason where it is not there', async () => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('JAVA_HOME', '')
  await expect(startKafkaBrokers('/nowhere')).rejects.toThrow(Skipped)
  await expect(startKafkaBrokers('/nowhere')).rejects.toThrow(/^no Kafka\b.*PATH$/)
})

test('toBrokerProperties: each broker is itself, knows all, and keeps copies on all, of which one may be missing', () => {
  const addresses = [1, 2, 3].map(one => ({ client: 9_090 + one, controller: 9_190 + one }))
  const all = addresses.map((_, at) => toBrokerProperties(addresses, at))
  expect(all.map(properties => [properties['node.id'], properties['listeners']])).toEqual([
    ['1', 'PLAINTEXT://127.0.0.1:9091,CONTROLLER://127.0.0.1:9191'],
    ['2', 'PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9192'],
    ['3', 'PLAINTEXT://127.0.0.1:9093,CONTROLLER://127.0.0.1:9193'],
  ])
  for (const properties of all) {
    expect(properties).toMatchObject({
      'controller.quorum.voters': '1@127.0.0.1:9191,2@127.0.0.1:9192,3@127.0.0.1:9193',
      'default.replication.factor': '3',
      'min.insync.replicas': '2',
    })
  }
})
