import { remoteOf } from '../filesystem/cluster/remote-exception.ts'
import type { Credentials } from '../filesystem/webhdfs/credentials.ts'
import type { Initiator } from '../kerberos/initiate.ts'

/** Credentials of tickets: the owner of one may act for others with `doas`. */
export const ticketCredentials = (initiator: Pick<Initiator, 'authorization' | 'refused'>): Credentials => ({
  of: async (user, host) => ({
    params: { doas: user },
    headers: { authorization: await initiator.authorization(host) },
  }),
  refused: (_user, _proof, error) => isRefusedTicket(error) && initiator.refused(),
})

/**
 * Whether a name node took no ticket: 401, or the page of its filter with 403 for one of another time or key (Hadoop's
 * `AuthenticationFilter`). What it has against a call it says in JSON.
 */
const isRefusedTicket = (error: unknown): boolean => {
  const remote = remoteOf(error)
  return remote?.httpStatus === 401 || (remote?.httpStatus === 403 && remote.exception === '')
}
