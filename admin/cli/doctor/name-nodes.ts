import type { NamedCluster } from '../../../src/config/clusters.ts'
import { withNameSpace } from '../spool/name-space.ts'
import { type DoctorCheck, fail, ok, toCheckReason, warn, within } from './check.ts'
import { checkNameNode } from './file-system.ts'

/** What was looked at, and whether a NameNode takes calls, by either way that the settings allow. */
export type NameNodeChecks = { readonly checks: readonly DoctorCheck[]; readonly isActive: boolean }

/**
 * Asks the NameNodes of a cluster: by HDFS' own protocol first, which is what Sluice speaks where it can, and by WebHDFS.
 * @param setting which names it @default those of the default cluster
 */
export const checkCluster = async (cluster: NamedCluster, setting?: string): Promise<NameNodeChecks> => {
  const { url, protocol } = cluster
  if (!url.startsWith('hdfs:')) return { checks: [], isActive: true }
  const own = protocol === 'webhdfs' ? undefined : await askOwn(cluster)
  if (own !== undefined && protocol === 'native') return { checks: [own], isActive: own.code === 'ok' }
  const web = await checkWebHdfs(cluster, setting)
  const isActive = own?.code === 'ok' || web.isActive
  const checks = own === undefined ? web.checks : [own, ...web.checks]
  if (!isActive) return { checks, isActive }
  return { isActive, checks: checks.map(one => (one.code === 'fail' ? toSpare(one, own?.code === 'ok') : one)) }
}

/** One way, or one NameNode, is enough. */
const toSpare = ({ name, message, advice }: DoctorCheck, isOwn: boolean): DoctorCheck =>
  warn(
    name,
    message,
    isOwn ? "Not needed while HDFS' own protocol works; `protocol: native` asks for nothing else." : advice,
  )

const askOwn = async (cluster: NamedCluster): Promise<DoctorCheck> => {
  const name = `NameNode ${cluster.url.replace(/^hdfs:\/\//, '').replace(/\/$/, '')}, RPC`
  try {
    await within(withNameSpace([{ ...cluster, protocol: 'native' }], fileSystem => fileSystem.probe()))
    return ok(name, 'answers, and is active')
  } catch (error) {
    const advice = 'Is that its RPC port (dfs.namenode.rpc-address), and open from here? See namenode.url.'
    return fail(name, toCheckReason(error), advice)
  }
}

const checkWebHdfs = async (cluster: NamedCluster, setting?: string): Promise<NameNodeChecks> => {
  const { locateClusters } = await import('../../../src/filesystem/name-space.ts')
  const checks: DoctorCheck[] = []
  try {
    const [{ webhdfs, user }] = await locateClusters([cluster])
    for (const one of webhdfs)
      checks.push(...(await checkNameNode(one, user, setting === undefined ? {} : { setting })))
  } catch (error) {
    const advice = 'It is the directory with core-site.xml and hdfs-site.xml of the cluster.'
    return { checks: [fail(setting ?? 'namenode.hadoop-conf', toCheckReason(error), advice)], isActive: false }
  }
  return { checks, isActive: checks.some(({ name, code }) => name.endsWith('WebHDFS') && code === 'ok') }
}
