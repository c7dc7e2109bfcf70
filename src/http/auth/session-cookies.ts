import type { Headers } from '../call/call.ts'

/** Longer ids are invalid. */
const maxIdChars = 1_000
const cookieName = 'sluice-session'

/** The cookie of a browser that logged in; an empty id removes it. Scripts and other sites cannot use it. */
export const toSessionCookie = (id: string, secure: boolean): string =>
  `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Strict${toSecure(secure)}${id === '' ? '; Max-Age=0' : ''}`

/** What Hadoop's clients want to see of a login by a ticket: they read `t`, keep the cookie, and send it. */
export type HadoopLogin = {
  readonly id: string
  readonly name: string
  readonly principal: string
  readonly lifeMs: number
  /** When it ends, in ms since 1970. */
  readonly endsAt: number
}

/** The cookie of `AuthenticatedURL`. No name or principal that a rule is for has a character that would need escaping. */
export const toHadoopCookie = ({ id, name, principal, lifeMs, endsAt }: HadoopLogin, secure: boolean): string =>
  `hadoop.auth="u=${name}&p=${principal}&t=kerberos&e=${endsAt}&s=${id}"; Path=/webhdfs; Max-Age=${Math.floor(lifeMs / 1_000)}; HttpOnly; SameSite=Strict${toSecure(secure)}`

/** The id of a session in either cookie. */
export const toSessionId = (call: Headers): string | undefined => {
  for (const cookie of call.header('cookie')?.split(';') ?? []) {
    const [, own, hadoop] = /^\s*(?:sluice-session=([^=]*)|hadoop\.auth="?[^"]*&s=([\w-]+)"?)\s*$/.exec(cookie) ?? []
    const id = own ?? hadoop
    if (id !== undefined) return id.length <= maxIdChars ? id : undefined
  }
  return undefined
}

const toSecure = (secure: boolean): string => (secure ? '; Secure' : '')
