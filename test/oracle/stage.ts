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
import { missingForObjects, startObjects } from './objects.ts'
import { clockSkewSeconds, createRealm, type Realm, ticketLifeSeconds, tokenLives } from './realm.ts'
import { setSafeMode } from './safe-mode.ts'
import { listFiles } from './walk.ts'

/** HDFS, and what is before it on each of the ways. */
export type Hdfs = {
  readonly cluster: Cluster
  readonly ways: { readonly native: NativeProxy; readonly webHdfs: FaultProxy }
}

/** What stays up from seed to seed, around the server. */
export type Stage = {
  /** Undefined where files go to an object store. */
  readonly hdfs: Hdfs | undefined
  /** Before the object store; undefined where files go to HDFS. */
  readonly objects: FaultProxy | undefined
  /** Undefined with an object store: what a broker does to the server the runs over HDFS show. */
  readonly broker: RunningBroker | undefined
  /** How the server speaks to what has its files. */
  readonly protocol: Protocol
  /** Settings and variables by which the server finds that. */
  readonly settings: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** All ways, which fail together. */
  readonly network: Pick<NetworkProxy, 'set' | 'hits'>
  /** The files without the proxies: what is really there. */
  readonly fileSystem: FileSystem
  /** The same by a client of other make, where there is one. */
  readonly openStore: () => Promise<Store>
  /** What is on its way to a directory, or was left on it. */
  readonly leftOver: (directory: string) => Promise<readonly unknown[]>
  /** Who is let in, where callers prove by Kerberos who they are. */
  readonly realm: Realm | undefined
  /** Ends all faults and starts what is stopped, after a run that broke off. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** By their names on the command line. */
export const brokerKinds = { amqp: activemq, kafka } as const
export type BrokerName = keyof typeof brokerKinds

/** Of a stage with a broker. @throws TypeError it has none */
export const needBroker = ({ broker }: Pick<Stage, 'broker'>): RunningBroker => {
  if (!broker) throw new TypeError('There is no broker on this stage')
  return broker
}

/** Of a stage with HDFS. @throws TypeError it has none */
export const needHdfs = ({ hdfs }: Pick<Stage, 'hdfs'>): Hdfs => {
  if (!hdfs) throw new TypeError('There is no HDFS on this stage')
  return hdfs
}

/** Values of `namenode.protocol`, and an object store. */
export const protocols = ['native', 'auto', 'webhdfs', 's3'] as const
export type Protocol = (typeof protocols)[number]

/** Enough for a few thousand small files, in MiB. */
const maxHeapMb = 192
/** On a busy machine Java takes its time. */
const startTimeoutMs = 180_000

/** Lives of a token, in ms: until it is renewed, and in all. A busy machine has 600 ms for the former. */
export const tokenLifeMs = 2_400
const longestTokenLifeMs = 3 * tokenLifeMs

/** What this machine lacks for a run, as a sentence; undefined when nothing. */
export const missingForStage = async (
  broker: BrokerName,
  protocol: Protocol = 'native',
): Promise<string | undefined> =>
  protocol === 's3'
    ? await missingForObjects()
    : ((await missingForHdfs()) ?? (await missingForBroker(brokerKinds[broker])))

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

/** Takes what has to be closed. */
export type OnStart = (close: () => Promise<void>) => void
/** What has the files, on a stage. */
export type Files = Omit<Stage, 'broker' | 'protocol' | 'close'>

/** Starts everything; what was started is stopped again when something fails. */
export const startStage = async ({ broker, protocol = 'native', ...options }: StageOptions): Promise<Stage> => {
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    const onStart: OnStart = one => void closing.push(one)
    if (protocol === 's3') return { ...(await startObjects(onStart)), broker: undefined, protocol, close }
    const files = await startHdfs(protocol, options, onStart)
    const running = await startBroker(brokerKinds[broker], { maxHeapMb, startTimeoutMs, log: options.log })
    onStart(() => running.stop())
    const mend = async (): Promise<void> => {
      await files.mend()
      await running.start()
    }
    return { ...files, broker: running, protocol, mend, close }
  } catch (error) {
    await close()
    throw error
  }
}

const startHdfs = async (
  protocol: Protocol,
  { kerberos, log }: Pick<StageOptions, 'kerberos' | 'log'>,
  onStart: OnStart,
): Promise<Files> => {
  const ofCluster = { maxHeapMb, startTimeoutMs, log, transferHost: dataNodeHost }
  const { cluster, realm } = kerberos
    ? await startSecure(ofCluster, onStart)
    : { cluster: await startCluster(ofCluster), realm: undefined }
  onStart(() => cluster.stop())
  const webHdfs = await startFaultProxy(cluster.webhdfsUrl, {
    host: new URL(cluster.webhdfsUrl).hostname,
    ...(realm ? { witness: realm.witness } : {}),
  })
  onStart(() => webHdfs.close())
  const port = cluster.dataNodes[0]?.transferPort ?? 0
  const native = await startNativeProxy({
    namenodeUrl: cluster.namenodeUrl,
    dataNode: { host: dataNodeHost, port },
    announced: { host: '127.0.0.1', port },
  })
  onStart(() => native.close())
  const network = joinWays(native, webHdfs)
  const fileSystem = createWebHdfsFileSystem({
    urls: [cluster.webhdfsUrl],
    ...(realm ? { credentials: tokenCredentials({ get: realm.token, refused: () => {} }) } : {}),
  })
  const places = [`url=${native.url}`, `webhdfs.url=${webHdfs.url}`, `protocol=${protocol}`]
  const ofRealm = realm ? [`kerberos.principal=${realm.principal}`, `kerberos.keytab=${realm.keytab}`] : []
  return {
    hdfs: { cluster, ways: { native, webHdfs } },
    objects: undefined,
    settings: [...places, ...ofRealm].map(one => `namenode.${one}`),
    env: realm ? { KRB5_CONFIG: realm.kdc.krb5Config } : {},
    network,
    fileSystem,
    openStore: () => openHdfsStore(cluster.webhdfsUrl, async () => (realm ? { delegation: await realm.token() } : {})),
    leftOver: directory => listFiles(fileSystem, `${directory}/_tmp`),
    realm,
    mend: async () => {
      await network.set('none')
      await realm?.mend()
      await cluster.startNameNode()
      await cluster.startDataNode()
      if (!realm) await setSafeMode(cluster.namenodeUrl, cluster.user, 'leave')
    },
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
  onStart: OnStart,
): Promise<{ readonly cluster: SecureCluster; readonly realm: Realm }> => {
  const kdc = await startKdc({ ticketLifeSeconds, clockSkewSeconds })
  onStart(() => kdc.stop())
  const properties = { ...options.properties, ...tokenLives(tokenLifeMs, longestTokenLifeMs) }
  const cluster = await startSecureCluster({ ...options, kdc, properties })
  return { cluster, realm: createRealm(kdc, cluster) }
}
