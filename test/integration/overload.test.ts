import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { GeneratorOptions, GeneratorResult } from '../overload/load.ts'
import { reckon } from '../overload/reckon.ts'
import { mainScript, nodeOptions } from '../suites/start-command.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

afterEach(cleanUp)

/** Less than one connection of the generator sends at once: what arrives together cannot all be accepted. */
const maxQueuedEvents = 20

const load = { connections: 64, depth: 32, requestsPerSecond: 20_000, honest: 8, renewalsPerSecond: 50 } as const

test('R10: under an open-loop overload every answer is 202 or 503, and exactly the accepted events are kept', async () => {
  const cwd = createDirectory()
  const settings = [
    'services=collector',
    'collector.scribe.enabled=false',
    'collector.output.format=jsonl',
    'collector.diskspool.min-free-bytes=0',
    `collector.max-event-queue-size=${maxQueuedEvents}`,
  ]
  const server = start(process.execPath, [...nodeOptions, mainScript, ...settings.flatMap(one => ['--set', one])], {
    cwd,
  })
  const { server: url } = await server.logged('sluice is ready')
  const options: GeneratorOptions = {
    port: Number(new URL(String(url)).port),
    firstEvent: 0,
    warmUpMs: 0,
    durationMs: 3_000,
    file: join(cwd, 'load'),
    ...load,
  }
  const generator = start(process.execPath, [resolve('test/overload/generator.ts'), JSON.stringify(options)])
  expect(await generator.ended()).toBe(0)
  const result = JSON.parse(generator.output()) as GeneratorResult
  expect(result.failures).toBe(0)
  server.process.kill('SIGTERM')
  expect(await server.ended()).toBe(0)
  const { accepted, refused, found, ...wrong } = await reckon(join(cwd, 'data/fs'), [options.file])
  expect(wrong).toEqual({ lost: 0, twice: 0, refusedButKept: 0 })
  // After a connection that ended early it is unknown whether its last requests were accepted.
  expect(found).toBeGreaterThanOrEqual(accepted)
  expect(found).toBeLessThanOrEqual(accepted + result.unanswered)
  expect(accepted).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
  expect(accepted + refused + result.unanswered).toBe(result.nextEvent)
})
