// node-only: a native addon
/**
 * Tickets for this server, by the keys of a keytab: the system's library fetches and refreshes them itself (MIT Kerberos,
 * "Keytabs", section "Default client keytab"), and keeps them in memory.
 */
import { KerberosError, type loadKerberos, messageOf, spnego } from './kerberos.ts'

export type InitiatorOptions = {
  /** `sluice/host@REALM`. */
  readonly principal: string
  /** The file with its keys. */
  readonly keytab: string
  /** Brings the package. */
  readonly load: () => ReturnType<typeof loadKerberos>
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
}

/** Shows to other servers who this one is. */
export type Initiator = {
  readonly principal: string
  /** The value of `Authorization` for the HTTP server on `host` (RFC 4559). Rejects with {@link KerberosError}. */
  authorization(host: string): Promise<string>
  /** Hears that a server does not take what it was shown. @returns whether the tickets are forgotten: now and then only */
  refused(): boolean
}

/**
 * The library reads the places of keys and tickets from variables of the process, so calls are served one at a time.
 */
let last: Promise<unknown> = Promise.resolve()

/** Tickets are forgotten no more often, in ms: the library keeps those that are, some KiB, to the end of the process. */
const forgetEveryMs = 30_000

/** Caches of tickets that were begun, so that one that is forgotten is not found again. */
let caches = 0

/** Makes it. Nothing is loaded or read before the first call. To be called before others may look at the environment. */
export const createInitiator = ({
  principal,
  keytab,
  load,
  now = () => performance.now(),
}: InitiatorOptions): Initiator => {
  let cache = ++caches
  let forgottenAt = Number.NEGATIVE_INFINITY
  const tellLibrary = (): void => {
    process.env['KRB5_CLIENT_KTNAME'] = `FILE:${keytab}`
    process.env['KRB5CCNAME'] = `MEMORY:sluice-${cache}`
  }
  // Variables that are there are changed in place, while other threads look; new ones move all of them.
  tellLibrary()

  const initiate = async (host: string): Promise<string> => {
    const kerberos = await load()
    tellLibrary()
    try {
      const context = await kerberos.initializeClient(`HTTP@${host}`, { principal, mechOID: spnego })
      const message = await context.step('')
      if (message) return `Negotiate ${message}`
    } catch (cause) {
      throw new KerberosError(`${principal} has no ticket for HTTP@${host}: ${toReason(cause)}`, { cause })
    }
    throw new KerberosError(`${principal} has no ticket for HTTP@${host}: the Kerberos library returned none`)
  }
  return {
    principal,
    authorization: host => {
      const next = last.then(() => initiate(host))
      last = next.catch(() => {})
      return next
    },
    refused: () => {
      if (now() - forgottenAt < forgetEveryMs) return false
      forgottenAt = now()
      cache = ++caches
      return true
    },
  }
}

/** What is said before the reason is always the same. */
const toReason = (error: unknown): string =>
  messageOf(error).replace(/^Unspecified GSS failure\. *Minor code may provide more information: /, '')
