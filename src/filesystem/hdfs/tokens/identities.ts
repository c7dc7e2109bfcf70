import { decodeHadoopToken } from '../../../formats/hadoop-token.ts'
import { isRefusedProof } from '../../cluster/remote-exception.ts'
import type { HeldTokens } from '../../webhdfs/credentials.ts'
import type { Identities } from '../rpc/client.ts'
import type { HadoopIdentity } from '../rpc/identity.ts'

/** The caller, for itself or on behalf of a user. */
export type IdentitiesOf = (user: string | undefined) => Identities

/** A name that is believed. */
export const believed =
  (name: string | undefined): IdentitiesOf =>
  user => ({
    of: () => {
      if (name) return { user: name, doas: user }
      throw new Error('the user of this process has no name: set namenode.user, or HADOOP_USER_NAME')
    },
    refused: () => false,
  })

/** A delegation token that was given once: all is done as its owner. */
export const bearer =
  (token: string): IdentitiesOf =>
  () => ({ of: () => ({ user: '', token: decodeHadoopToken(token) }), refused: () => false })

/** The tokens that this server holds of the cluster, one for each user. */
export const holder =
  (tokens: HeldTokens): IdentitiesOf =>
  user => ({
    of: async () => {
      const text = await tokens.get(user)
      const identity = { user: '', token: decodeHadoopToken(text) }
      textOf.set(identity, text)
      return identity
    },
    // The one that was refused: there may be a newer one by now, of another call.
    refused: (identity, error) => {
      if (!isRefusedProof(error)) return false
      tokens.refused(user, textOf.get(identity) ?? '')
      return true
    },
  })

/** The token of an identity, as it was given. */
const textOf = new WeakMap<HadoopIdentity, string>()
