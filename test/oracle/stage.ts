import { missingForBroker } from '../../scripts/brokers/artifacts.ts'
import { type RunningBroker, startBroker } from '../../scripts/brokers/broker.ts'
import { activemq, kafka } from '../../scripts/brokers/kinds.ts'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { setSafeMode } from './safe-mode.ts'

/** What stays up from seed to seed, around the server. */
export type Stage = {
  readonly cluster: Cluster
  readonly broker: RunningBroker
  /** Before the cluster. */
  readonly proxy: FaultProxy
  /** HDFS without the proxy: what really stands there. */
  readonly fileSystem: FileSystem
  /** Ends all faults and starts what is stopped, after a run that broke off. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** By their names on the command line. */
export const brokerKinds = { amqp: activemq, kafka } as const
export type BrokerName = keyof typeof brokerKinds

/** Enough for a few thousand small files, in MiB. */
const maxHeapMb = 192
/** On a busy machine Java takes its time. */
const startTimeoutMs = 180_000

/** What this machine lacks for a run, as a sentence; undefined when nothing. */
export const missingForStage = async (broker: BrokerName): Promise<string | undefined> =>
  (await missingForHdfs()) ?? (await missingForBroker(brokerKinds[broker]))

/** Starts everything; what was started is stopped again when something fails. */
export const startStage = async (broker: BrokerName, log: (line: string) => void): Promise<Stage> => {
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    const cluster = await startCluster({ maxHeapMb, startTimeoutMs, log })
    closing.push(() => cluster.stop())
    const running = await startBroker(brokerKinds[broker], { maxHeapMb, startTimeoutMs, log })
    closing.push(() => running.stop())
    const proxy = await startFaultProxy(cluster.webhdfsUrl)
    closing.push(() => proxy.close())
    const fileSystem = createWebHdfsFileSystem({ urls: [cluster.webhdfsUrl] })
    const mend = async (): Promise<void> => {
      await proxy.set('none')
      await cluster.startNameNode()
      await cluster.startDataNode()
      await setSafeMode(cluster.namenodeUrl, cluster.user, 'leave')
      await running.start()
    }
    return { cluster, broker: running, proxy, fileSystem, mend, close }
  } catch (error) {
    await close()
    throw error
  }
}
