import { SluiceError } from '../../src/errors.ts'
import type { Auth } from '../../src/http/auth/auth.ts'
import { toSessionCookie } from '../../src/http/auth/session-cookies.ts'
import { toUnauthenticated } from '../../src/http/auth/token-callers.ts'
import type { Identity } from '../../src/http/call/call.ts'
import { isSecurePage } from '../../src/http/origin/hosts.ts'
import { readJsonText } from '../json-body.ts'
import type { AdminCall } from '../routes.ts'

/** The user of the console, and what it may show and do for them. */
export type Session = {
  /** The caller's name; `anonymous` without authentication, `nobody` without a valid token. */
  readonly name: string
  /** Whether there is anything to log in to, or out of. */
  readonly needsToken: boolean
  readonly canView: boolean
  readonly canOperate: boolean
}

/** Longest token that is looked at. */
const maxTokenChars = 1_000

/**
 * Answers who the caller is, by header or cookie; without a token too. A ticket opens a session, and where tickets are
 * accepted a caller without an identity is asked for one: browsers then send it by themselves, or pass the answer to
 * the script.
 */
export const readSession = (call: AdminCall, auth: Auth): Response => {
  const session = toSession(call.caller.identity, auth.isOpen)
  const login = auth.logInByTicket(call)
  if (login) return toAnswer(session, { 'set-cookie': toSessionCookie(login.open(), isSecurePage(call)) })
  const isAsked = auth.checkTicket !== undefined && auth.identify(call) === undefined
  return isAsked ? toAnswer(session, auth.refuse().headers, 401) : toAnswer(session)
}

/**
 * Logs a browser in: `{"token": …}` opens a session, whose id goes into a cookie that neither scripts nor other sites can use.
 * @throws SluiceError `bad-request`, `unauthenticated`, `denied` for a token that is not for the management
 */
export const postSession = async (call: AdminCall, auth: Auth): Promise<Response> => {
  const token = toToken(await readJsonText(call))
  const login = await auth.logIn(token, call.peer)
  if (!login) throw toUnauthenticated('This token is not known')
  const session = toSession(login.identity, auth.isOpen)
  if (!session.canView) throw new SluiceError('denied', 'This token is not for the management: it lacks the role view')
  return toAnswer(session, { 'set-cookie': toSessionCookie(login.open(), isSecurePage(call)) })
}

/** Logs a browser out: its session ends, and its cookie goes. */
export const postLogout = (call: AdminCall, auth: Auth): Response => {
  auth.logOut(call)
  return new Response(null, {
    status: 204,
    headers: { ...noStore, 'set-cookie': toSessionCookie('', isSecurePage(call)) },
  })
}

const noStore = { 'cache-control': 'no-store' }

const toAnswer = (session: Session, headers: Readonly<Record<string, string>> = {}, status = 200): Response =>
  Response.json(session, { status, headers: { ...noStore, ...headers } })

const toSession = (identity: Identity, isOpen: boolean): Session => ({
  name: identity.name,
  needsToken: !isOpen,
  canView: identity.has('view'),
  canOperate: identity.has('operate'),
})

const toToken = (text: string): string => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new SluiceError('bad-request', 'The body is not JSON', { cause })
  }
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined
  if (typeof token !== 'string' || token.length > maxTokenChars || !/^[\w.~+/=-]+$/.test(token)) {
    throw new SluiceError('bad-request', 'Expected {"token": "…"}: letters, digits and ._~+/=-')
  }
  return token
}
