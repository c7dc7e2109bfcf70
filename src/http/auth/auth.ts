import { randomBytes } from 'node:crypto'
import type { Watched } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import type { Headers, Identity } from '../call/call.ts'
import type { Role } from '../roles.ts'
import { findCaller } from './caller-rule.ts'
import { createFailedLogins, type FailedLoginsOptions } from './failed-logins.ts'
import { createProxyUser, type ProxyUserOptions } from './proxy-user.ts'
import { toSessionId } from './session-cookies.ts'
import { createSessions, type Holder, maxTicketSessionMs } from './sessions.ts'
import { type AcceptTicket, type CheckTicket, createTickets } from './tickets.ts'
import {
  authorizeIdentity,
  bearerChallenge,
  createTokenCallers,
  toIdentity,
  tokenNeeded,
  tokenUnknown,
  toToken,
  toUnauthenticated,
} from './token-callers.ts'
import type { TokenEntry } from './token-file.ts'
import { createTokenSource, type TokenSourceOptions } from './token-source.ts'

/** Knows tokens, the browsers that logged in, and whom Kerberos or a proxy vouches for. */
export type Auth = {
  /** Whether callers need a token at all. */
  readonly isOpen: boolean
  /**
   * The owner of the token of `Authorization: Bearer …`, has the ticket, the session of the cookie, or is named by a
   * proxy.
   */
  identify(call: Headers): Identity | undefined
  /** The same. @throws SluiceError `unauthenticated` saying what is wrong */
  authenticate(call: Headers): Identity
  /** @throws SluiceError `unauthenticated` without an identity, `denied` without the role */
  readonly authorize: (call: Headers, role: Role) => Identity
  /**
   * The same for routes that pages of any origin may call: only a token that the client itself put into the header
   * counts, and nothing that browsers add.
   */
  readonly authorizeToken: (call: Headers, role: Role) => Identity
  /** Why a subject with a valid ticket or proxy header has no identity here; undefined without one. */
  problemOf(call: Headers): SluiceError | undefined
  /** The 401 of those of whom nothing is known, with the challenges that belong to it (RFC 6750, RFC 4559). */
  refuse(): SluiceError
  /** Looks at tickets (`Authorization: Negotiate`); absent where none count. */
  readonly checkTicket?: CheckTicket
  /** The owner of this token; nothing for an unknown one, and that after a while after many from the same address. */
  logIn(token: string, from: string): Promise<LoggedIn | undefined>
  /** Whose ticket a call has; nothing without one that is good. */
  logInByTicket(call: Headers): TicketLogin | undefined
  /** The identity by the current rules: the `subject` of an {@link Identity}. */
  identityOf(subject: string): Identity | undefined
  /** Ends the session of the cookie. */
  logOut(call: Headers): void
  /** Those that count. */
  readonly tokens: Watched<readonly TokenEntry[]>
  /** What is wrong with the file of tokens, for the health report; empty while nothing is. */
  problem(): string
  close(): void
}

/** A login that is to be remembered. */
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
    /** A file as of `token-file.ts`; without one every caller may do everything. */
    readonly path: string | undefined
    /** @default no ticket counts */
    readonly acceptTicket?: AcceptTicket | undefined
    /** @default no proxy is believed */
    readonly proxy?: ProxyUserOptions | undefined
  }

/** A new token: 256 random bits, readable in a URL. */
export const createToken = (): string => randomBytes(32).toString('base64url')

/** Whether a caller was refused, without a valid token or without the role. */
export const isRefusedCaller = (error: unknown): boolean =>
  error instanceof SluiceError && (error.code === 'unauthenticated' || error.code === 'denied')

/** Alone: Java takes text after it in the same line for the other side's message. */
const ticketChallenge: Readonly<Record<string, string>> = { 'www-authenticate': 'Negotiate' }

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
  const callers = createTokenCallers(() => source.file.current().tokens)
  const callerOf = (subject: string) => findCaller(source.file.current().rules, subject)

  /** A session is worth what its line in the file is, now. */
  const ofSession = (call: Headers): Identity | undefined => {
    const id = toSessionId(call)
    const holder = id === undefined ? undefined : sessions.find(id)
    if (holder === undefined) return undefined
    if (!('rule' in holder)) return source.file.current().tokens.includes(holder) ? toIdentity(holder) : undefined
    const caller = callerOf(holder.subject)
    return caller?.rule === holder.rule ? caller.identity : undefined
  }
  const ofRule = (subject: string, words: string): Identity | SluiceError =>
    callerOf(subject)?.identity ?? refuse(`No rule of the file of auth.tokens is for the ${words}`)
  /** The subject of a ticket or a proxy header; undefined where none does. */
  const ofVoucher = (call: Headers): Identity | SluiceError | undefined => {
    if (call.ticket) return call.ticket.refusal ?? ofRule(call.ticket.subject, `principal ${call.ticket.subject}`)
    const user = userOfProxy?.(call)
    if (user === undefined) return undefined
    return 'problem' in user ? refuse(user.problem) : ofRule(`user:${user.name}`, `user ${user.name}`)
  }
  /** The client's own header takes precedence over what browsers and proxies add. A wrong token stays wrong. */
  const toCaller = (call: Headers): Identity | SluiceError => {
    const authorization = call.header('authorization')
    const token = toToken(authorization)
    const own =
      token !== undefined
        ? (callers.identityOf(token) ?? refuse(tokenUnknown))
        : authorization === undefined && ofSession(call)
    return own || (ofVoucher(call) ?? refuse(tokenNeeded))
  }
  const authenticate = (call: Headers): Identity => {
    const caller = toCaller(call)
    if (caller instanceof SluiceError) throw caller
    call.identified?.(caller)
    return caller
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
    authorize: (call, role) => authorizeIdentity(authenticate(call), role),
    authorizeToken: callers.authorizeToken,
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
      const entry = callers.find(token)
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
    tokens: {
      current: () => source.file.current().tokens,
      onChange: hear => source.file.onChange(({ tokens }) => hear(tokens)),
    },
    problem: () => source.problem(),
    close: () => {
      source.close()
      failedLogins.close()
    },
  }
}

const anonymous: Identity = { name: 'anonymous', isClaimed: true, has: () => true }

/** Without authentication. */
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
  tokens: { current: () => [], onChange: () => {} },
  problem: () => '',
  close: () => {},
}
