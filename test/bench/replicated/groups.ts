/**
 * A log in HDFS by itself: a group of events is written and synced, then the next one.
 *
 *     node test/bench/replicated/groups.ts '{"namenodeUrl":"hdfs://127.0.0.1:8020", …, "sync":"hsync","durationMs":5000}'
 *
 * prints a {@link GroupsResult} as one line of JSON.
 */
import { createFileSystem } from '../../../src/filesystem/create.ts'
import { appendsOf } from '../../../src/filesystem/facets.ts'
import { createEvent, eventBytes } from '../events.ts'
import { createHistogram } from '../histogram.ts'

export type GroupsArguments = {
  readonly namenodeUrl: string
  readonly webhdfsUrl: string
  readonly user: string
  /** A file that is made. */
  readonly path: string
  readonly replication: number
  /** Of one group. */
  readonly events: number
  /** Into the memory of all DataNodes, or onto their disks. */
  readonly sync: 'hflush' | 'hsync'
  readonly durationMs: number
}

/** Times in ms, from the write of a group until all DataNodes have it. */
export type GroupsResult = {
  readonly groups: number
  /** Those before them as well. */
  readonly written: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time of this process for a group. */
  readonly cpuUs: number
}

/** Groups before those that count: code is compiled, and the pipeline begun. */
const warmUpGroups = 200

const run = async (given: GroupsArguments): Promise<GroupsResult> => {
  const { namenodeUrl, webhdfsUrl, user, path, replication, events, sync, durationMs } = given
  const fileSystem = await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl], protocol: 'native', user })
  const file = await appendsOf(fileSystem).create(path, { replication })
  const group = Buffer.from(Array.from({ length: events }, (_, i) => createEvent(i, eventBytes)).join(''))
  const writeOne = async (): Promise<void> => {
    await file.write(group)
    await file[sync]()
  }
  for (let i = 0; i < warmUpGroups; i++) await writeOne()
  const times = createHistogram()
  const before = process.cpuUsage()
  for (const endsAt = performance.now() + durationMs; performance.now() < endsAt; ) {
    const startedAt = performance.now()
    await writeOne()
    times.record(performance.now() - startedAt)
  }
  const { user: userUs, system: systemUs } = process.cpuUsage(before)
  await file.close()
  await fileSystem.close()
  return {
    groups: times.count,
    written: warmUpGroups + times.count,
    p50Ms: times.percentile(0.5),
    p99Ms: times.percentile(0.99),
    maxMs: times.max,
    cpuUs: (userUs + systemUs) / Math.max(1, times.count),
  }
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)
