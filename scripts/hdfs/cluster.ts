/** A real HDFS on this machine: one NameNode and one DataNode, each of which can be stopped and started again. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Daemon, startDaemon } from '../daemon.ts'
import { findFreePorts } from '../free-ports.ts'
import { findJava } from '../jvm/maven.ts'
import { tail } from '../tail.ts'
import { fetchHadoop, hadoopVersion, hdfsHome } from './artifacts.ts'
import { type ClusterPorts, jvmFlags, writeSite } from './config.ts'

export type ClusterOptions = {
  /** Directory of the cluster's data, kept by `stop`. @default a temporary one, removed by `stop` */
  readonly directory?: string
  /** HTTP (WebHDFS) port of the NameNode. @default any free one; the other ports are always free ones */
  readonly port?: number
  /** @default `SLUICE_HDFS_VERSION`, else the newest that is tested */
  readonly version?: string
  /** Cache of jars. @default {@link hdfsHome} */
  readonly home?: string
  /** Heap of each daemon in MiB. @default 256 */
  readonly maxHeapMb?: number
  /** The daemons start soon and compile only quickly, for tests of seconds; what is measured wants neither. @default true */
  readonly quickStart?: boolean
  /** Daemons live on after this process. @default false */
  readonly detached?: boolean
  /** More Hadoop properties for both daemons. */
  readonly properties?: Readonly<Record<string, string>>
  /** How the daemons know their callers. @default not at all: everybody is who they say */
  readonly security?: ClusterSecurity
  /** Progress for people. @default silent */
  readonly log?: (line: string) => void
  /** How long one daemon may take to start. @default 60 000 */
  readonly startTimeoutMs?: number
}

/** What a secure cluster has beside another; see `secure-cluster.ts`. */
export type ClusterSecurity = {
  /** What services are called by, `localhost`: to a client who says 127.0.0.1 they cannot prove who they are. */
  readonly host: string
  /** The user that the daemons act as. */
  readonly user: string
  readonly jvmFlags: readonly string[]
  readonly properties: Readonly<Record<string, string>>
  /** The body of a page of the daemons, asked for as somebody they let in. */
  readonly readPage: (url: string) => Promise<string>
}

export type Cluster = {
  /** `hdfs://127.0.0.1:port`; `localhost` when it is secure, here and below. */
  readonly namenodeUrl: string
  /** `http://127.0.0.1:port` */
  readonly webhdfsUrl: string
  /** Where the DataNode answers WebHDFS: `http://127.0.0.1:port` */
  readonly dataNodeUrl: string
  /** The superuser; where nobody must prove who they are, also who WebHDFS calls without `user.name` act as. */
  readonly user: string
  readonly directory: string
  /** Part of the daemons' command lines, by which they are told from other processes. */
  readonly marker: string
  readonly pids: () => readonly number[]
  stopNameNode(): Promise<void>
  startNameNode(): Promise<void>
  stopDataNode(): Promise<void>
  startDataNode(): Promise<void>
  /** Stops both and removes a temporary directory. */
  stop(): Promise<void>
}

const nameNodeClass = 'org.apache.hadoop.hdfs.server.namenode.NameNode'
const dataNodeClass = 'org.apache.hadoop.hdfs.server.datanode.DataNode'

/**
 * Starts a cluster and resolves when it can be written to. Ports and data stay through `stop…` and `start…` of its
 * daemons; a `stop…` is a kill, as in a power cut.
 * @throws Error when Java or Maven is missing, or a daemon does not start; the message ends with its last log lines
 */
export const startCluster = async (options: ClusterOptions = {}): Promise<Cluster> => {
  const { home = hdfsHome(), version = hadoopVersion(), log = () => {}, detached = false } = options
  const java = await findJava()
  if (!java) throw new Error('Cannot start HDFS: "java" is neither in JAVA_HOME nor on the PATH')
  const library = await fetchHadoop({ home, version, log })
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'sluice-hdfs-')))
  const ports = await findPorts(options.port)
  const { security } = options
  const { host, user, readPage } = security ?? { host: '127.0.0.1', user: userInfo().username, readPage: readOpenPage }
  const properties = { ...security?.properties, ...options.properties }
  const conf = await writeSite({ host, directory, ports, staticUser: user, properties })
  const marker = `-Dsluice.hdfs=${directory}`
  const classPath = `${conf}${delimiter}${join(library, '*')}`
  const { maxHeapMb = 256, quickStart = true } = options
  const jvm = [...jvmFlags(maxHeapMb, quickStart), ...(security?.jvmFlags ?? [])]
  const flags = [...jvm, marker, `-DHADOOP_USER_NAME=${user}`, '-cp', classPath]
  const daemons = new Map<string, Daemon>()
  const dataNodeUrl = `http://${host}:${ports.dataNodeHttp}`
  const webhdfsUrl = `http://${host}:${ports.nameNodeHttp}`

  const launch = async (name: string, main: string, ...more: readonly string[]): Promise<Daemon> => {
    const logFile = join(directory, 'log', `${name}.log`)
    const daemon = await startDaemon({ command: java, args: [...flags, main, ...more], logFile, detached })
    daemons.set(name, daemon)
    return daemon
  }
  const stopDaemon = async (name: string): Promise<void> => {
    await daemons.get(name)?.kill()
    daemons.delete(name)
  }
  /** Waits until all that is meant to run answers and can be written to, or a daemon gives up. */
  const ready = async (): Promise<void> => {
    const deadline = Date.now() + (options.startTimeoutMs ?? 60_000)
    while (!(await isReady(readPage, webhdfsUrl, daemons.has('datanode') ? dataNodeUrl : undefined))) {
      for (const [name, daemon] of daemons) {
        const reason = daemon.ended() ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
        if (reason)
          throw new Error(`HDFS ${name} did not start: ${reason}\n${await tail(join(directory, 'log', `${name}.log`))}`)
      }
      await sleep(50)
    }
  }
  const startNameNode = async (): Promise<void> => {
    if (daemons.has('namenode')) return
    await launch('namenode', nameNodeClass)
    await ready()
  }
  const startDataNode = async (): Promise<void> => {
    if (daemons.has('datanode')) return
    await launch('datanode', dataNodeClass)
    if (daemons.has('namenode')) await ready()
  }
  const stop = async (): Promise<void> => {
    await Promise.all(['namenode', 'datanode', 'format'].map(stopDaemon))
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }

  try {
    if (!(await isFormatted(directory))) {
      log('Formatting a new file system …')
      const format = await launch('format', nameNodeClass, '-format', '-nonInteractive', '-force')
      await format.exit
      daemons.delete('format')
      if (!(await isFormatted(directory)))
        throw new Error(`Cannot format HDFS\n${await tail(join(directory, 'log', 'format.log'))}`)
    }
    log('Starting NameNode and DataNode …')
    await launch('datanode', dataNodeClass)
    await startNameNode()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    namenodeUrl: `hdfs://${host}:${ports.nameNodeRpc}`,
    webhdfsUrl,
    dataNodeUrl,
    user,
    directory,
    marker,
    pids: () => [...daemons.values()].map(daemon => daemon.pid),
    stopNameNode: () => stopDaemon('namenode'),
    startNameNode,
    stopDataNode: () => stopDaemon('datanode'),
    startDataNode,
    stop,
  }
}

/** A DataNode that was just restarted still counts as alive at its NameNode, so both are asked. */
const isReady = async (readPage: ReadPage, nameNodeUrl: string, dataNodeUrl: string | undefined): Promise<boolean> => {
  if (dataNodeUrl !== undefined) {
    const state = await readBean(readPage, dataNodeUrl, 'service=DataNode,name=DataNodeInfo')
    if (!String(state?.['BPServiceActorInfo']).includes('"RUNNING"')) return false
  }
  const state = await readBean(readPage, nameNodeUrl, 'service=NameNode,name=FSNamesystemState')
  if (!state) return false
  return dataNodeUrl === undefined || (state['FSState'] === 'Operational' && Number(state['NumLiveDataNodes']) > 0)
}

type ReadPage = ClusterSecurity['readPage']

const readBean = async (
  readPage: ReadPage,
  url: string,
  name: string,
): Promise<Record<string, unknown> | undefined> => {
  try {
    const { beans } = JSON.parse(await readPage(`${url}/jmx?qry=Hadoop:${name}`)) as {
      beans: Record<string, unknown>[]
    }
    return beans[0]
  } catch {
    return undefined
  }
}

const readOpenPage: ReadPage = async url => (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text()

const isFormatted = (directory: string): Promise<boolean> =>
  readFile(join(directory, 'name', 'current', 'VERSION')).then(
    () => true,
    () => false,
  )

/** The one that was asked for, and free ones. */
const findPorts = async (port: number | undefined): Promise<ClusterPorts> => {
  const [free = 0, nameNodeRpc = 0, dataNodeHttp = 0, dataNodeTransfer = 0, dataNodeIpc = 0] = await findFreePorts(5)
  return { nameNodeHttp: port ?? free, nameNodeRpc, dataNodeHttp, dataNodeTransfer, dataNodeIpc }
}
