/** A real HDFS that requires a Kerberos ticket or a token it issued itself. */
import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../find-program.ts'
import type { Kdc } from '../kerberos/kdc.ts'
import { missingForKerberos } from '../kerberos/programs.ts'
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'

export type SecureClusterOptions = Omit<ClusterOptions, 'security'> & {
  /** Where its principals are added. It must run while a daemon starts. */
  readonly kdc: Kdc
}

/** Who has a keytab, by its name. */
export const principals = {
  /** The daemons, and so the superuser. */
  hdfs: 'hdfs/localhost',
  /** Web services: those of the daemons, and Sluice's own. */
  http: 'HTTP/localhost',
  /** The user who may impersonate any other. */
  sluice: 'sluice/localhost',
  alice: 'alice',
  bob: 'bob',
} as const
export type KeytabName = keyof typeof principals

export type SecureCluster = Cluster & {
  /** Paths of the keytabs. */
  readonly keytabs: Readonly<Record<KeytabName, string>>
}

/** What is missing on this machine for it, beside HDFS, as a sentence for people; undefined when all is there. */
export const missingForSecureCluster = async (): Promise<string | undefined> =>
  (await missingForKerberos()) ?? missingCurl()

/**
 * Starts a cluster as {@link startCluster} does, with callers who prove by Kerberos who they are; its host name is
 * `localhost`. Every user may create files and directories at the top of its file system, and owns them as in `/tmp`.
 * @throws Error when something is missing or does not start
 */
export const startSecureCluster = async ({ kdc, ...options }: SecureClusterOptions): Promise<SecureCluster> => {
  const directory = join(kdc.directory, 'keytabs')
  await mkdir(directory, { recursive: true })
  const addKeytab = async (name: KeytabName): Promise<string> => {
    const file = join(directory, `${name}.keytab`)
    await kdc.addKeytab(file, principals[name])
    return file
  }
  const keytabs = {
    hdfs: await addKeytab('hdfs'),
    http: await addKeytab('http'),
    sluice: await addKeytab('sluice'),
    alice: await addKeytab('alice'),
    bob: await addKeytab('bob'),
  }
  const curl = createCurl(kdc, keytabs.hdfs)
  const cluster = await startCluster({
    ...options,
    security: {
      host: 'localhost',
      user: 'hdfs',
      jvmFlags: [`-Djava.security.krb5.conf=${kdc.krb5Config}`],
      properties: toProperties(kdc.realm, keytabs),
      readPage: url => curl(url),
    },
  })
  try {
    // On a busy machine the first call may be refused once: it can be repeated.
    await curl(
      '--retry',
      '5',
      '--retry-all-errors',
      '-X',
      'PUT',
      `${cluster.webhdfsUrl}/webhdfs/v1/?op=SETPERMISSION&permission=1777`,
    )
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return { ...cluster, keytabs }
}

const toProperties = (realm: string, keytabs: SecureCluster['keytabs']): Readonly<Record<string, string>> => {
  const daemon = `${principals.hdfs}@${realm}`
  const web = `${principals.http}@${realm}`
  return {
    'hadoop.security.authentication': 'kerberos',
    'hadoop.security.authorization': 'true',
    'dfs.namenode.kerberos.principal': daemon,
    'dfs.namenode.keytab.file': keytabs.hdfs,
    'dfs.datanode.kerberos.principal': daemon,
    'dfs.datanode.keytab.file': keytabs.hdfs,
    'dfs.web.authentication.kerberos.principal': web,
    'dfs.web.authentication.kerberos.keytab': keytabs.http,
    // Without the filter WebHDFS refuses every call: "user not authenticated by filter".
    'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
    'hadoop.http.authentication.type': 'kerberos',
    'hadoop.http.authentication.kerberos.principal': web,
    'hadoop.http.authentication.kerberos.keytab': keytabs.http,
    'dfs.block.access.token.enable': 'true',
    'dfs.data.transfer.protection': 'authentication',
    // No HTTPS and no ports of root, one of which a secure DataNode wants.
    'ignore.secure.ports.for.testing': 'true',
    'hadoop.proxyuser.sluice.hosts': '*',
    'hadoop.proxyuser.sluice.groups': '*',
    // Tickets of a few seconds are renewed as soon as they end.
    'hadoop.kerberos.min.seconds.before.relogin': '1',
    // None of these are users of this machine, and to ask it takes a process each time.
    'hadoop.security.group.mapping': 'org.apache.hadoop.security.NullGroupsMapping',
    'hadoop.user.group.static.mapping.overrides': 'hdfs=supergroup;sluice=sluice;alice=alice;bob=bob;HTTP=',
  }
}

const missingCurl = async (): Promise<string | undefined> => {
  if (!(await findProgram('curl'))) return 'no curl: "curl" is not on the PATH'
  const { stdout } = await promisify(execFile)('curl', ['--version'])
  return stdout.includes('SPNEGO') ? undefined : 'no curl that knows Kerberos: "curl --version" does not name SPNEGO'
}

/** Calls a cluster by curl; resolves to the body of the answer. */
export type Curl = (...args: readonly string[]) => Promise<string>

/** Runs curl as the owner of the keytab; the KDC gives it tickets without being asked for. */
export const createCurl = (kdc: Kdc, keytab: string): Curl => {
  const tickets = join(kdc.directory, `curl-tickets-${basename(keytab)}`)
  const env = {
    ...process.env,
    KRB5_CONFIG: kdc.krb5Config,
    KRB5_CLIENT_KTNAME: keytab,
    KRB5CCNAME: `FILE:${tickets}`,
  }
  return async (...args) => {
    const all = ['-sS', '--fail-with-body', '--max-time', '10', '--negotiate', '-u', ':', ...args]
    try {
      const { stdout } = await promisify(execFile)('curl', all, { env, maxBuffer: 1 << 24 })
      return stdout
    } catch (error) {
      // Tickets of a KDC with another clock, or by another key, are useless for the next call as well.
      await rm(tickets, { force: true })
      const { message, stdout = '' } = error as Error & { readonly stdout?: string }
      throw new Error(`${message}${stdout}`, { cause: error })
    }
  }
}
