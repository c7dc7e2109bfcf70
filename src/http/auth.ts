import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { SluiceError } from '../errors.ts'
import type { Identity } from './call.ts'
import { findCaller } from './caller-rule.ts'
import { createFailedLogins, type FailedLoginsOptions } from './failed-logins.ts'
import { createSessions } from './sessions.ts'
import type { Role, TokenEntry } from './token-file.ts'
import { createTokenSource, type TokenSourceOptions } from './token-source.ts'

/** The part of a call that is looked at. */
export type Headers = { header(name: string): string | undefined }

/** Knows tokens, and the browsers that logged in with one. */
export type Auth = {
  /** Whether callers need a token at all. */
  readonly isOpen: boolean
  /** Who holds the token of `Authorization: Bearer …` or the session of the cookie; nothing without a valid one. */
  identify(call: Headers): Identity | undefined
  /** Who holds this token; nothing for an unknown one, and that after a while where many come from the same address. */
  logIn(token: string, from: string): Promise<Login | undefined>
  /** Who that is by the rules as they are now: the `subject` of an {@link Identity}. */
  identityOf(subject: string): Identity | undefined
  /** Ends the session of the cookie. */
  logOut(call: Headers): void
  /** @throws SluiceError `unauthenticated` without a valid token, `denied` without the role */
  readonly authorize: (call: Headers, role: Role) => Identity
  /** What is wrong with the file of tokens, for the health report; empty while nothing is. */
  problem(): string
  close(): void
}

/** The holder of a token who wants to be remembered. */
export type Login = {
  readonly identity: Identity
  /** @returns the id of a new session, for {@link toSessionCookie} */
  open(): string
}

/** Where the tokens are. */
export type AuthOptions = Pick<TokenSourceOptions, 'logger' | 'now' | 'repeat'> &
  Pick<FailedLoginsOptions, 'wait'> & {
    /** A file as of `token-file.ts`; without one everybody may do everything. */
    readonly path: string | undefined
  }

/** Longer tokens are not hashed. */
const maxTokenChars = 1_000
const cookieName = 'sluice-session'

/** A new token: 256 random bits, readable in a URL. */
export const createToken = (): string => randomBytes(32).toString('base64url')

/** What the token file holds of a token. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

/** The cookie of a browser that logged in; an empty id removes it. Scripts and other sites cannot use it. */
export const toSessionCookie = (id: string, secure: boolean): string =>
  `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}${id === '' ? '; Max-Age=0' : ''}`

/** The 401, with the challenge that belongs to it (RFC 6750). */
export const toUnauthenticated = (message: string): SluiceError =>
  new SluiceError('unauthenticated', message, { headers: challenge })

/** Whether a caller was refused, without a valid token or without the role. */
export const isRefusedCaller = (error: unknown): boolean =>
  error instanceof SluiceError && (error.code === 'unauthenticated' || error.code === 'denied')

/** Goes with every 401. */
export const challenge: Readonly<Record<string, string>> = { 'www-authenticate': 'Bearer realm="sluice"' }

/**
 * The same call without its cookies: for routes that pages of any origin may call, where only a token that somebody put
 * into the header counts.
 */
export const withoutCookies = (call: Headers): Headers => ({
  header: name => (name === 'cookie' ? undefined : call.header(name)),
})

/** Reads the token file now and after it changes. @throws Error naming the file when it cannot be used at start */
export const createAuth = async (options: AuthOptions): Promise<Auth> => {
  const { path, logger, now = () => performance.now(), wait } = options
  if (path === undefined) return openAuth
  const source = await createTokenSource({ ...options, path })
  const sessions = createSessions(now)
  const failedLogins = createFailedLogins({ logger, now, ...(wait ? { wait } : {}) })

  const ofSession = (id: string | undefined): TokenEntry | undefined => {
    const entry = id === undefined ? undefined : sessions.find(id)
    return entry !== undefined && source.current().tokens.includes(entry) ? entry : undefined
  }
  const identify = (call: Headers): Identity | undefined => {
    const token = toToken(call)
    const entry = token === undefined ? ofSession(toSessionId(call)) : find(source.current().tokens, token)
    return entry && toIdentity(entry)
  }
  return {
    isOpen: false,
    identify,
    logIn: async (token, from) => {
      const entry = find(source.current().tokens, token)
      if (entry === undefined) {
        await failedLogins.note(from)
        return undefined
      }
      failedLogins.forget(from)
      return { identity: toIdentity(entry), open: () => sessions.open(entry) }
    },
    identityOf: subject => findCaller(source.current().rules, subject)?.identity,
    logOut: call => {
      const id = toSessionId(call)
      if (id !== undefined) sessions.end(id)
    },
    authorize: (call, role) => {
      const identity = identify(call)
      if (identity === undefined) {
        throw toUnauthenticated('A valid token is needed: Authorization: Bearer …')
      }
      if (!identity.has(role)) throw new SluiceError('denied', `The token lacks the role ${role}`)
      return identity
    },
    problem: () => source.problem(),
    close: () => {
      source.close()
      failedLogins.close()
    },
  }
}

const anonymous: Identity = { name: 'anonymous', isClaimed: true, has: () => true }

/** Where nobody needs a token. */
export const openAuth: Auth = {
  isOpen: true,
  identify: () => anonymous,
  logIn: async () => ({ identity: anonymous, open: () => '' }),
  identityOf: () => undefined,
  logOut: () => {},
  authorize: () => anonymous,
  problem: () => '',
  close: () => {},
}

/** What an `Authorization` header says, though it be nothing; undefined where there is none. */
const toToken = (call: Headers): string | undefined => {
  const authorization = call.header('authorization')
  return authorization === undefined ? undefined : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '')
}

const toSessionId = (call: Headers): string | undefined => {
  const cookies = call.header('cookie')?.split(';') ?? []
  const id = cookies.map(one => one.trim().split('=')).find(([name]) => name === cookieName)?.[1]
  return id !== undefined && id.length <= maxTokenChars ? id : undefined
}

/** Compares with every entry, so that the time says nothing about which one was close. */
const find = (entries: readonly TokenEntry[], token: string): TokenEntry | undefined => {
  if (token === '' || token.length > maxTokenChars) return undefined
  const presented = Buffer.from(hashToken(token), 'hex')
  let found: TokenEntry | undefined
  for (const entry of entries) if (timingSafeEqual(presented, Buffer.from(entry.sha256, 'hex'))) found = entry
  return found
}

const toIdentity = ({ name, roles }: TokenEntry): Identity => ({ name, has: role => roles.has(role) })
