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
import { type FaultProxy, type NetworkProxy, startFaultProxy } from './fault-proxy.ts'
import { type NativeProxy, startNativeProxy } from './network/native-proxy.ts'
import { clockSkewSeconds, createRealm, type Realm, ticketLifeSeconds, tokenLives } from './realm.ts'
import { setSafeMode } from './safe-mode.ts'

/** What stays up from seed to seed, around the server. */
export type Stage = {
  readonly cluster: Cluster
  readonly broker: RunningBroker
  /** How the server speaks to the cluster. */
  readonly protocol: Protocol
  /** Before the cluster, on each of the ways. */
  readonly ways: { readonly native: NativeProxy; readonly webHdfs: FaultProxy }
  /** Both ways, which fail together. */
  readonly network: Pick<NetworkProxy, 'set' | 'hits'>
  /** HDFS without the proxies: its real contents. */
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

/** Values of `namenode.protocol`. */
export const protocols = ['native', 'auto', 'webhdfs'] as const
export type Protocol = (typeof protocols)[number]

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
  /** @default native: a run that goes the other way by itself would show nothing of this one */
  readonly protocol?: Protocol | undefined
  readonly log: (line: string) => void
}

/** Where the data node takes bytes; that it does so at the address of everything else is said to clients. */
const dataNodeHost = '127.0.0.2'

/** Starts everything; what was started is stopped again when something fails. */
export const startStage = async ({ broker, kerberos, protocol = 'native', log }: StageOptions): Promise<Stage> => {
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    const options = { maxHeapMb, startTimeoutMs, log }
    const ofCluster = { ...options, transferHost: dataNodeHost }
    const { cluster, realm } = kerberos
      ? await startSecure(ofCluster, one => closing.push(one))
      : { cluster: await startCluster(ofCluster), realm: undefined }
    closing.push(() => cluster.stop())
    const running = await startBroker(brokerKinds[broker], options)
    closing.push(() => running.stop())
    const webHdfs = await startFaultProxy(cluster.webhdfsUrl, {
      host: new URL(cluster.webhdfsUrl).hostname,
      ...(realm ? { witness: realm.witness } : {}),
    })
    closing.push(() => webHdfs.close())
    const port = cluster.dataNodes[0]?.transferPort ?? 0
    const native = await startNativeProxy({
      namenodeUrl: cluster.namenodeUrl,
      dataNode: { host: dataNodeHost, port },
      announced: { host: '127.0.0.1', port },
    })
    closing.push(() => native.close())
    const network = joinWays(native, webHdfs)
    const fileSystem = createWebHdfsFileSystem({
      urls: [cluster.webhdfsUrl],
      ...(realm ? { credentials: tokenCredentials({ get: realm.token, refused: () => {} }) } : {}),
    })
    const openStore = (): Promise<Store> =>
      openHdfsStore(cluster.webhdfsUrl, async () => (realm ? { delegation: await realm.token() } : {}))
    const mend = async (): Promise<void> => {
      await network.set('none')
      await realm?.mend()
      await cluster.startNameNode()
      await cluster.startDataNode()
      if (!realm) await setSafeMode(cluster.namenodeUrl, cluster.user, 'leave')
      await running.start()
    }
    const ways = { native, webHdfs }
    return { cluster, broker: running, protocol, ways, network, fileSystem, openStore, realm, mend, close }
  } catch (error) {
    await close()
    throw error
  }
}

const joinWays = (native: NativeProxy, webHdfs: FaultProxy): Stage['network'] => ({
  set: async (fault, aim) => void (await Promise.all([native.set(fault, aim), webHdfs.set(fault, aim)])),
  get hits() {
    return native.hits + webHdfs.hits
  },
})

const startSecure = async (
  options: ClusterOptions,
  onStart: (close: () => Promise<void>) => void,
): Promise<{ readonly cluster: SecureCluster; readonly realm: Realm }> => {
  const kdc = await startKdc({ ticketLifeSeconds, clockSkewSeconds })
  onStart(() => kdc.stop())
  const properties = { ...options.properties, ...tokenLives(tokenLifeMs, longestTokenLifeMs) }
  const cluster = await startSecureCluster({ ...options, kdc, properties })
  return { cluster, realm: createRealm(kdc, cluster) }
}
