/**
 * Records a log by the collector's own parser and log, and prints `{}` at the end:
 *
 *     node test/bench/sealing/record.ts '{"directory":"/tmp/x","segments":2,"eventsPerSegment":380000,"types":21,"eventsPerRequest":1}'
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonEvents } from '../../../src/collector/parsers/json.ts'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { directories } from '../../../src/spool/files/spool-paths.ts'
import { createLog } from '../../../src/spool/log/log.ts'
import { append } from '../../suites/append.ts'
import { createBodies, type RecordOptions, recordedAt } from './recorded-log.ts'

const collectorId = 'c'.repeat(32)
const defaults = { date: recordedAt, granularity: 'HOURLY', maxEvents: 100_000, maxValues: 100_000 } as const

/** Requests that are on their way to the disk at the same time. */
const inFlight = 1_000

const record = async ({ directory, ...recorded }: RecordOptions): Promise<void> => {
  for (const name of directories) await mkdir(join(directory, name), { recursive: true })
  await writeFile(join(directory, 'id'), `${collectorId}\n`)
  const disk = createNodeDisk({ directory })
  const log = createLog({
    disk,
    collectorId,
    firstSegment: 1,
    ack: 'written',
    settings: () => ({ maxSegmentBytes: 2 ** 30, maxUncommittedEvents: 2 ** 30, flushIntervalMs: 2 ** 40 }),
    now: Date.now,
    onClosed: async () => {},
  })
  const bodies = createBodies(recorded).map(text => Buffer.from(text))
  for (let segment = 1; segment <= recorded.segments; segment++) {
    for (let at = 0; at < bodies.length; at += inFlight) {
      const some = bodies.slice(at, at + inFlight).map(body => parseJsonEvents(body, defaults))
      await Promise.all(some.map(parsed => append(log, { api: 'POST_Json_API', ...parsed })))
    }
    await log.roll()
  }
  await disk.close()
}

await record(JSON.parse(process.argv[2] ?? '') as RecordOptions)
console.log('{}')
