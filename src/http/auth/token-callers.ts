import { hash, timingSafeEqual } from 'node:crypto'
import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import type { Headers, Identity } from '../call/call.ts'
import type { Role } from '../roles.ts'
import type { TokenEntry } from './token-file.ts'

/** Knows callers by their tokens alone. */
export type TokenCallers = {
  /** The line of a token; undefined for an unknown one. */
  find(token: string): TokenEntry | undefined
  /** Whose it is. */
  identityOf(token: string): Identity | undefined
  /**
   * For routes that pages of any origin may call: only a token that the client itself put into the header counts, and
   * nothing that browsers add.
   * @throws SluiceError `unauthenticated` without a known one, `denied` without the role
   */
  readonly authorizeToken: (call: Headers, role: Role) => Identity
}

/** Longer tokens are not hashed. */
const maxTokenChars = 1_000

/** What the token file holds of a token. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

/** The 401 where tokens alone count. */
export const toUnauthenticated = (message: string, headers = bearerChallenge): SluiceError =>
  new SluiceError('unauthenticated', message, { headers })

/** The 403 of a caller that lacks all of the roles. */
export const toDenied = ({ name, subject }: Identity, ...roles: readonly Role[]): SluiceError =>
  new SluiceError('denied', `${subject === undefined ? 'The token' : name} lacks the role ${roles.join(' or ')}`)

/** What a caller is asked for who has no token (RFC 6750). */
export const bearerChallenge: Readonly<Record<string, string>> = { 'www-authenticate': 'Bearer realm="sluice"' }
/** The 401 of a caller without a token. */
export const tokenNeeded = 'A valid token is needed: Authorization: Bearer …'
/** Distinct from a missing one: its sender looks for the mistake. */
export const tokenUnknown =
  'The token that was sent is not known to this server (mistyped, removed or expired); a valid token is needed'

/** @param tokens those that count */
export const createTokenCallers = (tokens: Current<readonly TokenEntry[]>): TokenCallers => {
  const findEntry = (token: string): TokenEntry | undefined => find(tokens(), token)
  const identityOf = (token: string): Identity | undefined => {
    const entry = findEntry(token)
    return entry && toIdentity(entry)
  }
  return {
    find: findEntry,
    identityOf,
    authorizeToken: (call, role) => {
      const token = toToken(call.header('authorization'))
      const identity = token === undefined ? undefined : identityOf(token)
      if (identity === undefined) throw toUnauthenticated(token === undefined ? tokenNeeded : tokenUnknown)
      call.identified?.(identity)
      return authorizeIdentity(identity, role)
    },
  }
}

/** @throws SluiceError `denied` without the role */
export const authorizeIdentity = (identity: Identity, role: Role): Identity => {
  if (!identity.has(role)) throw toDenied(identity, role)
  return identity
}

/** The text after `Bearer`, possibly empty; undefined for other schemes. */
export const toToken = (authorization: string | undefined): string | undefined => {
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

/** The owner of a token. */
export const toIdentity = ({ name, roles }: TokenEntry): Identity => ({ name, has: role => roles.has(role) })
