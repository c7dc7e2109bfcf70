/**
 * Delegation tokens as a NameNode issues them to its clients: a caller who authenticated once continues with one, and
 * may pass it to programs that work for him. A token is an identifier that is not secret, and 256 random bits as its
 * password. Only this server knows what it permits: one that is forged, changed, cancelled or expired is unknown.
 */
import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Disk } from '../disk/disk.ts'
import { FormatError, SluiceError } from '../errors.ts'
import {
  decodeDelegationTokenIdentifier,
  encodeDelegationTokenIdentifier,
} from '../formats/delegation-token-identifier.ts'
import type { HadoopToken } from '../formats/hadoop-token.ts'
import type { Logger } from '../log/log.ts'
import { createTokenRecords, type TokenRecord } from './token-records.ts'

/** A token that means nothing here, any more or at all. A client may fetch a new one. */
export class InvalidToken extends SluiceError {
  constructor(message: string) {
    super('unauthenticated', message)
  }
}

/** What of a token of Hadoop is this server's. */
export type DelegationToken = Pick<HadoopToken, 'identifier' | 'password'>

/** The caller that renews or cancels one: his name, and who he is beyond this process. */
export type TokenCaller = { readonly name: string; readonly subject: string }

/** Knows all tokens that are out. What is promised here is on disk. */
export type DelegationTokens = {
  /** @throws SluiceError `denied` where the owner has too many, `overloaded` where there are too many */
  issue(owner: string, renewer: string): Promise<DelegationToken>
  /** The subject of the owner. @throws InvalidToken */
  verify(token: DelegationToken): string
  /** @returns when it ends now, in ms since 1970. @throws InvalidToken; SluiceError `denied` to all but the renewer */
  renew(token: DelegationToken, caller: TokenCaller): Promise<number>
  /** @throws InvalidToken; SluiceError `denied` to all but the owner and the renewer */
  cancel(token: DelegationToken, caller: TokenCaller): Promise<void>
  /** Resolves when nothing is written any more. */
  close(): Promise<void>
}

export type DelegationTokensOptions = {
  /** What is known of them is in a directory here, which the first one makes. */
  readonly disk: Disk
  readonly logger: Pick<Logger, 'warn'>
  /** In ms since 1970: a token outlives the process. */
  readonly now?: () => number
  /** How long one is good for, from its issue and from each renewal. @default a day, as of Hadoop */
  readonly renewMs?: number
  /** How long one is good for with all renewals. @default a week, as of Hadoop */
  readonly maxMs?: number
  /** @default 100 000 */
  readonly maxTokens?: number
  /** @default 1 000 */
  readonly maxTokensOfOwner?: number
}

const dayMs = 86_400_000
const passwordBytes = 32
/** Hadoop counts the keys that passwords are made with; here each is random. */
const masterKeyId = 1

/** Whether one may come from a server like this: a client may send something that only looks like a token of Hadoop. */
export const isDelegationToken = ({ identifier, password }: DelegationToken): boolean =>
  password.length === passwordBytes && describe(identifier) !== undefined

/** Reads what is known of those that are out. @throws Error naming a file that cannot be read */
export const openDelegationTokens = async (options: DelegationTokensOptions): Promise<DelegationTokens> => {
  const { disk, logger, now = Date.now, renewMs = dayMs, maxMs = 7 * dayMs } = options
  const { maxTokens = 100_000, maxTokensOfOwner = 1_000 } = options
  const records = createTokenRecords(disk, logger)
  const known = await records.load()
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: what was cancelled must not be brought back by a renewal that began before. */
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const next = last.then(step)
    last = next.catch(() => {})
    return next
  }
  const sweep = async (): Promise<void> => {
    const [over, at] = [[] as string[], now()]
    for (const [key, { expiresAt }] of known) if (expiresAt <= at) over.push(key)
    await records.remove(over)
    for (const key of over) known.delete(key)
  }
  const find = ({ identifier, password }: DelegationToken): { readonly key: string; readonly record: TokenRecord } => {
    const about = describe(identifier)
    if (about === undefined) throw new InvalidToken('token of another kind')
    const key = toKey(identifier, password)
    const record = known.get(key)
    if (record === undefined) throw new InvalidToken(`token (${about}) can't be found in cache`)
    if (record.expiresAt <= now()) throw new InvalidToken(`token (${about}) is expired`)
    return { key, record }
  }
  await sweep()

  return {
    issue: (owner, renewer) =>
      inTurn(async () => {
        await sweep()
        let own = 0
        for (const record of known.values()) if (record.owner === owner) own++
        if (own >= maxTokensOfOwner) throw new SluiceError('denied', `${owner} has ${own} delegation tokens already`)
        if (known.size >= maxTokens)
          throw new SluiceError('overloaded', `There are ${maxTokens} delegation tokens already`)
        const issueDate = now()
        const maxDate = issueDate + maxMs
        const sequenceNumber = randomInt(2 ** 31)
        const about = { owner, renewer, realUser: '', issueDate, maxDate, sequenceNumber, masterKeyId }
        const identifier = encodeDelegationTokenIdentifier(about)
        const password = randomBytes(passwordBytes)
        const key = toKey(identifier, password)
        const record = { owner, renewer, expiresAt: Math.min(maxDate, issueDate + renewMs), maxDate }
        await records.put(key, record)
        known.set(key, record)
        return { identifier, password }
      }),

    verify: token => find(token).record.owner,

    renew: (token, { name }) =>
      inTurn(async () => {
        const { key, record } = find(token)
        if (name !== record.renewer) {
          throw new SluiceError('denied', `${name} tried to renew a token with non-matching renewer ${record.renewer}`)
        }
        const expiresAt = Math.min(record.maxDate, now() + renewMs)
        await records.put(key, { ...record, expiresAt })
        known.set(key, { ...record, expiresAt })
        return expiresAt
      }),

    cancel: (token, { name, subject }) =>
      inTurn(async () => {
        const { key, record } = find(token)
        if (subject !== record.owner && name !== record.renewer) {
          throw new SluiceError('denied', `${name} is not authorized to cancel the token`)
        }
        // First of all it is over. Where the disk fails now, the next sweep removes it.
        known.set(key, { ...record, expiresAt: 0 })
        await records.remove([key])
        known.delete(key)
      }),

    close: async () => {
      await last
      await disk.close()
    },
  }
}

/** By its hash, so that how long a search takes says nothing of one. Where an identifier ends, it says itself. */
const toKey = (identifier: Uint8Array, password: Uint8Array): string =>
  hash('sha256', Buffer.concat([identifier, password]), 'hex')

/** The content of an identifier, for people; undefined for a malformed one. */
const describe = (identifier: Uint8Array): string | undefined => {
  try {
    const { owner, renewer, sequenceNumber } = decodeDelegationTokenIdentifier(identifier)
    return `owner=${owner}, renewer=${renewer}, sequenceNumber=${sequenceNumber}`
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
