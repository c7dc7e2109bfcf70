/** HttpFS, Hadoop's own HTTP gateway: the REST API of WebHDFS, by a server that is a client of HDFS in turn. */
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import type { Cluster } from '../../../scripts/hdfs/cluster.ts'
import { hadoopFlags, toXml } from '../../../scripts/hdfs/config.ts'
import { start } from '../process.ts'
import { createJavaSoftware } from './java-software.ts'
import type { Started } from './other.ts'

/** Some 60 MB. The last version in Maven's repository, which may be older than that of the cluster. */
const software = createJavaSoftware({ name: 'HttpFS', version: '3.4.2', artifact: 'httpfs' })

export const httpfs = { describe: software.describe }

const startTimeoutMs = 30_000
const jvm = ['-Xms1g', '-Xmx1g', ...hadoopFlags]

/**
 * Starts it on the core of the server, with its files in this empty directory, for a cluster that lets its user act for
 * others ({@link proxyUser}). All defaults but {@link clientProperties} and a log of warnings only: it writes a line for
 * each call by default.
 * @throws Skipped when this machine lacks it
 */
export const startHttpFs = async (
  directory: string,
  { namenodeUrl, user }: Pick<Cluster, 'namenodeUrl' | 'user'>,
): Promise<Started> => {
  const java = await software.fetch()
  const [port = 0] = await findFreePorts(1)
  const at = (name: string): string => join(directory, name)
  for (const name of ['conf', 'log', 'temp']) await mkdir(at(name))
  const core = { 'fs.defaultFS': namenodeUrl, 'hadoop.tmp.dir': at('temp'), ...clientProperties }
  await writeFile(join(at('conf'), 'core-site.xml'), toXml(core))
  const site = { 'httpfs.http.hostname': '127.0.0.1', 'httpfs.http.port': String(port) }
  await writeFile(join(at('conf'), 'httpfs-site.xml'), toXml(site))
  for (const name of ['log4j', 'httpfs-log4j']) await writeFile(join(at('conf'), `${name}.properties`), log4j)
  const places = { home: directory, config: at('conf'), log: at('log'), temp: at('temp') }
  const args = [
    ...jvm,
    ...Object.entries(places).map(([name, path]) => `-Dhttpfs.${name}.dir=${path}`),
    `-DHADOOP_USER_NAME=${user}`,
    '-cp',
    `${at('conf')}${delimiter}${join(software.library, '*')}`,
    'org.apache.hadoop.fs.http.server.HttpFSServerWebServer',
  ]
  const running = await start({ program: java, args, core: 'server', cwd: directory }, isBound)
  const url = `http://127.0.0.1:${port}`
  const answer = await fetch(`${url}/webhdfs/v1/?op=LISTSTATUS&user.name=${user}`, {
    signal: AbortSignal.timeout(startTimeoutMs),
  }).catch(() => undefined)
  if (answer?.ok) return { pid: running.pid, url, stop: () => running.stop('SIGKILL') }
  await running.stop('SIGKILL')
  throw new Error(`HttpFS did not start: it answered ${answer?.status ?? 'nothing'}`)
}

/**
 * Properties of the writer, HttpFS or a DataNode for WebHDFS: one copy, as there is one DataNode, and no sleep of 400
 * ms while the NameNode does not know of a block yet, which affects some files and not others.
 */
export const clientProperties = {
  'dfs.replication': '1',
  'dfs.client.block.write.locateFollowingBlock.initial.delay.ms': '5',
} as const

/** Properties of a NameNode that HttpFS needs: its user may impersonate any other. */
export const proxyUser = (user: string): Readonly<Record<string, string>> => ({
  [`hadoop.proxyuser.${user}.hosts`]: '*',
  [`hadoop.proxyuser.${user}.groups`]: '*',
})

/** It listens then; what is asked before it has started waits. */
const isBound = (line: string): boolean => line.includes('Jetty bound to port')

const log4j = `log4j.rootLogger=WARN, err
log4j.logger.org.apache.hadoop.http.HttpServer2=INFO
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern=%p %c{1}: %m%n
`
