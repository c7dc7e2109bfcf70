/** A real HDFS on this machine: one NameNode and some DataNodes, each of which can be stopped and started again. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findJava } from '../jvm/maven.ts'
import { tail } from '../tail.ts'
import { fetchHadoop, hadoopVersion, hdfsHome } from './artifacts.ts'
import { jvmFlags, writeSite } from './config.ts'
import { type DataNodePlace, findPorts, placeDataNode } from './data-nodes.ts'
import { createProcesses, type Processes } from './processes.ts'
import { isReady, type ReadPage, readOpenPage } from './ready.ts'

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
  /** How many DataNodes. @default 1 */
  readonly dataNodes?: number
  /**
   * Address of this machine where DataNodes take blocks. Clients get the address of the others, with the same port: a
   * proxy can listen there. @default that of the others
   */
  readonly transferHost?: string
  /** More Hadoop properties for all daemons. */
  readonly properties?: Readonly<Record<string, string>>
  /** How the daemons authenticate their callers. @default not at all: any name is believed */
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
  readonly readPage: ReadPage
}

export type Cluster = {
  /** `hdfs://127.0.0.1:port`; `localhost` when it is secure, here and below. */
  readonly namenodeUrl: string
  /** `http://127.0.0.1:port` */
  readonly webhdfsUrl: string
  /** Where the first DataNode answers WebHDFS: `http://127.0.0.1:port` */
  readonly dataNodeUrl: string
  readonly dataNodes: readonly DataNodePlace[]
  /** The superuser; without authentication, also the user of WebHDFS calls without `user.name`. */
  readonly user: string
  readonly directory: string
  /** Part of the daemons' command lines, which identifies their processes. */
  readonly marker: string
  readonly pids: () => readonly number[]
  /** The same by what they are: `namenode`, and as {@link DataNodePlace.name} says. */
  readonly pidsByName: () => Readonly<Record<string, number>>
  stopNameNode(): Promise<void>
  startNameNode(): Promise<void>
  /** @param index in `dataNodes` @default 0 */
  stopDataNode(index?: number): Promise<void>
  /** As {@link Cluster.stopDataNode}. */
  startDataNode(index?: number): Promise<void>
  /** Stops all and removes a temporary directory. */
  stop(): Promise<void>
}

/** Daemons that start have better to do than to answer, and where they ask for a ticket each question takes a process. */
const askEveryMs = 200

const nameNodeClass = 'org.apache.hadoop.hdfs.server.namenode.NameNode'
const dataNodeClass = 'org.apache.hadoop.hdfs.server.datanode.DataNode'

/**
 * Starts a cluster and resolves when it can be written to. Ports and data stay through `stop…` and `start…` of its
 * daemons; a `stop…` is a kill, as in a power cut.
 * @throws Error when Java or Maven is missing, or a daemon does not start; the message ends with its last log lines
 */
export const startCluster = async (options: ClusterOptions = {}): Promise<Cluster> => {
  const { log = () => {}, security, transferHost } = options
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'sluice-hdfs-')))
  const ports = await findPorts(options.port, options.dataNodes ?? 1)
  const { host, user, readPage } = security ?? { host: '127.0.0.1', user: userInfo().username, readPage: readOpenPage }
  const site = { host, transferHost, directory }
  const conf = await writeSite({
    ...site,
    ports: { ...ports, ...ports.dataNodes[0] },
    staticUser: user,
    properties: { ...security?.properties, ...options.properties },
  })
  const marker = `-Dsluice.hdfs=${directory}`
  const processes = await prepareProcesses(options, directory, conf, [marker, `-DHADOOP_USER_NAME=${user}`])
  const dataNodes = ports.dataNodes.map((own, index) => placeDataNode(site, own, index))
  const placeOf = (index = 0) => {
    const place = dataNodes[index]
    if (place === undefined) throw new RangeError(`There is no DataNode ${index}`)
    return place
  }
  const webhdfsUrl = `http://${host}:${ports.nameNodeHttp}`

  /** Waits until all that is meant to run answers and can be written to, or a daemon gives up. */
  const ready = async (): Promise<void> => {
    const deadline = Date.now() + (options.startTimeoutMs ?? 60_000)
    const running = dataNodes.filter(({ name }) => processes.has(name)).map(({ url }) => url)
    while (!(await isReady(readPage, webhdfsUrl, running))) {
      for (const name of processes.names()) {
        const reason = processes.ended(name) ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
        if (reason) throw new Error(`HDFS ${name} did not start: ${reason}\n${await tail(logOf(directory, name))}`)
      }
      await sleep(askEveryMs)
    }
  }
  const startNameNode = async (): Promise<void> => {
    if (processes.has('namenode')) return
    await processes.launch('namenode', nameNodeClass)
    await ready()
  }
  const launchDataNode = async ({ name, args }: ReturnType<typeof placeOf>): Promise<void> => {
    if (!processes.has(name)) await processes.launch(name, dataNodeClass, ...args)
  }
  const stop = async (): Promise<void> => {
    await processes.killAll()
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }

  try {
    await format(processes, directory, log)
    log(`Starting NameNode and ${dataNodes.length === 1 ? 'DataNode' : `${dataNodes.length} DataNodes`} …`)
    await Promise.all(dataNodes.map(launchDataNode))
    await startNameNode()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    namenodeUrl: `hdfs://${host}:${ports.nameNodeRpc}`,
    webhdfsUrl,
    dataNodeUrl: placeOf().url,
    dataNodes,
    user,
    directory,
    marker,
    pids: processes.pids,
    pidsByName: processes.pidsByName,
    stopNameNode: () => processes.kill('namenode'),
    startNameNode,
    stopDataNode: index => processes.kill(placeOf(index).name),
    startDataNode: async index => {
      await launchDataNode(placeOf(index))
      if (processes.has('namenode')) await ready()
    },
    stop,
  }
}

/** @param properties more flags of the Java virtual machine */
const prepareProcesses = async (
  { home = hdfsHome(), version = hadoopVersion(), maxHeapMb = 256, quickStart = true, ...options }: ClusterOptions,
  directory: string,
  conf: string,
  properties: readonly string[],
): Promise<Processes> => {
  const { log = () => {}, detached = false, security } = options
  const java = await findJava()
  if (!java) throw new Error('Cannot start HDFS: "java" is neither in JAVA_HOME nor on the PATH')
  const library = await fetchHadoop({ home, version, log })
  const classPath = `${conf}${delimiter}${join(library, '*')}`
  const flags = [...jvmFlags(maxHeapMb, quickStart), ...(security?.jvmFlags ?? []), ...properties, '-cp', classPath]
  return createProcesses({ java, flags, logs: join(directory, 'log'), detached })
}

/** Makes a new file system, once. */
const format = async (processes: Processes, directory: string, log: (line: string) => void): Promise<void> => {
  if (await isFormatted(directory)) return
  log('Formatting a new file system …')
  await processes.run('format', nameNodeClass, '-format', '-nonInteractive', '-force')
  if (!(await isFormatted(directory))) throw new Error(`Cannot format HDFS\n${await tail(logOf(directory, 'format'))}`)
}

const logOf = (directory: string, name: string): string => join(directory, 'log', `${name}.log`)

const isFormatted = (directory: string): Promise<boolean> =>
  readFile(join(directory, 'name', 'current', 'VERSION')).then(
    () => true,
    () => false,
  )
