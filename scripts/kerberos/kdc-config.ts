/** The settings of a realm of one KDC on the loopback address, and of those who use it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type RealmOptions = {
  readonly directory: string
  readonly realm: string
  readonly port: number
  readonly ticketLifeSeconds: number
  readonly clockSkewSeconds: number
}

/** Where the settings are: for `KRB5_CONFIG`, and for the KDC's own `KRB5_KDC_PROFILE`. */
export type RealmFiles = { readonly krb5Config: string; readonly kdcProfile: string }

/** Writes `krb5.conf` and `kdc.conf`. */
export const writeRealm = async (options: RealmOptions): Promise<RealmFiles> => {
  const { directory } = options
  await mkdir(directory, { recursive: true })
  const files = { krb5Config: join(directory, 'krb5.conf'), kdcProfile: join(directory, 'kdc.conf') }
  await writeFile(files.krb5Config, toKrb5Config(options))
  await writeFile(files.kdcProfile, toKdcProfile(options))
  return files
}

// No name is looked up in DNS; tickets of people and the marks of used ones stay in the directory, away from their own.
const toKrb5Config = ({ directory, realm, port, ticketLifeSeconds, clockSkewSeconds }: RealmOptions): string => `
[libdefaults]
  default_realm = ${realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
  ticket_lifetime = ${ticketLifeSeconds}s
  clockskew = ${clockSkewSeconds}
  default_ccache_name = FILE:${join(directory, 'tickets')}
  default_rcache_name = file2:${join(directory, 'replays')}
[realms]
  ${realm} = {
    kdc = 127.0.0.1:${port}
  }
[domain_realm]
  localhost = ${realm}
`

// One type of key, because every key of a principal takes time; nothing is written down at a use, so that a KDC can be
// killed at any moment.
const toKdcProfile = ({ directory, realm, port, ticketLifeSeconds }: RealmOptions): string => `
[realms]
  ${realm} = {
    database_module = local
    key_stash_file = ${join(directory, 'stash')}
    acl_file = ${join(directory, 'acl')}
    kdc_listen = 127.0.0.1:${port}
    kdc_tcp_listen = 127.0.0.1:${port}
    max_life = ${ticketLifeSeconds}s
    master_key_type = aes256-cts-hmac-sha1-96
    supported_enctypes = aes256-cts-hmac-sha1-96:normal
    default_principal_flags = +preauth
  }
[dbmodules]
  local = {
    db_library = db2
    database_name = ${join(directory, 'principal')}
    disable_last_success = true
    disable_lockout = true
  }
[logging]
  kdc = STDERR
`
