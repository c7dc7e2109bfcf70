/** How a cluster learns who calls. */
import { isRefusedProof } from '../cluster/remote-exception.ts'

/** Goes with one call. It may hold secrets: none of it gets into messages. */
export type Proof = {
  /** Of the query. */
  readonly params: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
}

export type Credentials = {
  /**
   * For a call at the name node `host`, on behalf of `user`, or as this server without one. Rejects with
   * `FileSystemError` if the cluster has refused that, with any error while no proof can be obtained.
   */
  of(user: string | undefined, host: string): Proof | Promise<Proof>
  /**
   * Hears why a call with this proof failed. True where the name node does not know, or no longer takes, who calls, so
   * that nothing was done, and the next proof is another one.
   */
  refused(user: string | undefined, proof: Proof, error: unknown): boolean
}

/** A fixed proof: a delegation token, or a name that is believed. */
export const fixedCredentials = ({
  user: own,
  token,
}: {
  readonly user?: string | undefined
  readonly token?: string | undefined
}): Credentials => ({
  of: user => ({ params: token ? { delegation: token } : { 'user.name': own || undefined, doas: user } }),
  refused: () => false,
})

/** The delegation tokens that this server holds of one cluster. */
export type HeldTokens = {
  /**
   * The token of `user`, or of this server without one; fetched if it is missing. Rejects with `FileSystemError`:
   * `denied` if this server must not act for that user, else `unavailable`.
   */
  get(user: string | undefined): Promise<string>
  /** Hears that the cluster does not take this token of `user` any more. */
  refused(user: string | undefined, token: string): void
}

/** Credentials of tokens. */
export const tokenCredentials = (tokens: HeldTokens): Credentials => ({
  of: async user => ({ params: { delegation: await tokens.get(user) } }),
  refused: (user, { params: { delegation = '' } }, error) => {
    if (!isRefusedProof(error)) return false
    tokens.refused(user, delegation)
    return true
  },
})
