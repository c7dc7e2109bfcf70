/** The HDFS that gateways are measured on. */
import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { hadoopVersion, missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { clientProperties, proxyUser } from './others/httpfs.ts'
import type { Other } from './others/other.ts'
import { Skipped } from './trial.ts'

export const hdfsSoftware: Pick<Other, 'describe'> = {
  describe: async () => {
    await needHdfs()
    return `Hadoop ${hadoopVersion()}`
  },
}

/**
 * A cluster as those without Kerberos are: no delegation tokens, as many threads as by default, JVMs that compile all. Each
 * file has a copy on each DataNode.
 */
export const startHdfs = async (directory: string, dataNodes = 1): Promise<Cluster> => {
  await needHdfs()
  await mkdir(directory, { recursive: true })
  const properties = {
    ...proxyUser(userInfo().username),
    ...clientProperties,
    'dfs.replication': `${dataNodes}`,
    'dfs.namenode.delegation.token.always-use': 'false',
    'dfs.namenode.handler.count': '10',
    'dfs.datanode.handler.count': '10',
  }
  return startCluster({ directory, maxHeapMb: 512, quickStart: false, dataNodes, properties })
}

/** What Sluice needs to have its files in a cluster. */
export const hdfsSettings = ({ namenodeUrl, webhdfsUrl, user }: Cluster): readonly string[] => [
  `namenode.url=${namenodeUrl}`,
  `namenode.webhdfs.url=${webhdfsUrl}`,
  `namenode.user=${user}`,
]

const needHdfs = async (): Promise<void> => {
  const missing = await missingForHdfs()
  if (missing !== undefined) throw new Skipped(`no HDFS, ${missing}`)
}
