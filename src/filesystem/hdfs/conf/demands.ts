/**
 * What a cluster's own configuration demands of every connection, so that a machine in between cannot agree on less:
 *
 *     hadoop.rpc.protection          of calls
 *     dfs.data.transfer.protection   of bytes to and from data nodes
 *     dfs.encrypt.data.transfer      of these bytes, by a key of the cluster
 */
import type { Qop } from '../tokens/security-layer.ts'
import type { HadoopConf } from './hadoop-conf.ts'

/** A setting, what it says, and which qualities of protection will do. */
export type Demand = { readonly setting: string; readonly value: string; readonly qops: readonly Qop[] }

/** What is demanded; absent where the cluster may choose. */
export type Demands = {
  readonly calls?: Demand | undefined
  readonly bytes?: Demand | undefined
  readonly encryption?: Demand | undefined
}

/** Hadoop's words for them (`SaslRpcServer.QualityOfProtection`). */
const qualities: Readonly<Record<string, Qop>> = { authentication: 'auth', integrity: 'auth-int', privacy: 'auth-conf' }

/**
 * Finds it. The protections are those of clusters whose callers have to prove who they are: Hadoop does not look at them
 * in others.
 * @param isSecure whether we have such a proof, whatever the configuration says
 * @throws TypeError a protection that Hadoop does not have
 */
export const findDemands = (conf: HadoopConf | undefined, isSecure: boolean): Demands => {
  if (conf === undefined) return {}
  const isDemanded = isSecure || conf.get('hadoop.security.authentication')?.toLowerCase() === 'kerberos'
  const find = (setting: string): Demand | undefined => {
    const value = conf.get(setting)
    if (value === undefined || !isDemanded) return undefined
    return { setting, value, qops: value.split(',').map(word => toQop(word, setting, conf)) }
  }
  const isEncrypted = conf.get('dfs.encrypt.data.transfer')?.toLowerCase() === 'true'
  return {
    calls: find('hadoop.rpc.protection'),
    bytes: find('dfs.data.transfer.protection'),
    encryption: isEncrypted ? { setting: 'dfs.encrypt.data.transfer', value: 'true', qops: ['auth-conf'] } : undefined,
  }
}

/** Demands that a connection open to reading or changes on its way does not meet. */
export const findProtections = ({ calls, bytes, encryption }: Demands): readonly Demand[] =>
  [calls, bytes, encryption].flatMap(demand => (demand && !demand.qops.includes('auth') ? [demand] : []))

const toQop = (text: string, setting: string, { directory }: HadoopConf): Qop => {
  const word = text.trim().toLowerCase()
  const qop = Object.hasOwn(qualities, word) ? qualities[word] : undefined
  if (qop !== undefined) return qop
  const expected = Object.keys(qualities).join(', ')
  throw new TypeError(`Cannot use ${setting} "${word}" in ${directory}: expected some of ${expected}`)
}

/** `<setting> is <value> in namenode.hadoop-conf` */
export const inWords = ({ setting, value }: Pick<Demand, 'setting' | 'value'>): string =>
  `${setting} is ${value} in namenode.hadoop-conf`
