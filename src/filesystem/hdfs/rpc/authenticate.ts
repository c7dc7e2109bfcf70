/**
 * SASL in front of calls, by a token:
 *
 *     NEGOTIATE ─▶ the server's list of ways, with a challenge for a token
 *     INITIATE, the way and the answer to its challenge ─▶ SUCCESS, with its own proof
 */
import type { Demand } from '../conf/demands.ts'
import { answerChallenge, SaslError } from '../tokens/digest-md5.ts'
import type { SecurityLayer } from '../tokens/security-layer.ts'
import type { HadoopTokenBytes } from './identity.ts'
import { RpcSasl, saslState } from './messages.ts'

type SaslChannel = {
  readonly send: (message: Uint8Array) => void
  /** The next message of the server. */
  readonly receive: () => Promise<Uint8Array>
}

/**
 * Resolves with what protects the calls from here on; undefined where nothing does. Rejects with {@link SaslError} where the
 * server does not take tokens, or wants a protection that is not spoken here, or less than is demanded.
 */
export const authenticate = async (
  { identifier, password }: HadoopTokenBytes,
  { send, receive }: SaslChannel,
  demand: Demand | undefined,
): Promise<SecurityLayer | undefined> => {
  send(RpcSasl.encode({ state: saslState.negotiate, auths: [] }))
  const { state, auths } = RpcSasl.decode(await receive())
  const way = auths.find(({ method, mechanism }) => method === 'TOKEN' && mechanism === 'DIGEST-MD5')
  if (state !== saslState.negotiate || way?.challenge === undefined) throw new SaslError(toOffer(auths))
  const { method, mechanism, protocol = '', serverId = '', challenge } = way
  const digest = {
    username: toBase64(identifier),
    password: toBase64(password),
    digestUri: `${protocol}/${serverId}`,
    setting: 'hadoop.rpc.protection',
    demand,
  }
  const { response, check } = answerChallenge(challenge, digest)
  const chosen = { method, mechanism, protocol, serverId }
  send(RpcSasl.encode({ state: saslState.initiate, token: response, auths: [chosen] }))
  const end = RpcSasl.decode(await receive())
  if (end.state !== saslState.success) throw new SaslError('it did not accept the token')
  return check(end.token ?? new Uint8Array(0))
}

/** The cluster's settings decide which ways there are. */
const toOffer = (auths: readonly Offer[]): string => {
  const offered = auths.map(({ method, mechanism }) => `${method} ${mechanism}`.trim()).join(', ') || 'nothing'
  return `it takes no delegation token by DIGEST-MD5 (hadoop.security.authentication, hadoop.security.sasl.mechanism), but ${offered.slice(0, 200)}`
}
type Offer = { readonly method: string; readonly mechanism: string }

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
