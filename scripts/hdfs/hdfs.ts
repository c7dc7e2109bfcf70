/** `npm run hdfs -- start|stop|status`: a real HDFS on this machine, to try Sluice with. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandOptions, runCommand, type Started } from '../jvm/command.ts'
import { startKdc } from '../kerberos/kdc.ts'
import { hadoopVersion, hdfsHome } from './artifacts.ts'
import { startCluster } from './cluster.ts'
import { missingForSecureCluster, principals, startSecureCluster } from './secure-cluster.ts'

const usage = `Usage: npm run hdfs -- start [--kerberos] [--port N] [--dir DIR] | stop | status
  start       starts a NameNode and a DataNode in the background and prints how to use them
  stop        stops them; without --dir their files go, too
  status      says whether they run (exit code 0) or not (1)
  --kerberos  with a KDC of their own: they let nobody in without a ticket
  --port      HTTP (WebHDFS) port of the NameNode; any free one when left out
  --dir       where HDFS keeps its files; a temporary directory when left out
Needs a JDK (8, 11 or 17) and, the first time, Maven; --kerberos needs Debian's krb5-kdc, krb5-admin-server, krb5-user
and curl. SLUICE_HDFS_HOME moves the cache of jars (.hdfs/ in the project), SLUICE_HDFS_VERSION selects a version of
Hadoop (${hadoopVersion()}).`

type StartOptions = Parameters<CommandOptions['start']>[0]

const startOpen = async (options: StartOptions): Promise<Started> => {
  const cluster = await startCluster({ ...options, detached: true })
  const { namenodeUrl, webhdfsUrl, marker } = cluster
  const hint = [
    `  SLUICE_NAMENODE_URL=${namenodeUrl} SLUICE_NAMENODE_WEBHDFS_URL=${webhdfsUrl} npm start`,
    `Files are in ${options.directory}; the daemons' logs in ${join(options.directory, 'log')}.`,
  ].join('\n')
  return { pids: cluster.pids(), marker, url: namenodeUrl, hint }
}

const startSecure = async (options: StartOptions): Promise<Started> => {
  const missing = await missingForSecureCluster()
  if (missing !== undefined) throw new Error(`Cannot start a secure HDFS: ${missing}`)
  const { directory } = options
  const kdc = await startKdc({ directory: join(directory, 'kerberos'), detached: true })
  try {
    const cluster = await startSecureCluster({ ...options, kdc, detached: true })
    const { namenodeUrl, webhdfsUrl, keytabs } = cluster
    const callers = join(kdc.directory, 'callers')
    await writeFile(callers, `principal: "*@${kdc.realm}" roles: read,write\n`)
    const hint = `  export KRB5_CONFIG=${kdc.krb5Config} KRB5CCNAME=FILE:${join(kdc.directory, 'tickets')}
  export SLUICE_NAMENODE_URL=${namenodeUrl} SLUICE_NAMENODE_WEBHDFS_URL=${webhdfsUrl}
  export SLUICE_NAMENODE_KERBEROS_PRINCIPAL=${principals.sluice}@${kdc.realm}
  export SLUICE_NAMENODE_KERBEROS_KEYTAB=${keytabs.sluice}
  npm start
as somebody with a ticket
  kinit -kt ${keytabs.alice} alice
  curl --negotiate -u : '${webhdfsUrl}/webhdfs/v1/?op=LISTSTATUS'
and, for Sluice to let in whom it knows by a ticket, with
  export SLUICE_AUTH_KERBEROS_KEYTAB=${keytabs.http} SLUICE_AUTH_TOKENS=${callers}
Keytabs (also of bob, and of the superuser, whose principal is ${principals.hdfs}) are in ${join(kdc.directory, 'keytabs')}.
Files are in ${directory}; the daemons' logs in ${join(directory, 'log')} and ${join(kdc.directory, 'kdc.log')}.`
    // The directory is what the command lines of all three have in common.
    return { pids: [...kdc.pids(), ...cluster.pids()], marker: directory, url: namenodeUrl, hint }
  } catch (error) {
    await kdc.stop()
    throw error
  }
}

await runCommand(
  {
    title: 'HDFS',
    script: 'hdfs',
    usage,
    stateFile: join(hdfsHome(), 'running.json'),
    flags: ['kerberos'],
    start: options => (options.flags.has('kerberos') ? startSecure(options) : startOpen(options)),
  },
  process.argv.slice(2),
)
