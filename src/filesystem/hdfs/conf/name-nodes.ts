/**
 * Where the name nodes of a cluster are:
 *
 *     hdfs://host:port             there
 *     hdfs://host:port,host:port   there, of a pair for example
 *     hdfs://name                  at the addresses that Hadoop's configuration has for a name service
 */
import type { NodeAddress } from '../socket/exact-socket.ts'
import type { HadoopConf } from './hadoop-conf.ts'

export type NameNodes = {
  /** Of RPC. */
  readonly addresses: readonly [NodeAddress, ...NodeAddress[]]
  /** `http(s)://host:port` of each. */
  readonly webhdfs: readonly string[]
}

/** The port of a name node where nothing else names it (`dfs.namenode.rpc-address`). */
const defaultRpcPort = 8020

/** `host:port` of each name node of a URL, or the name of a name service. */
export type Hosts = readonly [string, ...string[]]

/**
 * Finds them.
 * @param webhdfs what is known of it already, which counts
 * @throws TypeError a name service, or an address of it, is not as it should be
 */
export const findNameNodes = (hosts: Hosts, webhdfs: readonly string[], conf: HadoopConf | undefined): NameNodes => {
  const service = hosts.length === 1 && conf !== undefined ? findService(hosts[0], conf) : undefined
  if (service !== undefined) return webhdfs.length > 0 ? { ...service, webhdfs } : service
  const addresses = mapFirst(hosts, toAddress)
  // A host of WebHDFS need not be a name node: it may be an HttpFS or a proxy, beside the server that takes calls.
  return { addresses, webhdfs: webhdfs.length > 0 ? webhdfs : addresses.map(({ host }) => toHttp('http', host, 9870)) }
}

/** Those of a name service; undefined for another name. */
const findService = (name: string, conf: HadoopConf): NameNodes | undefined => {
  const ids = idsOf(name, conf)
  if (ids === undefined) return undefined
  const propertyOf = (property: string, id: string): string =>
    [`dfs.namenode.${property}`, name, id].filter(part => part !== '').join('.')
  const addresses = mapFirst(ids, id => {
    const property = propertyOf('rpc-address', id)
    const address = conf.get(property)
    if (address !== undefined) return toAddress(address)
    throw new TypeError(`Cannot use hdfs://${name}: expected ${property} in ${conf.directory}`)
  })
  const isHttps = conf.get('dfs.http.policy') === 'HTTPS_ONLY'
  const [scheme, property, port] = isHttps ? ['https', 'https-address', 9871] : ['http', 'http-address', 9870]
  const webhdfs = ids.map((id, at) => {
    const { host } = addresses[at] ?? addresses[0]
    const given = conf.get(propertyOf(property, id))
    const http = given === undefined ? { host, port } : toAddress(given)
    // A name node that says this one listens on all addresses of its machine.
    return toHttp(scheme, http.host === '0.0.0.0' ? host : http.host, http.port)
  })
  return { addresses, webhdfs }
}

/** The ids of the name nodes of a name service, one that is empty where it has a single one; undefined for another name. */
const idsOf = (name: string, conf: HadoopConf): readonly [string, ...string[]] | undefined => {
  if (!words(conf.get('dfs.nameservices')).includes(name)) return undefined
  const [first = '', ...others] = words(conf.get(`dfs.ha.namenodes.${name}`))
  return [first, ...others]
}

const words = (text = ''): readonly string[] => text.split(',').flatMap(word => word.trim() || [])

/** `host:port`, `[::1]:port`, or a host alone. */
const toAddress = (text: string): NodeAddress => {
  const url = URL.canParse(`hdfs://${text}`) ? new URL(`hdfs://${text}`) : undefined
  if (!url?.hostname) throw new TypeError(`Cannot use "${text}" as the address of a name node: expected host:port`)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultRpcPort }
}

const toHttp = (scheme: string, host: string, port: number): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`

const mapFirst = <A, B>([first, ...others]: readonly [A, ...A[]], map: (one: A) => B): readonly [B, ...B[]] => [
  map(first),
  ...others.map(map),
]
