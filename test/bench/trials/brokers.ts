/** R17: intake while all its events are to go to a broker that is unavailable or takes nothing, against no broker at all. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import rhea from 'rhea'
import { nameOf } from '../events.ts'
import type { Sample } from '../measure.ts'
import { startSluice } from '../servers.ts'
import { type OpenTrial, type Trial, type TrialOptions, withoutProfile } from '../trial.ts'
import { load } from './disturbed.ts'

/** An address without a listener. */
export const openBrokerAway: OpenTrial = async options => openTrial(options, 'amqp://127.0.0.1:1')

/** A peer that asks for messages and never acknowledges one. */
export const openBrokerSlow: OpenTrial = async options => {
  const container = rhea.create_container({ autoaccept: false })
  container.on('message', () => {})
  container.on('disconnected', () => {})
  const server = container.listen({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return openTrial(options, `amqp://127.0.0.1:${port}`, async () => void server.close())
}

const openTrial = (options: TrialOptions, url: string, close: () => Promise<void> = async () => {}): Trial => {
  const types = new Set(Array.from({ length: 100 }, (_, i) => nameOf(i)))
  const forwarding = [`realtime.broker=${url}`, `realtime.events=${[...types].join(',')}`]
  const run = async (on: TrialOptions, settings: readonly string[]): Promise<Sample> => {
    const data = await mkdtemp(join(options.directory, 'intake-'))
    const server = await startSluice(on, data, settings)
    try {
      return await load(on, server)
    } finally {
      await server.stop()
      await rm(data, { recursive: true, force: true })
    }
  }
  return { sluice: () => run(options, forwarding), baseline: () => run(withoutProfile(options), []), close }
}
