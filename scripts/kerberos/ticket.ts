import { runKerberos } from './programs.ts'

/** Variables with which a program, Java's as well, uses the tickets of a file. */
export type TicketEnv = { readonly KRB5_CONFIG: string; readonly KRB5CCNAME: string }

export type TicketOptions = {
  readonly krb5Config: string
  /** Who the ticket is for: `alice`, `sluice/localhost`. */
  readonly principal: string
  readonly keytab: string
  /** The file that the ticket goes to. */
  readonly cache: string
  /** @default as long as the realm allows */
  readonly lifeSeconds?: number
}

/**
 * Gets a ticket by a keytab.
 * @throws Error with what `kinit` complained of
 */
export const getTicket = async ({
  krb5Config,
  principal,
  keytab,
  cache,
  lifeSeconds,
}: TicketOptions): Promise<TicketEnv> => {
  const env = { KRB5_CONFIG: krb5Config, KRB5CCNAME: `FILE:${cache}` }
  const life = lifeSeconds === undefined ? [] : ['-l', `${lifeSeconds}s`]
  await runKerberos('kinit', [...life, '-k', '-t', keytab, principal], env)
  return env
}
