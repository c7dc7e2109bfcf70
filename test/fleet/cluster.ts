/** The HDFS that a fleet writes into: three DataNodes, each of which may be lost. */
import type { Cluster, ClusterOptions } from '../../scripts/hdfs/cluster.ts'
import type { Store } from '../foreign/store.ts'
import { createFleet, type Fleet, type FleetOptions } from './fleet.ts'

/** In seconds: shorter than by default, and longer than a collector is silent on a machine that is busy. */
export const takeoverSeconds = 8

export const fleetCluster: ClusterOptions = {
  startTimeoutMs: 280_000,
  dataNodes: 3,
  maxHeapMb: 192,
  properties: {
    'dfs.replication': '3',
    // A node counts as full by the blocks that were ever begun there, each as large as it may become.
    'dfs.blocksize': '4194304',
    'dfs.namenode.redundancy.considerLoad': 'false',
    'dfs.namenode.redundancy.interval.seconds': '1',
    // The NameNode asks no DataNode for anything that it has not heard of for so long.
    'dfs.namenode.stale.datanode.interval': '3000',
    'dfs.namenode.avoid.write.stale.datanode': 'true',
    'dfs.namenode.avoid.read.stale.datanode': 'true',
    // A DataNode that recovers a block asks a lost one ten times, a second apart, by default.
    'ipc.client.connect.max.retries': '1',
    'dfs.namenode.handler.count': '10',
  },
}

/** Each machine writes other files than the one before it, so that a taker has other settings than whom it takes over. */
const outputs: readonly (readonly string[])[] = [
  ['collector.output.format=jsonl', 'server.threads=1'],
  ['collector.output.format=parquet', 'collector.output.layout=hive', 'server.threads=1'],
  ['collector.output.format=native', 'server.threads=3', 'collector.seal-threads=2'],
]

/** What the log of a collector in the file system needs. */
export const replicatedSettings: readonly string[] = [
  'collector.ack=replicated',
  `collector.replicated.takeover-seconds=${takeoverSeconds}`,
]

export type ThreeOptions = {
  readonly cluster: Pick<Cluster, 'namenodeUrl' | 'webhdfsUrl'>
  readonly outputDirectory: string
  readonly openStore: () => Promise<Store>
  /** More settings of a collector; of two that set the same, the last one wins. */
  readonly settings?: FleetOptions['settings']
  readonly env?: Readonly<Record<string, string>>
  readonly restMs?: number
}

/** Starts three collectors. */
export const startThree = async ({
  cluster: { namenodeUrl, webhdfsUrl },
  settings = () => [],
  ...options
}: ThreeOptions): Promise<Fleet> => {
  const fleet = await createFleet({
    ...options,
    settings: async number => [
      `namenode.url=${namenodeUrl}`,
      `namenode.webhdfs.url=${webhdfsUrl}`,
      ...replicatedSettings,
      ...(outputs[number % outputs.length] ?? []),
      ...(await settings(number)),
    ],
  })
  try {
    await Promise.all([0, 1, 2].map(place => fleet.add(place)))
    return fleet
  } catch (error) {
    await fleet.close()
    throw error
  }
}
