import { refusal } from '../../cluster/steps.ts'
import type { S3Client } from '../client.ts'
import { fromCrc, needEtag, type S3Object, toS3Object, toTime } from '../objects.ts'
import { toObjectKey } from '../place.ts'

/** How a file gets its name. */
export type Naming = {
  readonly path: string
  /** Whether it may take the place of another one. */
  readonly overwrite: boolean
  readonly signal?: AbortSignal | undefined
}

/** What makes a write one that replaces nothing. */
export const conditionOf = ({ overwrite }: Pick<Naming, 'overwrite'>): Readonly<Record<string, string>> =>
  overwrite ? {} : { 'if-none-match': '*' }

/** Headers that an object keeps. @default its type is that of bytes */
export const toGiven = (given: S3Object['given']): Readonly<Record<string, string>> => ({
  'content-type': 'application/octet-stream',
  ...given,
})

/**
 * Writes an object by one PUT. Sent again it is refused by what it has done itself: after a refusal the caller has to look.
 * Rejects with `exists` where something has the name, and with `unavailable` where the store has other bytes than were sent.
 */
export const putObject = async (
  client: S3Client,
  { path, signal, ...naming }: Naming,
  { bytes, crc, given }: Pick<S3Object, 'given'> & { readonly bytes: Buffer<ArrayBuffer>; readonly crc: number },
): Promise<S3Object> => {
  const key = toObjectKey(client.place, path)
  const headers = {
    ...toGiven(given),
    ...conditionOf(naming),
    'x-amz-checksum-crc32': fromCrc(crc),
  }
  const call = { method: 'PUT', key, headers, body: bytes, path, action: 'create', repeatable: true, signal } as const
  return await client.call(call, answer => {
    answer.body.cancel()
    const { etag, crc: kept } = needEtag(toS3Object(answer), path, 'create')
    refuseOtherSum(path, crc, kept)
    return { length: bytes.length, modificationTime: toTime(answer.headers['date']), etag, crc }
  })
}

/** The store says what it has, where it keeps checksums. */
export const refuseOtherSum = (path: string, sent: number, kept: number | undefined): void => {
  if (kept === undefined || kept === sent) return
  throw refusal('unavailable', path, 'create', 'the store has other bytes than were sent')
}
