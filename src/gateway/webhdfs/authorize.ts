import { Buffer } from 'node:buffer'
import {
  type DelegationToken,
  type DelegationTokens,
  InvalidToken,
  isDelegationToken,
} from '../../delegation/delegation-tokens.ts'
import { FormatError, SluiceError } from '../../errors.ts'
import { decodeHadoopToken, type HadoopToken } from '../../formats/hadoop-token.ts'
import { type Auth, isRefusedCaller } from '../../http/auth/auth.ts'
import { toDenied, toUnauthenticated } from '../../http/auth/token-callers.ts'
import type { Call, Headers, Identity } from '../../http/call/call.ts'
import type { Role } from '../../http/roles.ts'
import { textParam } from '../text-param.ts'
import { toRefusedToken } from './remote-exception.ts'

/** Knows the delegation tokens that were issued here. */
type Issued = Pick<DelegationTokens, 'verify'>

/**
 * The caller, by the rules of WebHDFS: a token may also come in the parameter `delegation`. It is one that was issued
 * here, or one of the file of tokens, plain or as the password of a Hadoop token, which is all that Hadoop's clients
 * can send. Where no proof is required, the name in `doas`, or `user.name`, is believed.
 * @throws SluiceError `unauthenticated`, an InvalidToken where it was a delegation token; `denied` without the role, or
 * for `doas` where callers prove who they are
 */
export const createWebHdfsAuthorize =
  (auth: Auth, issued: Issued) =>
  (call: Call<unknown>, role: Role): Identity => {
    const doas = textParam(call.params, 'doas')
    const identity = authorize(auth, issued, call, toRole(call, role))
    const name = doas ?? textParam(call.params, 'user.name')
    if (auth.isOpen) return name === undefined ? identity : { ...identity, name }
    if (doas === undefined || doas === identity.name) return identity
    throw new SluiceError('denied', `${identity.name} is not allowed to impersonate ${doas}`)
  }

/** Whose token a call has, whatever it is good for. */
export const createWebHdfsIdentify =
  (auth: Auth, issued: Issued) =>
  (call: Call<unknown>): Identity | undefined => {
    const shown = toShown(call)
    if ('header' in shown) return auth.identify(shown)
    try {
      return toOwner(auth, issued, shown)
    } catch (error) {
      if (isRefusedCaller(error)) return undefined
      throw error
    }
  }

/** A caller who may read may also renew and cancel the token that he reads with: that changes no file. */
const toRole = ({ params }: Call<unknown>, role: Role): Role =>
  /^(RENEW|CANCEL)DELEGATIONTOKEN$/.test(textParam(params, 'op') ?? '') ? 'read' : role

const authorize = (auth: Auth, issued: Issued, call: Call<unknown>, role: Role): Identity => {
  const shown = auth.isOpen ? call : toShown(call)
  if ('header' in shown) return auth.authorize(shown, role)
  const owner = toOwner(auth, issued, shown)
  if (!owner.has(role)) throw toDenied(owner, role)
  return owner
}

/** What he may do is asked of the rules as they are now. @throws SluiceError `unauthenticated` */
const toOwner = (auth: Auth, issued: Issued, token: DelegationToken): Identity => {
  const owner = auth.identityOf(verify(issued, token))
  if (owner === undefined) throw toUnauthenticated('The owner of the delegation token may not call any more')
  return { ...owner, isDelegated: true }
}

const verify = (issued: Issued, token: DelegationToken): string => {
  try {
    return issued.verify(token)
  } catch (error) {
    throw error instanceof InvalidToken ? toRefusedToken(error) : error
  }
}

/** A token as of those that are issued here, or what else a call shows, as if it were in its headers. */
const toShown = (call: Call<unknown>): DelegationToken | Headers => {
  const delegation = textParam(call.params, 'delegation')
  if (delegation === undefined || call.header('authorization') !== undefined) return call
  const token = parseHadoopToken(delegation)
  if (token !== undefined && isDelegationToken(token)) return token
  const plain = token === undefined ? delegation : Buffer.from(token.password).toString('utf8')
  return { header: name => (name === 'authorization' ? `Bearer ${plain}` : call.header(name)) }
}

const parseHadoopToken = (text: string): HadoopToken | undefined => {
  try {
    return decodeHadoopToken(text)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
