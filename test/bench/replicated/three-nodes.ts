/** An HDFS of three DataNodes, and what is measured on it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from '../../../scripts/hdfs/cluster.ts'
import { hdfsSettings, startHdfs } from '../hdfs.ts'
import type { MeasureOptions, Sample } from '../measure.ts'
import { runToEnd } from '../process.ts'
import { startSluice } from '../servers.ts'
import { createSpoolWatch, untilCommitted } from '../spool-watch.ts'
import type { TrialOptions } from '../trial.ts'
import type { GroupsArguments, GroupsResult } from './groups.ts'
import { readProcesses, toUsOfEach } from './processes-cpu.ts'
import { connections, measureUnderLoad } from './under-load.ts'

export type ThreeNodes = {
  /** One run of a collector with files and a directory of its own. */
  runSluice(options: MeasureOptions, ack: 'fsync' | 'replicated'): Promise<Sample>
  /** One run of a log alone, that is written in groups, one after another. */
  runGroups(options: MeasureOptions, sync: GroupsArguments['sync']): Promise<Sample>
  close(): Promise<void>
}

const nodes = 3

/** As many events as {@link connections} have waiting. */
export const eventsPerGroup: number = connections

/** Of the collector: some times in a run, so that sealing and commits are in what it costs. */
const flushSeconds = 5

const maxOverheadMs = 30_000

/** @throws Skipped when this machine has no HDFS */
export const openThreeNodes = async ({ directory }: TrialOptions): Promise<ThreeNodes> => {
  const place = await mkdtemp(join(directory, 'nodes-'))
  const cluster = await startHdfs(join(place, 'cluster'), nodes)
  let runs = 0
  return {
    runSluice: async (options, ack) => {
      const data = await mkdtemp(join(place, 'data-'))
      // A directory of its own, for another collector would take over what this one leaves.
      const output = `/bench${++runs}`
      try {
        return await runSluice(options, cluster, data, ack, output)
      } finally {
        await rm(data, { recursive: true, force: true })
      }
    },
    runGroups: (options, sync) => runGroups(options, cluster, { sync, path: `/groups${++runs}` }),
    close: async () => {
      await cluster.stop()
      await rm(place, { recursive: true, force: true })
    },
  }
}

const runSluice = async (
  options: MeasureOptions,
  cluster: Cluster,
  data: string,
  ack: 'fsync' | 'replicated',
  output: string,
): Promise<Sample> => {
  const settings = [
    'services=collector',
    ...hdfsSettings(cluster),
    `collector.ack=${ack}`,
    `collector.event-output-directory=${output}`,
    `collector.diskspool.flush-interval-seconds=${flushSeconds}`,
  ]
  const server = await startSluice(options, data, settings)
  try {
    const watch = createSpoolWatch(server.adminUrl)
    const settled = () => untilCommitted(watch)
    return await measureUnderLoad({ server, name: 'Sluice', others: daemonsOf(cluster), settled }, options)
  } finally {
    await server.stop()
  }
}

const runGroups = async (
  { directory, durationMs }: MeasureOptions,
  cluster: Cluster,
  how: Pick<GroupsArguments, 'sync' | 'path'>,
): Promise<Sample> => {
  const { namenodeUrl, webhdfsUrl, user } = cluster
  const to = { namenodeUrl, webhdfsUrl, user, replication: nodes }
  const given: GroupsArguments = { ...to, events: eventsPerGroup, durationMs, ...how }
  const script = { script: join(import.meta.dirname, 'groups.ts'), args: [JSON.stringify(given)], cwd: directory }
  const pids = daemonsOf(cluster)
  const before = readProcesses(pids)
  const result = (await runToEnd({ ...script, core: 'server' }, durationMs + maxOverheadMs)) as GroupsResult
  const { groups, written, cpuUs, p50Ms, p99Ms, maxMs } = result
  const processesUs = { writer: cpuUs, ...toUsOfEach(before, readProcesses(pids), written) }
  return { rate: (groups * 1_000) / durationMs, p50Ms, p99Ms, maxMs, cpuUs, processesUs }
}

const daemonsOf = (cluster: Cluster): Readonly<Record<string, number>> => {
  const { namenode = 0, ...dataNodes } = cluster.pidsByName()
  return {
    NameNode: namenode,
    ...Object.fromEntries(Object.values(dataNodes).map((pid, at) => [`DataNode ${at + 1}`, pid])),
  }
}
