import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { SluiceError } from '../../errors.ts'
import type { Headers, Identity } from '../call/call.ts'
import type { Role } from '../roles.ts'
import { findCaller } from './caller-rule.ts'
import { createFailedLogins, type FailedLoginsOptions } from './failed-logins.ts'
import { createProxyUser, type ProxyUserOptions } from './proxy-user.ts'
import { toSessionId } from './session-cookies.ts'
import { createSessions, type Holder, maxTicketSessionMs } from './sessions.ts'
import { type AcceptTicket, type CheckTicket, createTickets } from './tickets.ts'
import type { TokenEntry } from './token-file.ts'
import { createTokenSource, type TokenSourceOptions } from './token-source.ts'

/** Knows tokens, the browsers that logged in, and whom Kerberos or a proxy vouches for. */
export type Auth = {
  /** Whether callers need a token at all. */
  readonly isOpen: boolean
  /** Who holds the token of `Authorization: Bearer …`, has the ticket, the session of the cookie, or is named by a proxy. */
  identify(call: Headers): Identity | undefined
  /** The same. @throws SluiceError `unauthenticated` saying what is wrong */
  authenticate(call: Headers): Identity
  /** @throws SluiceError `unauthenticated` for nobody, `denied` without the role */
  readonly authorize: (call: Headers, role: Role) => Identity
  /**
   * The same for routes that pages of any origin may call: only a token that somebody put into the header counts, and
   * nothing that browsers add by themselves.
   */
  readonly authorizeToken: (call: Headers, role: Role) => Identity
  /** Why somebody for whom a ticket or a proxy speaks is nobody here; undefined where none does. */
  problemOf(call: Headers): SluiceError | undefined
  /** The 401 of those of whom nothing is known, with the challenges that belong to it (RFC 6750, RFC 4559). */
  refuse(): SluiceError
  /** Looks at tickets (`Authorization: Negotiate`); absent where none count. */
  readonly checkTicket?: CheckTicket
  /** Who holds this token; nothing for an unknown one, and that after a while where many come from the same address. */
  logIn(token: string, from: string): Promise<LoggedIn | undefined>
  /** Whose ticket a call has; nothing without one that is good. */
  logInByTicket(call: Headers): TicketLogin | undefined
  /** Who that is by the rules as they are now: the `subject` of an {@link Identity}. */
  identityOf(subject: string): Identity | undefined
  /** Ends the session of the cookie. */
  logOut(call: Headers): void
  /** What is wrong with the file of tokens, for the health report; empty while nothing is. */
  problem(): string
  close(): void
}

/** Somebody who wants to be remembered. */
export type LoggedIn = {
  readonly identity: Identity
  /** @returns the id of a new session, for `toSessionCookie` */
  open(): string
}

/** The same by a ticket. */
export type TicketLogin = LoggedIn & { readonly principal: string; readonly lifeMs: number }

/** Where the tokens are, and who else vouches for callers. */
export type AuthOptions = Pick<TokenSourceOptions, 'logger' | 'now' | 'repeat'> &
  Pick<FailedLoginsOptions, 'wait'> & {
    /** A file as of `token-file.ts`; without one everybody may do everything. */
    readonly path: string | undefined
    /** @default no ticket counts */
    readonly acceptTicket?: AcceptTicket | undefined
    /** @default no proxy is believed */
    readonly proxy?: ProxyUserOptions | undefined
  }

/** Longer tokens are not hashed. */
const maxTokenChars = 1_000

/** A new token: 256 random bits, readable in a URL. */
export const createToken = (): string => randomBytes(32).toString('base64url')

/** What the token file holds of a token. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

/** The 401 where tokens alone count. */
export const toUnauthenticated = (message: string, headers = bearerChallenge): SluiceError =>
  new SluiceError('unauthenticated', message, { headers })

/** The 403 of somebody who has none of the roles. */
export const toDenied = ({ name, subject }: Identity, ...roles: readonly Role[]): SluiceError =>
  new SluiceError('denied', `${subject === undefined ? 'The token' : name} lacks the role ${roles.join(' or ')}`)

/** Whether a caller was refused, without a valid token or without the role. */
export const isRefusedCaller = (error: unknown): boolean =>
  error instanceof SluiceError && (error.code === 'unauthenticated' || error.code === 'denied')

const bearerChallenge: Readonly<Record<string, string>> = { 'www-authenticate': 'Bearer realm="sluice"' }
/** Alone: Java takes what stands behind it in the same line for the other side's message. */
const ticketChallenge: Readonly<Record<string, string>> = { 'www-authenticate': 'Negotiate' }

const tokenNeeded = 'A valid token is needed: Authorization: Bearer …'
/** Told apart from none: who sent one looks for its mistake. */
const tokenUnknown =
  'The token that was sent is not known to this server (mistyped, removed or expired); a valid token is needed'

/** Reads the token file now and after it changes. @throws Error naming the file when it cannot be used at start */
export const createAuth = async (options: AuthOptions): Promise<Auth> => {
  const { path, logger, now = () => performance.now(), wait, acceptTicket, proxy } = options
  if (path === undefined) return openAuth
  const source = await createTokenSource({ ...options, path })
  const sessions = createSessions(now)
  const failedLogins = createFailedLogins({ logger, now, ...(wait ? { wait } : {}) })
  const userOfProxy = proxy && createProxyUser(proxy)
  const challenge = acceptTicket ? ticketChallenge : bearerChallenge
  const refuse = (message: string): SluiceError => toUnauthenticated(message, challenge)
  const callerOf = (subject: string) => findCaller(source.current().rules, subject)

  const ofToken = (token: string): Identity | undefined => {
    const entry = find(source.current().tokens, token)
    return entry && toIdentity(entry)
  }
  /** A session is worth what its line in the file is, now. */
  const ofSession = (call: Headers): Identity | undefined => {
    const id = toSessionId(call)
    const holder = id === undefined ? undefined : sessions.find(id)
    if (holder === undefined) return undefined
    if (!('rule' in holder)) return source.current().tokens.includes(holder) ? toIdentity(holder) : undefined
    const caller = callerOf(holder.subject)
    return caller?.rule === holder.rule ? caller.identity : undefined
  }
  const ofRule = (subject: string, words: string): Identity | SluiceError =>
    callerOf(subject)?.identity ?? refuse(`No rule of the file of auth.tokens is for the ${words}`)
  /** Whom a ticket or a proxy speaks for; undefined where none does. */
  const ofVoucher = (call: Headers): Identity | SluiceError | undefined => {
    if (call.ticket) return call.ticket.refusal ?? ofRule(call.ticket.subject, `principal ${call.ticket.subject}`)
    const user = userOfProxy?.(call)
    if (user === undefined) return undefined
    return 'problem' in user ? refuse(user.problem) : ofRule(`user:${user.name}`, `user ${user.name}`)
  }
  /** What somebody put there counts before what browsers and proxies add. A wrong token stays wrong. */
  const toCaller = (call: Headers): Identity | SluiceError => {
    const authorization = call.header('authorization')
    const token = toToken(authorization)
    const own =
      token !== undefined ? (ofToken(token) ?? refuse(tokenUnknown)) : authorization === undefined && ofSession(call)
    return own || (ofVoucher(call) ?? refuse(tokenNeeded))
  }
  const authenticate = (call: Headers): Identity => {
    const caller = toCaller(call)
    if (caller instanceof SluiceError) throw caller
    call.identified?.(caller)
    return caller
  }
  const authorize = (identity: Identity, role: Role): Identity => {
    if (!identity.has(role)) throw toDenied(identity, role)
    return identity
  }
  const toLogin = (identity: Identity, holder: Holder): LoggedIn => ({ identity, open: () => sessions.open(holder) })
  return {
    isOpen: false,
    identify: call => {
      const caller = toCaller(call)
      if (caller instanceof SluiceError) return undefined
      call.identified?.(caller)
      return caller
    },
    authenticate,
    authorize: (call, role) => authorize(authenticate(call), role),
    authorizeToken: (call, role) => {
      const token = toToken(call.header('authorization'))
      const identity = token === undefined ? undefined : ofToken(token)
      if (identity === undefined) throw toUnauthenticated(token === undefined ? tokenNeeded : tokenUnknown)
      call.identified?.(identity)
      return authorize(identity, role)
    },
    problemOf: call => {
      const caller = ofVoucher(call)
      return caller instanceof SluiceError ? caller : undefined
    },
    refuse: () => refuse(tokenNeeded),
    ...(acceptTicket
      ? {
          checkTicket: createTickets({
            accept: acceptTicket,
            failedLogins,
            refuse,
            problemOf: principal => {
              const caller = ofRule(principal, `principal ${principal}`)
              return caller instanceof SluiceError ? caller.message : undefined
            },
          }),
        }
      : {}),
    logIn: async (token, from) => {
      const entry = find(source.current().tokens, token)
      if (entry === undefined) {
        await failedLogins.note(from)
        return undefined
      }
      failedLogins.forget(from)
      return toLogin(toIdentity(entry), entry)
    },
    logInByTicket: ({ ticket }) => {
      const caller = ticket?.refusal === undefined ? ticket && callerOf(ticket.subject) : undefined
      if (caller === undefined) return undefined
      const { identity, rule } = caller
      const { subject } = identity
      return { ...toLogin(identity, { subject, rule }), principal: subject, lifeMs: maxTicketSessionMs }
    },
    identityOf: subject => callerOf(subject)?.identity,
    logOut: call => {
      const id = toSessionId(call)
      if (id !== undefined) sessions.end(id)
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
  authenticate: () => anonymous,
  authorizeToken: () => anonymous,
  problemOf: () => undefined,
  refuse: () => toUnauthenticated(tokenNeeded),
  logInByTicket: () => undefined,
  logIn: async () => ({ identity: anonymous, open: () => '' }),
  identityOf: () => undefined,
  logOut: () => {},
  authorize: () => anonymous,
  problem: () => '',
  close: () => {},
}

/** What stands behind `Bearer`, though it be nothing; undefined for other schemes. */
const toToken = (authorization: string | undefined): string | undefined => {
  const [, rest] = /^bearer(?= |$)(.*)$/i.exec(authorization ?? '') ?? []
  return rest === undefined ? undefined : (/^ +(\S+) *$/.exec(rest)?.[1] ?? '')
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
