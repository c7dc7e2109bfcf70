/** Delegation tokens of this server, as a NameNode gives them out; those of the clusters stay here. */
import type { DelegationToken, TokenCaller } from '../../delegation/delegation-tokens.ts'
import { FormatError, SluiceError } from '../../errors.ts'
import { decodeHadoopToken, encodeHadoopToken } from '../../formats/hadoop-token.ts'
import type { Identity } from '../../http/call/call.ts'
import { toServerAddress } from '../../http/origin/origin.ts'
import { toJsonResponse } from '../answers.ts'
import { toEmptyResponse } from './answers.ts'
import type { WebHdfsHandler } from './context.ts'
import { RemoteIoError } from './remote-exception.ts'

/** Answers GETDELEGATIONTOKEN. Hadoop's client fills in for which service it is, and wants a kind that it has a class for. */
export const getDelegationToken: WebHdfsHandler<'webHdfsGet'> = async ({ delegationTokens, nameOf }, call) => {
  const { name, subject } = requireProof(call.caller, 'issued')
  const { renewer = name, service = '', kind = toServerAddress(call).secure ? kinds.tls : kinds.plain } = call.params
  const token = await delegationTokens.issue(subject, nameOf(renewer) ?? renewer)
  const urlString = encodeHadoopToken({ ...token, kind, service })
  return toJsonResponse({ Token: { urlString } }, 200, { 'cache-control': 'no-store' })
}

/** Answers RENEWDELEGATIONTOKEN. */
export const renewDelegationToken: WebHdfsHandler<'webHdfsPut'> = async ({ delegationTokens }, call) => {
  const caller = requireProof(call.caller, 'renewed')
  return toJsonResponse({ long: await delegationTokens.renew(parseToken(call.params.token), caller) })
}

/** Answers CANCELDELEGATIONTOKEN: also to who has nothing but a token. */
export const cancelDelegationToken: WebHdfsHandler<'webHdfsPut'> = async ({ delegationTokens }, call) => {
  const caller = requireProof(call.caller, 'cancelled', { byToken: true })
  await delegationTokens.cancel(parseToken(call.params.token), caller)
  return toEmptyResponse()
}

/** Those of Hadoop's file systems `webhdfs` and `swebhdfs`. */
const kinds = { plain: 'WEBHDFS delegation', tls: 'SWEBHDFS delegation' }

/** The caller, proven by Kerberos or by a proxy: a token must not lead to further ones, or it would never end. */
const requireProof = (caller: Identity | undefined, verb: string, { byToken = false } = {}): TokenCaller => {
  const { name, subject, isDelegated = false } = caller ?? {}
  if (name !== undefined && subject !== undefined && (byToken || !isDelegated)) return { name, subject }
  throw new RemoteIoError({ message: `Delegation Token can be ${verb} only with kerberos or web authentication` })
}

/** @throws SluiceError `bad-parameter` for none, or what is not a token of Hadoop */
const parseToken = (text: string | undefined): DelegationToken => {
  if (text === undefined) throw new SluiceError('bad-parameter', 'Parameter "token" is missing')
  try {
    return decodeHadoopToken(text)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-parameter', `Parameter "token": ${error.message}`, { cause: error })
  }
}
