import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SluiceError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { parseTokenFile, type Role, type TokenEntry } from './token-file.ts'
import { watchFiles } from './watch-files.ts'

/** Who calls. */
export type Identity = {
  /** The token's name, or `anonymous` where no token is needed. */
  readonly name: string
  has(role: Role): boolean
}

/** The part of a call that is looked at. */
export type Headers = { header(name: string): string | undefined }

/** Knows tokens. */
export type Auth = {
  /** Whether callers need a token at all. */
  readonly isOpen: boolean
  /** Who holds the token of `Authorization: Bearer …` or of the session cookie; nothing without a valid one. */
  identify(call: Headers): Identity | undefined
  /** Who holds this token; for logging in. */
  identifyToken(token: string): Identity | undefined
  /** @throws SluiceError `unauthenticated` without a valid token, `denied` without the role */
  authorize(call: Headers, role: Role): Identity
  close(): void
}

/** Where the tokens are. */
export type AuthOptions = {
  /** A file as of `token-file.ts`; without one everybody may do everything. */
  readonly path: string | undefined
  readonly logger: Logger
  /** How often the file is looked at, in ms. */
  readonly checkMs?: number
}

/** Longer tokens are not hashed. */
const maxTokenChars = 1_000
const cookieName = 'sluice-token'

/** A new token: 256 random bits, readable in a URL. */
export const createToken = (): string => randomBytes(32).toString('base64url')

/** What the token file holds of a token. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

/** The cookie of a browser that logged in; an empty token logs it out. Scripts and other sites cannot use it. */
export const toSessionCookie = (token: string, secure: boolean): string =>
  `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}${token === '' ? '; Max-Age=0' : ''}`

/** The 401, with the challenge that belongs to it (RFC 6750). */
export const toUnauthenticated = (message: string): SluiceError =>
  new SluiceError('unauthenticated', message, { headers: challenge })

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
export const createAuth = async ({ path, logger, checkMs }: AuthOptions): Promise<Auth> => {
  if (path === undefined) return openAuth
  let entries = await readTokens(path)
  const stopWatching = await watchFiles(
    [path],
    async () => {
      try {
        entries = await readTokens(path)
        logger.info({ file: path, count: entries.length }, 'tokens read again')
      } catch (error) {
        logger.warn({ err: error, file: path }, 'the new token file cannot be used, the old tokens stay')
      }
    },
    checkMs,
  )
  const identifyToken = (token: string): Identity | undefined => find(entries, token)
  const identify = (call: Headers): Identity | undefined => {
    const token = toToken(call)
    return token === undefined ? undefined : identifyToken(token)
  }
  return {
    isOpen: false,
    identify,
    identifyToken,
    authorize: (call, role) => {
      const identity = identify(call)
      if (identity === undefined) {
        throw toUnauthenticated('A valid token is needed: Authorization: Bearer …')
      }
      if (!identity.has(role)) throw new SluiceError('denied', `The token lacks the role ${role}`)
      return identity
    },
    close: stopWatching,
  }
}

const anonymous: Identity = { name: 'anonymous', has: () => true }

const openAuth: Auth = {
  isOpen: true,
  identify: () => anonymous,
  identifyToken: () => anonymous,
  authorize: () => anonymous,
  close: () => {},
}

const readTokens = async (path: string): Promise<readonly TokenEntry[]> => {
  try {
    return parseTokenFile(await readFile(path, 'utf8'))
  } catch (error) {
    throw new Error(`The file of auth.tokens ${path} cannot be used: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
}

const toToken = (call: Headers): string | undefined => {
  const authorization = call.header('authorization')
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  const cookies = call.header('cookie')?.split(';') ?? []
  return cookies.map(one => one.trim().split('=')).find(([name]) => name === cookieName)?.[1]
}

/** Compares with every entry, so that the time says nothing about which one was close. */
const find = (entries: readonly TokenEntry[], token: string): Identity | undefined => {
  if (token === '' || token.length > maxTokenChars) return undefined
  const presented = Buffer.from(hashToken(token), 'hex')
  let found: TokenEntry | undefined
  for (const entry of entries) if (timingSafeEqual(presented, Buffer.from(entry.sha256, 'hex'))) found = entry
  if (found === undefined) return undefined
  const { name, roles } = found
  return { name, has: role => roles.has(role) }
}
