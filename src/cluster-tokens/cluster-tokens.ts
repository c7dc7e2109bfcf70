// node-only: Kerberos
/** The delegation tokens of the clusters that this server knows by Kerberos. */
import type { Clusters, NameSpaceCluster, TokensOf } from '../filesystem/name-space.ts'
import { createWebHdfsClient } from '../filesystem/webhdfs/client.ts'
import { decodeDelegationTokenIdentifier } from '../formats/delegation-token-identifier.ts'
import { decodeHadoopToken } from '../formats/hadoop-token.ts'
import { createInitiator, type Initiator } from '../kerberos/initiate.ts'
import { loadKerberos } from '../kerberos/kerberos.ts'
import { checkKeytab } from '../kerberos/keytab.ts'
import { toServerPrincipal } from '../kerberos/server-principal.ts'
import { createKeptTokens, type KeptTokens, type KeptTokensOptions } from './kept-tokens.ts'
import { ticketCredentials } from './ticket-credentials.ts'

/** Tokens by mount point. */
export type ClusterTokens = {
  readonly of: TokensOf
  /** Gives all of them back. Never rejects. */
  close(): Promise<void>
}

type Log = KeptTokensOptions['log']

/**
 * Keeps tokens for each cluster that has a principal; none is asked for before it is needed.
 * @throws KerberosError where there is such a cluster, and the package is missing or the keytab has no key of the principal
 */
export const createClusterTokens = async (clusters: Clusters, log: Log): Promise<ClusterTokens> => {
  const kept = new Map<string, KeptTokens>()
  for (const cluster of clusters) {
    const { path, from, kerberos } = cluster
    if (kerberos === undefined) continue
    const setting = from === 'namenode' ? 'namenode.kerberos.keytab' : `kerberos.keytab of ${path} in ${from}`
    const { principal, problem } = await toServerPrincipal(kerberos.principal)
    if (problem !== undefined) log.warn({ cluster: path }, problem)
    const initiator = createInitiator({ ...kerberos, principal, load: () => loadKerberos(setting) })
    // Errors are reported at the start, and not to the first caller.
    await loadKerberos(setting)
    await checkKeytab({ setting, keytab: kerberos.keytab, principal: initiator.principal })
    kept.set(path, keepTokens(cluster, initiator, log))
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

const keepTokens = (
  { path: mountPoint, webhdfs: urls }: NameSpaceCluster,
  initiator: Initiator,
  log: Log,
): KeptTokens => {
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
