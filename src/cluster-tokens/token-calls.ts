import { isRefusedProof } from '../filesystem/cluster/remote-exception.ts'
import { hasCode } from '../filesystem/cluster/steps.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import type { WebHdfsClient } from '../filesystem/webhdfs/client.ts'
import { get, put } from '../filesystem/webhdfs/operations.ts'
import { isRecord } from '../is-record.ts'

/** A token as the cluster gave it, with its times by the monotonic clock of this process. */
export type GivenToken = {
  readonly token: string
  /** What is added to our clock to have the cluster's. */
  readonly ahead: number
  /** When it arrived. */
  readonly since: number
  readonly endsAt: number
}

/** What a cluster does with tokens. */
export type TokenCalls = {
  /** Rejects with `FileSystemError`. */
  fetch(user: string | undefined): Promise<GivenToken>
  /** @returns when it ends from now on: the same as before where it is renewed no more */
  renew(token: GivenToken): Promise<number>
  /** Gives it back. Never rejects. */
  cancel(token: GivenToken, timeoutMs: number): Promise<void>
}

export type TokenCallsOptions = {
  /** Calls by ticket. */
  readonly client: WebHdfsClient
  /** The principal of this server, which renews. */
  readonly renewer: string
  readonly log: { info(fields: Readonly<Record<string, unknown>>, message: string): void }
  /** When a token was issued, by the clock of the cluster, in ms. @throws for anything but a token */
  readonly issueDateOf: (token: string) => number
  /** Monotonic, in ms. */
  readonly now: () => number
}

/** To do twice what they do does no harm. */
const calls = {
  get: { ...get, op: 'GETDELEGATIONTOKEN', path: '/', action: 'get a delegation token for' },
  renew: { ...put, op: 'RENEWDELEGATIONTOKEN', path: '/', action: 'renew the delegation token for', repeatable: true },
  cancel: {
    ...put,
    op: 'CANCELDELEGATIONTOKEN',
    path: '/',
    action: 'cancel the delegation token for',
    repeatable: true,
  },
} as const

export const createTokenCalls = ({ client, renewer, log, issueDateOf, now }: TokenCallsOptions): TokenCalls => {
  const renew = async ({ token, ahead }: Pick<GivenToken, 'token' | 'ahead'>): Promise<number> => {
    const json = await client.json({ ...calls.renew, params: { token } })
    if (isRecord(json) && typeof json['long'] === 'number') return json['long'] - ahead
    throw unavailable('its answer to RENEWDELEGATIONTOKEN has no time')
  }
  return {
    fetch: async user => {
      const json = await (user === undefined ? client : client.as(user)).json({ ...calls.get, params: { renewer } })
      const token = isRecord(json) && isRecord(json['Token']) ? json['Token']['urlString'] : undefined
      if (typeof token !== 'string') throw unavailable('its answer to GETDELEGATIONTOKEN has no token')
      const since = now()
      const one = { token, ahead: issueDateOf(token) - since, since }
      return { ...one, endsAt: await renew(one) }
    },
    renew: one =>
      renew(one).catch(error => {
        if (hasCode(error, 'denied') || isRefusedProof(error)) return one.endsAt
        throw error
      }),
    cancel: async ({ token }, timeoutMs) => {
      try {
        await client.json({ ...calls.cancel, params: { token }, maxRetries: 0, timeoutMs })
      } catch (err) {
        log.info({ err }, 'a delegation token could not be given back; it ends by itself')
      }
    },
  }
}

/** The cluster has no token to give. */
export const unavailable = (reason: string): FileSystemError => new FileSystemError('unavailable', '/', reason)
