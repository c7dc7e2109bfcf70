import { join } from 'node:path'
import { findFreePorts } from '../free-ports.ts'
import { type ClusterPorts, type DataNodePorts, type SiteOptions, toDataNodeProperties } from './config.ts'

/** Where one of the DataNodes is. */
export type DataNodePlace = {
  /** What its files are called by: `datanode`, `datanode2` … */
  readonly name: string
  /** Where it answers WebHDFS. */
  readonly url: string
  /** The port for blocks that clients get: one of the cluster's host. */
  readonly transferPort: number
  /** The directory of its blocks. */
  readonly data: string
}

/** The ports of a cluster: one NameNode, some DataNodes. */
export type AllPorts = Omit<ClusterPorts, keyof DataNodePorts> & {
  readonly dataNodes: readonly [DataNodePorts, ...DataNodePorts[]]
}

/** Free ones, except the NameNode's pages if a port is given. */
export const findPorts = async (nameNodeHttp: number | undefined, dataNodes: number): Promise<AllPorts> => {
  const [free = 0, nameNodeRpc = 0, ...others] = await findFreePorts(2 + 3 * dataNodes)
  const portsOf = (index: number): DataNodePorts => {
    const [dataNodeHttp = 0, dataNodeTransfer = 0, dataNodeIpc = 0] = others.slice(3 * index)
    return { dataNodeHttp, dataNodeTransfer, dataNodeIpc }
  }
  const further = Array.from({ length: dataNodes - 1 }, (_, index) => portsOf(index + 1))
  return { nameNodeHttp: nameNodeHttp ?? free, nameNodeRpc, dataNodes: [portsOf(0), ...further] }
}

type Host = Pick<SiteOptions, 'host' | 'transferHost' | 'directory'>

/** Where a DataNode is, and the arguments it is started with: what is the first one's is in the site. */
export const placeDataNode = (
  { host, transferHost, directory }: Host,
  ports: DataNodePorts,
  index: number,
): DataNodePlace & { readonly args: readonly string[] } => {
  const number = index === 0 ? '' : index + 1
  const data = join(directory, `data${number}`)
  const own = index === 0 ? {} : toDataNodeProperties({ host, transferHost, data, ports })
  return {
    name: `datanode${number}`,
    url: `http://${host}:${ports.dataNodeHttp}`,
    transferPort: ports.dataNodeTransfer,
    data,
    args: Object.entries(own).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
  }
}
