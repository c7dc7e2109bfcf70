import { missingForBroker } from '../../scripts/brokers/artifacts.ts'
import { type RunningBroker, startBroker } from '../../scripts/brokers/broker.ts'
import { activemq, kafka } from '../../scripts/brokers/kinds.ts'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, type ClusterOptions, startCluster } from '../../scripts/hdfs/cluster.ts'
import { missingForSecureCluster, type SecureCluster, startSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { missingForFakeClock } from '../../scripts/kerberos/fake-clock.ts'
import { startKdc } from '../../scripts/kerberos/kdc.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { tokenCredentials } from '../../src/filesystem/webhdfs/credentials.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import type { Store } from '../foreign/store.ts'
import { missingForSpnego } from '../suites/kerberos.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { clockSkewSeconds, createRealm, type Realm, ticketLifeSeconds, tokenLives } from './realm.ts'
import { setSafeMode } from './safe-mode.ts'

/** What stays up from seed to seed, around the server. */
export type Stage = {
  readonly cluster: Cluster
  readonly broker: RunningBroker
  /** Before the cluster. */
  readonly proxy: FaultProxy
  /** HDFS without the proxy: what really stands there. */
  readonly fileSystem: FileSystem
  /** The same by a client of other make. */
  readonly openStore: () => Promise<Store>
  /** Who is let in, where callers prove by Kerberos who they are. */
  readonly realm: Realm | undefined
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

/** Lives of a token, in ms: until it is renewed, and in all. A busy machine has 600 ms for the former. */
export const tokenLifeMs = 2_400
const longestTokenLifeMs = 3 * tokenLifeMs

/** What this machine lacks for a run, as a sentence; undefined when nothing. */
export const missingForStage = async (broker: BrokerName): Promise<string | undefined> =>
  (await missingForHdfs()) ?? (await missingForBroker(brokerKinds[broker]))

/** What it lacks for one with Kerberos, beside that. */
export const missingForRealm = async (): Promise<string | undefined> =>
  (await missingForSecureCluster()) ?? (await missingForSpnego()) ?? (await missingForFakeClock())

export type StageOptions = {
  readonly broker: BrokerName
  /** Whether callers of the cluster prove by Kerberos who they are. */
  readonly kerberos: boolean
  readonly log: (line: string) => void
}

/** Starts everything; what was started is stopped again when something fails. */
export const startStage = async ({ broker, kerberos, log }: StageOptions): Promise<Stage> => {
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    const options = { maxHeapMb, startTimeoutMs, log }
    const { cluster, realm } = kerberos
      ? await startSecure(options, one => closing.push(one))
      : { cluster: await startCluster(options), realm: undefined }
    closing.push(() => cluster.stop())
    const running = await startBroker(brokerKinds[broker], options)
    closing.push(() => running.stop())
    const proxy = await startFaultProxy(cluster.webhdfsUrl, {
      host: new URL(cluster.webhdfsUrl).hostname,
      ...(realm ? { witness: realm.witness } : {}),
    })
    closing.push(() => proxy.close())
    const fileSystem = createWebHdfsFileSystem({
      urls: [cluster.webhdfsUrl],
      ...(realm ? { credentials: tokenCredentials({ get: realm.token, refused: () => {} }) } : {}),
    })
    const openStore = (): Promise<Store> =>
      openHdfsStore(cluster.webhdfsUrl, async () => (realm ? { delegation: await realm.token() } : {}))
    const mend = async (): Promise<void> => {
      await proxy.set('none')
      await realm?.mend()
      await cluster.startNameNode()
      await cluster.startDataNode()
      if (!realm) await setSafeMode(cluster.namenodeUrl, cluster.user, 'leave')
      await running.start()
    }
    return { cluster, broker: running, proxy, fileSystem, openStore, realm, mend, close }
  } catch (error) {
    await close()
    throw error
  }
}

const startSecure = async (
  options: ClusterOptions,
  onStart: (close: () => Promise<void>) => void,
): Promise<{ readonly cluster: SecureCluster; readonly realm: Realm }> => {
  const kdc = await startKdc({ ticketLifeSeconds, clockSkewSeconds })
  onStart(() => kdc.stop())
  const cluster = await startSecureCluster({ ...options, kdc, properties: tokenLives(tokenLifeMs, longestTokenLifeMs) })
  return { cluster, realm: createRealm(kdc, cluster) }
}
