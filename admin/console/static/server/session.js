import { askServer, RpcFailure, toRpcProblem } from './rpc.js'

/**
 * The user of the console.
 * @typedef {{ readonly name: string, readonly needsToken: boolean, readonly canView: boolean, readonly canOperate: boolean }} Session
 */

/** @returns {Promise<Session>} */
export const getSession = async () => {
  const response = await askServer('/console/session', {})
  // Where Kerberos counts it is the question for a ticket, and says who asks all the same.
  if (!response.ok && response.status !== 401) throw new RpcFailure('unavailable', await toRpcProblem(response))
  return response.json()
}

/**
 * Logs in; the token becomes a cookie that scripts cannot read.
 * @param {string} token
 * @returns {Promise<Session>} @throws RpcFailure with the server's words
 */
export const logIn = async token => {
  const response = await askServer('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (!response.ok) throw new RpcFailure('refused', await toRpcProblem(response))
  return response.json()
}

/** Removes the cookie. */
export const logOut = () => askServer('/console/logout', { method: 'POST' })
