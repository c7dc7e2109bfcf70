/** A pair of real NameNodes on this machine, with a JournalNode and a DataNode: one of the two is active, and can be killed. */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePorts } from '../free-ports.ts'
import { findJava } from '../jvm/maven.ts'
import { tail } from '../tail.ts'
import { fetchHadoop, hadoopVersion, hdfsHome } from './artifacts.ts'
import { jvmFlags, writeSite } from './config.ts'
import { createProcesses, type Processes } from './processes.ts'

/** The two NameNodes, by their ids. */
export type NameNodeId = 'nn1' | 'nn2'

export type HaPair = {
  /** What clients call both: `hdfs://pair`. */
  readonly url: string
  /** `host:port` of RPC. */
  readonly rpcAddressOf: (id: NameNodeId) => string
  readonly webhdfsUrlOf: (id: NameNodeId) => string
  /** Directory of `core-site.xml` and `hdfs-site.xml`. */
  readonly conf: string
  /** Ends one at once, as a power cut would. */
  kill(id: NameNodeId): Promise<void>
  /** Starts it again, in standby. */
  start(id: NameNodeId): Promise<void>
  /** Makes one active, whatever the other says; resolves when it can be written to. */
  activate(id: NameNodeId): Promise<void>
  /** Makes the active one a standby. */
  deactivate(id: NameNodeId): Promise<void>
  stop(): Promise<void>
}

const hdfsPackage = 'org.apache.hadoop.hdfs'
const nameNodeClass = `${hdfsPackage}.server.namenode.NameNode`
const adminClass = `${hdfsPackage}.tools.DFSHAAdmin`
const startTimeoutMs = 60_000
/** Daemons that start have better to do than to answer. */
const askEveryMs = 200

/**
 * Starts it, with `nn1` active. The edits are shared by a JournalNode.
 * @throws Error when Java or Maven is missing, or a daemon does not start; the message ends with its last log lines
 */
export const startHaPair = async (): Promise<HaPair> => {
  const java = await findJava()
  if (!java) throw new Error('Cannot start HDFS: "java" is neither in JAVA_HOME nor on the PATH')
  const library = await fetchHadoop({ home: hdfsHome(), version: hadoopVersion(), log: () => {} })
  const directory = await mkdtemp(join(tmpdir(), 'sluice-hdfs-ha-'))
  const host = '127.0.0.1'
  const [
    http1 = 0,
    http2 = 0,
    rpc1 = 0,
    rpc2 = 0,
    dataNodeHttp = 0,
    dataNodeTransfer = 0,
    dataNodeIpc = 0,
    ...journal
  ] = await findFreePorts(9)
  const rpc = { nn1: `${host}:${rpc1}`, nn2: `${host}:${rpc2}` }
  const http = { nn1: `${host}:${http1}`, nn2: `${host}:${http2}` }
  const conf = await writeSite({
    host,
    directory,
    ports: { nameNodeRpc: rpc1, nameNodeHttp: http1, dataNodeHttp, dataNodeTransfer, dataNodeIpc },
    staticUser: userInfo().username,
    properties: { ...toPairProperties(directory, rpc, http), ...toJournalProperties(directory, host, journal) },
  })
  // Its web server insists on a directory of pages.
  await mkdir(join(conf, 'webapps', 'journal'))
  const flags = [
    ...jvmFlags(256, true),
    `-Dsluice.hdfs=${directory}`,
    '-cp',
    `${conf}${delimiter}${join(library, '*')}`,
  ]
  const logs = join(directory, 'log')
  const { launch, run, kill, killAll, ended } = createProcesses({ java, flags, logs })
  const until = createWait(logs, ended)
  const untilState = (id: NameNodeId, isThere: (state: State) => boolean): Promise<void> =>
    until(id, async () => {
      const state = await readState(http[id])
      return state !== undefined && isThere(state)
    })
  const start = async (id: NameNodeId): Promise<void> => {
    await launch(id, nameNodeClass, '-D', `dfs.ha.namenode.id=${id}`)
    await untilState(id, () => true)
  }
  const activate = async (id: NameNodeId): Promise<void> => {
    await run('admin', adminClass, '-transitionToActive', '--forceactive', id)
    await untilState(id, ({ isActive, isWritable }) => isActive && isWritable)
  }
  const stop = async (): Promise<void> => {
    await killAll()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await launch('journalnode', `${hdfsPackage}.qjournal.server.JournalNode`)
    await until('journalnode', () => answers(`http://${host}:${journal[1]}/jmx`))
    await run('format', nameNodeClass, '-D', 'dfs.ha.namenode.id=nn1', '-format', '-nonInteractive', '-force')
    await cp(join(directory, 'nn1'), join(directory, 'nn2'), { recursive: true })
    await launch('datanode', `${hdfsPackage}.server.datanode.DataNode`)
    await Promise.all([start('nn1'), start('nn2')])
    await activate('nn1')
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: 'hdfs://pair',
    rpcAddressOf: id => rpc[id],
    webhdfsUrlOf: id => `http://${http[id]}`,
    conf,
    kill,
    start,
    activate,
    deactivate: async id => {
      await run('admin', adminClass, '-transitionToStandby', id)
      await untilState(id, ({ isActive }) => !isActive)
    },
    stop,
  }
}

/** Waits for one of the processes. */
const createWait =
  (logs: string, ended: Processes['ended']) =>
  async (name: string, isThere: () => Promise<boolean>): Promise<void> => {
    const deadline = Date.now() + startTimeoutMs
    while (!(await isThere())) {
      const reason = ended(name) ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
      if (reason) throw new Error(`HDFS ${name}: ${reason}\n${await tail(join(logs, `${name}.log`))}`)
      await sleep(askEveryMs)
    }
  }

const toPairProperties = (
  directory: string,
  rpc: Readonly<Record<NameNodeId, string>>,
  http: Readonly<Record<NameNodeId, string>>,
): Readonly<Record<string, string>> => ({
  'fs.defaultFS': 'hdfs://pair',
  'dfs.nameservices': 'pair',
  'dfs.ha.namenodes.pair': 'nn1,nn2',
  ...Object.fromEntries(
    (['nn1', 'nn2'] as const).flatMap(id => [
      [`dfs.namenode.rpc-address.pair.${id}`, rpc[id]],
      [`dfs.namenode.http-address.pair.${id}`, http[id]],
      [`dfs.namenode.name.dir.pair.${id}`, `file://${join(directory, id)}`],
    ]),
  ),
  'dfs.client.failover.proxy.provider.pair':
    'org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider',
  'dfs.ha.fencing.methods': 'shell(/bin/true)',
  'dfs.ha.tail-edits.period': '1',
  // A client of the admin command waits for a killed one no longer than this.
  'ipc.client.connect.max.retries': '1',
})

/** Of the one that keeps the edits: a majority of one. @param ports of calls and of HTTP */
const toJournalProperties = (
  directory: string,
  host: string,
  [rpc = 0, http = 0]: readonly number[],
): Readonly<Record<string, string>> => ({
  'dfs.namenode.shared.edits.dir': `qjournal://${host}:${rpc}/pair`,
  'dfs.journalnode.rpc-address': `${host}:${rpc}`,
  'dfs.journalnode.http-address': `${host}:${http}`,
  'dfs.journalnode.edits.dir': join(directory, 'journal'),
})

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    async response => {
      await response.text()
      return true
    },
    () => false,
  )

type State = { readonly isActive: boolean; readonly isWritable: boolean }

const readState = async (address: string): Promise<State | undefined> => {
  const url = `http://${address}/jmx?qry=Hadoop:service=NameNode,name=`
  const bean = async (name: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}${name}`, { signal: AbortSignal.timeout(5_000) })
    const { beans } = (await response.json()) as { beans: Record<string, unknown>[] }
    return beans[0] ?? {}
  }
  try {
    const [status, system] = [await bean('NameNodeStatus'), await bean('FSNamesystemState')]
    if (status['State'] === undefined) return undefined
    return {
      isActive: status['State'] === 'active',
      isWritable: system['FSState'] === 'Operational' && Number(system['NumLiveDataNodes']) > 0,
    }
  } catch {
    return undefined
  }
}
