/** What a secure cluster has beside another, for the runs: who is let in, and how that is made to fail. */
import { readFile } from 'node:fs/promises'
import { createCurl, principals, type SecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import type { Kdc } from '../../scripts/kerberos/kdc.ts'
import { createTokenWitness, type TokenWitness } from './token-witness.ts'

export type Realm = {
  readonly kdc: Kdc
  /** Sluice's. */
  readonly principal: string
  readonly keytab: string
  /** Sees what Sluice shows to the cluster. */
  readonly witness: TokenWitness
  /** A fresh delegation token of the superuser, for reading the contents of the file system. */
  readonly token: () => Promise<string>
  /** Has the name node forget a token of Sluice's. Rejects while it, or the KDC, is away. */
  revoke(token: string): Promise<void>
  /** Makes the keytab worth nothing. */
  changeKey(): Promise<void>
  /** Puts the present keys into the keytab. */
  renewKeytab(): Promise<void>
  /** Limits the life of Sluice's tickets; without a number it is what it was. */
  limitTickets(seconds?: number): Promise<void>
  /** Waits for its turn, and resolves to what ends it: daemons do not start without a KDC. */
  turn(): Promise<() => void>
  /** Ends all faults, after a run that broke off. */
  mend(): Promise<void>
  /** Everything that must not be read anywhere: of the keytab, and what was shown. */
  readonly secrets: () => Promise<readonly string[]>
}

/** In seconds; with {@link tokenLives} short enough for several lives in one load. */
export const ticketLifeSeconds = 10
/** A ticket that has ended is taken for as long as clocks may differ. */
export const clockSkewSeconds = 3

/** Hadoop's properties for the lives of tokens. */
export const tokenLives = (renewMs: number, maxMs: number): Readonly<Record<string, string>> => ({
  'dfs.namenode.delegation.token.renew-interval': String(renewMs),
  'dfs.namenode.delegation.token.max-lifetime': String(maxMs),
})

/** A token of the superuser is used for so long, in ms. */
const reuseMs = 1_000

export const createRealm = (kdc: Kdc, { webhdfsUrl, keytabs }: SecureCluster): Realm => {
  const [superuser, sluice] = [createCurl(kdc, keytabs.hdfs), createCurl(kdc, keytabs.sluice)]
  const witness = createTokenWitness()
  let recent: { readonly at: number; readonly token: Promise<string> } | undefined
  let last: Promise<void> = Promise.resolve()
  const keys = new Set<string>()
  const fetchToken = async (): Promise<string> => {
    const answer: unknown = JSON.parse(await superuser(`${webhdfsUrl}/webhdfs/v1/?op=GETDELEGATIONTOKEN`))
    return (answer as { readonly Token: { readonly urlString: string } }).Token.urlString
  }
  const noteKeys = async (): Promise<void> => {
    const key = lastKey(await readFile(keytabs.sluice))
    keys.add(key.toString('hex')).add(key.toString('base64')).add(key.toString('base64url'))
  }
  return {
    kdc,
    principal: `${principals.sluice}@${kdc.realm}`,
    keytab: keytabs.sluice,
    witness,
    token: () => {
      const now = performance.now()
      if (recent === undefined || now - recent.at > reuseMs) recent = { at: now, token: fetchToken() }
      return recent.token
    },
    revoke: async token => {
      const query = new URLSearchParams({ op: 'CANCELDELEGATIONTOKEN', token })
      await sluice('-X', 'PUT', `${webhdfsUrl}/webhdfs/v1/?${query.toString()}`)
    },
    changeKey: async () => {
      await noteKeys()
      await kdc.changeKey(principals.sluice)
    },
    renewKeytab: () => kdc.addKeytab(keytabs.sluice, principals.sluice),
    limitTickets: (seconds = ticketLifeSeconds) => kdc.limitLife(principals.sluice, seconds),
    turn: async () => {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      return resolve
    },
    mend: async () => {
      last = Promise.resolve()
      await kdc.kill()
      await kdc.start()
      await kdc.limitLife(principals.sluice, ticketLifeSeconds)
      await kdc.addKeytab(keytabs.sluice, principals.sluice)
    },
    secrets: async () => {
      await noteKeys()
      return [...keys, ...witness.secrets]
    },
  }
}

const keyBytes = 32
const versionBytes = 4

/** The key of the last entry of a keytab: in front of its version, which ends the entry (MIT, "Keytab file format"). */
const lastKey = (keytab: Buffer): Buffer => keytab.subarray(-keyBytes - versionBytes, -versionBytes)
