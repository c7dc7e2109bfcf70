import type { Auth } from '../../http/auth/auth.ts'
import { toHadoopCookie } from '../../http/auth/session-cookies.ts'
import type { BaseCall } from '../../http/call/base-call.ts'

/**
 * Answers `OPTIONS`, which serves Hadoop's Java clients as a login (`KerberosAuthenticator`): 401 with `Negotiate`,
 * then, for a ticket, 200 and a cookie in its place. Undefined where tickets are not accepted: there it is not a login.
 * @throws SluiceError `unauthenticated`
 */
export const createTicketOptions = (
  auth: Auth,
  now: () => number = Date.now,
): ((call: BaseCall, headers: Readonly<Record<string, string>>) => Response) | undefined =>
  auth.checkTicket &&
  ((call, headers) => {
    const { name } = auth.authenticate(call)
    const login = auth.logInByTicket(call)
    const own = { ...headers, 'cache-control': 'no-store' }
    if (login === undefined) return new Response(null, { headers: own })
    const { principal, lifeMs } = login
    const cookie = { id: login.open(), name, principal, lifeMs, endsAt: now() + lifeMs }
    return new Response(null, { headers: { ...own, 'set-cookie': toHadoopCookie(cookie, call.secure) } })
  })
