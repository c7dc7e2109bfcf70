/** The settings of a cluster that is small, quick to start, and loses its edges. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Ports of one NameNode and one DataNode, all on the loopback address and the same through restarts. */
export type ClusterPorts = DataNodePorts & {
  /** Hadoop RPC of the NameNode, the port of `hdfs://…`. */
  readonly nameNodeRpc: number
  /** WebHDFS and web pages of the NameNode. */
  readonly nameNodeHttp: number
}

/** Ports of one DataNode. */
export type DataNodePorts = {
  readonly dataNodeHttp: number
  readonly dataNodeTransfer: number
  readonly dataNodeIpc: number
}

export type SiteOptions = {
  /** Name or address of this machine that the daemons use among themselves and give to clients. */
  readonly host: string
  /** Address where the DataNode takes blocks, whatever clients get. @default host */
  readonly transferHost?: string | undefined
  /** The cluster's directory; `conf`, `name`, `data` and `log` are made below it. */
  readonly directory: string
  readonly ports: ClusterPorts
  /** User that WebHDFS calls without `user.name` act as. */
  readonly staticUser: string
  /** Hadoop properties that win over the ones given here. */
  readonly properties?: Readonly<Record<string, string>>
}

/** Writes `core-site.xml`, `hdfs-site.xml` and `log4j.properties`; returns their directory, for the class path. */
export const writeSite = async (options: SiteOptions): Promise<string> => {
  const { host, transferHost = host, directory, ports, staticUser, properties } = options
  const conf = join(directory, 'conf')
  // The servers insist on directories of web pages, even without pages; Hadoop's jars do not have them everywhere.
  for (const name of ['hdfs', 'datanode']) await mkdir(join(conf, 'webapps', name), { recursive: true })
  await mkdir(join(directory, 'log'), { recursive: true })
  const all = {
    'fs.defaultFS': `hdfs://${host}:${ports.nameNodeRpc}`,
    'hadoop.tmp.dir': join(directory, 'tmp'),
    'hadoop.http.staticuser.user': staticUser,
    'dfs.namenode.name.dir': `file://${join(directory, 'name')}`,
    'dfs.namenode.http-address': `${host}:${ports.nameNodeHttp}`,
    ...toDataNodeProperties({ host, transferHost, data: join(directory, 'data'), ports }),
    'dfs.datanode.hostname': host,
    'dfs.namenode.datanode.registration.ip-hostname-check': 'false',
    'dfs.replication': '1',
    'dfs.namenode.safemode.extension': '0',
    // All blocks, not the usual 99.9 %: that share of a single block rounds to zero, and a restarted cluster could not
    // be read yet.
    'dfs.namenode.safemode.threshold-pct': '1.0',
    'dfs.heartbeat.interval': '1',
    'dfs.namenode.heartbeat.recheck-interval': '500',
    'dfs.blockreport.initialDelay': '0',
    'dfs.client.block.write.replace-datanode-on-failure.enable': 'false',
    // Delegation tokens without Kerberos, and blocks small enough that a short file has several.
    'dfs.namenode.delegation.token.always-use': 'true',
    'dfs.namenode.fs-limits.min-block-size': '1024',
    // A laptop's disk is allowed to be nearly full, and few threads do.
    'dfs.datanode.du.reserved': '0',
    'dfs.namenode.resource.du.reserved': '1048576',
    'dfs.namenode.handler.count': '4',
    'dfs.datanode.handler.count': '3',
    'dfs.namenode.edits.noeditlogchannelflush': 'false',
    ...properties,
  }
  await writeFile(join(conf, 'hdfs-site.xml'), toXml(all))
  await writeFile(join(conf, 'core-site.xml'), toXml(all))
  await writeFile(join(conf, 'log4j.properties'), log4j)
  return conf
}

/** One DataNode on this machine. */
export type DataNodeSite = Pick<SiteOptions, 'host' | 'transferHost'> & {
  /** The directory of its blocks. */
  readonly data: string
  readonly ports: DataNodePorts
}

/** What one DataNode has of its own: where its blocks are, and where it listens. */
export const toDataNodeProperties = ({
  host,
  transferHost = host,
  data,
  ports,
}: DataNodeSite): Readonly<Record<string, string>> => ({
  'dfs.datanode.data.dir': `file://${data}`,
  'dfs.datanode.address': `${transferHost}:${ports.dataNodeTransfer}`,
  'dfs.datanode.http.address': `${host}:${ports.dataNodeHttp}`,
  'dfs.datanode.ipc.address': `${host}:${ports.dataNodeIpc}`,
})

/** Flags of the Java virtual machine: little memory, a quick start where wanted, and what Hadoop needs from JDK 9 on. */
export const jvmFlags = (maxHeapMb: number, quickStart: boolean): readonly string[] => [
  `-Xmx${maxHeapMb}m`,
  '-XX:+UseSerialGC',
  ...(quickStart ? ['-XX:TieredStopAtLevel=1'] : []),
  ...hadoopFlags,
]

/** What Hadoop needs from JDK 9 on. */
export const hadoopFlags: readonly string[] = [
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-Djava.net.preferIPv4Stack=true',
  ...['java.lang', 'java.lang.reflect', 'java.util', 'java.io', 'java.net', 'java.nio', 'sun.nio.ch'].map(
    name => `--add-opens=java.base/${name}=ALL-UNNAMED`,
  ),
]

const log4j = `log4j.rootLogger=INFO, err
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
`

/** A Hadoop configuration file. */
export const toXml = (properties: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(properties).map(
    ([name, value]) => `  <property><name>${escapeXml(name)}</name><value>${escapeXml(value)}</value></property>`,
  )
  return `<?xml version="1.0"?>\n<configuration>\n${lines.join('\n')}\n</configuration>\n`
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
