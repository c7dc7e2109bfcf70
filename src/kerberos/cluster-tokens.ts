// node-only: Kerberos
/** The delegation tokens of the clusters that this server knows by Kerberos. */
import type { NameSpaceSettings, TokensOf } from '../filesystem/name-space.ts'
import { createWebHdfsClient } from '../filesystem/webhdfs/client.ts'
import { createKeptTokens, type KeptTokens, type KeptTokensOptions } from '../filesystem/webhdfs/delegation-tokens.ts'
import { decodeDelegationTokenIdentifier } from '../formats/delegation-token-identifier.ts'
import { decodeHadoopToken } from '../formats/hadoop-token.ts'
import { createInitiator, type Initiator } from './initiate.ts'
import { loadKerberos } from './kerberos.ts'
import { checkKeytab } from './keytab.ts'
import { ticketCredentials } from './ticket-credentials.ts'

/** Tokens by mount point. */
export type ClusterTokens = {
  readonly of: TokensOf
  /** Gives all of them back. Never rejects. */
  close(): Promise<void>
}

type Log = KeptTokensOptions['log']

/** A cluster that is called with tokens. */
type Cluster = {
  readonly mountPoint: string
  readonly urls: readonly string[]
  readonly kerberos: { readonly principal: string; readonly keytab: string }
}

/**
 * Keeps tokens for each cluster that the settings name a principal for; none is asked for before it is needed.
 * @throws KerberosError where there is such a cluster, and the package is missing or the keytab has no key of the principal
 */
export const createClusterTokens = async (settings: NameSpaceSettings, log: Log): Promise<ClusterTokens> => {
  const clusters = toClusters(settings)
  const kept = new Map<string, KeptTokens>()
  for (const cluster of clusters) {
    const { mountPoint, kerberos } = cluster
    const setting = mountPoint === '/' ? 'namenode.kerberos.keytab' : `kerberos.keytab of ${mountPoint} in mounts`
    const initiator = createInitiator({ ...kerberos, load: () => loadKerberos(setting) })
    // What is wrong is told at the start, and not to the first who calls.
    await loadKerberos(setting)
    await checkKeytab({ setting, keytab: kerberos.keytab, principal: initiator.principal })
    kept.set(mountPoint, keepTokens(cluster, initiator, log))
  }
  return {
    of: mountPoint => {
      const tokens = kept.get(mountPoint)
      if (tokens) return tokens
      throw new TypeError(`There are no tokens for the cluster at ${mountPoint}`)
    },
    close: async () => void (await Promise.all([...kept.values()].map(tokens => tokens.close()))),
  }
}

const toClusters = (settings: NameSpaceSettings): readonly Cluster[] => {
  const { 'namenode.kerberos.principal': principal, 'namenode.kerberos.keytab': keytab } = settings
  const root = principal !== undefined && keytab !== undefined ? { principal, keytab } : undefined
  return [
    { mountPoint: '/', urls: settings['namenode.webhdfs.url'], kerberos: root },
    ...settings.mounts.map(({ path, webhdfs, kerberos }) => ({ mountPoint: path, urls: webhdfs, kerberos })),
  ].flatMap(({ kerberos, ...cluster }) => (kerberos ? [{ ...cluster, kerberos }] : []))
}

const keepTokens = ({ mountPoint, urls }: Cluster, initiator: Initiator, log: Log): KeptTokens => {
  const client = createWebHdfsClient({
    urls,
    maxRetries: 1,
    timeoutMs: 10_000,
    credentials: ticketCredentials(initiator),
  })
  const tokens = createKeptTokens({
    client,
    renewer: initiator.principal,
    issueDateOf: token => decodeDelegationTokenIdentifier(decodeHadoopToken(token).identifier).issueDate,
    log: {
      info: (fields, message) => log.info({ cluster: mountPoint, ...fields }, message),
      warn: (fields, message) => log.warn({ cluster: mountPoint, ...fields }, message),
    },
  })
  return {
    ...tokens,
    close: async () => {
      await tokens.close()
      await client.close()
    },
  }
}
