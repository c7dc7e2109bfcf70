import { isRecord } from '../../../is-record.ts'

/** What requests are signed with; all of it but the id is secret. */
export type AwsKeys = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Sent beside the signature. */
  readonly sessionToken?: string
  /** When they end, ms since the epoch; absent where they do not. */
  readonly expiresAt?: number
}

/** One place where keys may come from. */
export type KeySource = {
  /** For people: `the instance role`. */
  readonly name: string
  /** Undefined where nothing of the kind is set up. Rejects with a reason that repeats no secret. */
  readonly load: () => Promise<AwsKeys | undefined>
}

/** The names that keys have in JSON; a session token has two. */
export const keysFromJson = (text: string): AwsKeys | undefined => {
  const json = parse(text)
  if (!isRecord(json)) return undefined
  return toKeys(name => {
    const value = json[name] ?? (name === 'SessionToken' ? json['Token'] : undefined)
    return typeof value === 'string' ? value : undefined
  })
}

/** Keys of what has them by their usual names; undefined where a part is missing or malformed. */
export const toKeys = (get: (name: string) => string | undefined): AwsKeys | undefined => {
  const [accessKeyId, secretAccessKey] = [get('AccessKeyId'), get('SecretAccessKey')]
  const [sessionToken, expiration] = [get('SessionToken'), get('Expiration')]
  const expiresAt = expiration === undefined ? undefined : Date.parse(expiration)
  if (!accessKeyId || !secretAccessKey || Number.isNaN(expiresAt)) return undefined
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
