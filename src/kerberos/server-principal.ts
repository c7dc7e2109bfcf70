// node-only: the system's resolver
/** The principal of a server, as Hadoop makes it of one with `_HOST` (`SecurityUtil.getServerPrincipal`). */
import { lookup, lookupService } from 'node:dns/promises'
import { hostname } from 'node:os'

/** What the system knows of its own name. */
export type OwnName = {
  /** As the machine has it, with or without a domain. */
  readonly hostname: () => string
  /** The name of the address that a name has; rejects for a name without an address. */
  readonly canonical: (name: string) => Promise<string>
}

/**
 * Puts the full name of this machine, in lower case, for `_HOST`. A name without a domain is looked up; where that gives no
 * full name it stays as it is, and the second value says why.
 */
export const toServerPrincipal = async (
  principal: string,
  own: OwnName = ownName,
): Promise<{ readonly principal: string; readonly problem?: string }> => {
  if (!principal.includes('_HOST')) return { principal }
  const name = own.hostname()
  const named = (host: string): string => principal.replace('_HOST', host.toLowerCase())
  if (name.includes('.')) return { principal: named(name) }
  const found = await own.canonical(name).catch((error: unknown) => ({ error }))
  if (typeof found === 'string' && /[a-z]\.|\.[a-z]/i.test(found)) return { principal: named(found) }
  const reason = typeof found === 'string' ? `it is called ${found} there` : String(found.error)
  const problem = `the full name of this machine, ${name}, cannot be looked up (${reason}): ${named(name)} is used. Write the full name instead of _HOST`
  return { principal: named(name), problem }
}

const ownName: OwnName = {
  hostname,
  canonical: async name => {
    const { address } = await lookup(name)
    return (await lookupService(address, 0)).hostname
  },
}
