import { Buffer } from 'node:buffer'
import { FormatError, SluiceError } from '../../errors.ts'
import { decodeHadoopToken } from '../../formats/hadoop-token.ts'
import type { Auth, Headers } from '../../http/auth.ts'
import type { Call, Identity } from '../../http/call.ts'
import type { Role } from '../../http/token-file.ts'
import { textParam } from '../text-param.ts'

/**
 * Who calls, as WebHDFS says it: a token may come in the parameter `delegation` as well, plain or as the password of a
 * token of Hadoop, which is all that its own clients can send. Where nobody needs one, the name of `doas`, or of
 * `user.name`, is believed.
 * @throws SluiceError `unauthenticated`, `denied` without the role, or for `doas` where callers prove who they are
 */
export const createWebHdfsAuthorize =
  (auth: Auth) =>
  (call: Call<unknown>, role: Role): Identity => {
    const doas = textParam(call.params, 'doas')
    const identity = auth.authorize(toHeaders(call), role)
    const name = doas ?? textParam(call.params, 'user.name')
    if (auth.isOpen) return name === undefined ? identity : { ...identity, name }
    if (doas === undefined || doas === identity.name) return identity
    throw new SluiceError('denied', `${identity.name} is not allowed to impersonate ${doas}`)
  }

/** Whose token a call has, whatever it is good for. */
export const createWebHdfsIdentify =
  (auth: Auth) =>
  (call: Call<unknown>): Identity | undefined =>
    auth.identify(toHeaders(call))

const toHeaders = (call: Call<unknown>): Headers => {
  const delegation = textParam(call.params, 'delegation')
  return delegation === undefined ? call : withToken(call, delegation)
}

const withToken = (call: Headers, delegation: string): Headers => ({
  header: name =>
    name === 'authorization' ? (call.header(name) ?? `Bearer ${toToken(delegation)}`) : call.header(name),
})

/** What no token of Hadoop is stands for itself. */
const toToken = (delegation: string): string => {
  try {
    return Buffer.from(decodeHadoopToken(delegation).password).toString('utf8')
  } catch (error) {
    if (error instanceof FormatError) return delegation
    throw error
  }
}
