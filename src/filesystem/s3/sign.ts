import { AwsV4Signer } from 'aws4fetch'
import type { AwsKeys } from './credentials/aws-keys.ts'

/** What is signed of a request. */
export type Unsigned = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body, in hexadecimal digits. */
  readonly bodySha256: string
  /** When it is sent, ms since the epoch, by the clock of the store. */
  readonly at: number
}

/** Of no bytes. */
export const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Signs requests to S3 (Signature Version 4); the key that follows from keys and day is remembered. */
export const createSigner = (region: string) => {
  let cache = new Map<string, ArrayBuffer>()
  return async (keys: AwsKeys, { url, method, headers, bodySha256, at }: Unsigned): Promise<Record<string, string>> => {
    // One key for each day and keys: what is older is of no use.
    if (cache.size > 8) cache = new Map()
    const { accessKeyId, secretAccessKey, sessionToken } = keys
    const signed = await new AwsV4Signer({
      url: url.href,
      method,
      headers: { ...headers, 'x-amz-content-sha256': bodySha256 },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      cache,
      datetime: new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    }).sign()
    return Object.fromEntries(signed.headers)
  }
}
