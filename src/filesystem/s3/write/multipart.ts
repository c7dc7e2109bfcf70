/** Uploads in parts, which are an object once they are completed, and nothing before. */
import { escapeXml } from '../../../formats/xml/read-xml.ts'
import { childText } from '../../../formats/xml/xml-element.ts'
import { hasCode, refusal } from '../../cluster/steps.ts'
import { discardTemporary } from '../../discard-temporary.ts'
import type { S3Client } from '../client.ts'
import { fromCrc, needEtag, type S3Object, toS3Object } from '../objects.ts'
import { toObjectKey } from '../place.ts'
import { listUploadPages } from './list-uploads.ts'
import type { FilePart } from './parts.ts'
import { conditionOf, type Naming, refuseOtherSum, toGiven } from './put-object.ts'

/** An upload that was begun. */
export type Upload = { readonly path: string; readonly id: string; readonly signal?: AbortSignal | undefined }

/** A part that the store has. */
export type SentPart = {
  readonly etag: string
  /** CRC-32 of it, where it is known. */
  readonly crc?: number
}

/** What the store is to make one object of. */
export type Whole = { readonly parts: readonly SentPart[]; readonly crc?: number }

/** Begins one. Not repeated: each call makes another one, and an answer that is lost takes its id along. */
export const beginUpload = async (
  client: S3Client,
  path: string,
  { given, signal }: Pick<S3Object, 'given'> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Upload> => {
  const sums = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' }
  const headers = { ...toGiven(given), ...sums }
  const call = {
    method: 'POST',
    key: toObjectKey(client.place, path),
    query: { uploads: '' },
    path,
    action: 'create',
    signal,
  } as const
  const answer = await client.xml({ ...call, headers, repeatable: false })
  const id = answer && childText(answer, 'UploadId')
  if (!id) throw refusal('unavailable', path, 'create', 'the store began no upload')
  return { path, id, signal }
}

/** Sends a part; the first one has number 1. */
export const sendPart = async (
  client: S3Client,
  { path, id, signal }: Upload,
  number: number,
  { bytes, crc }: Pick<FilePart, 'bytes' | 'crc'>,
): Promise<SentPart> => {
  const query = { partNumber: String(number), uploadId: id }
  const headers = { 'x-amz-checksum-crc32': fromCrc(crc) }
  const call = {
    method: 'PUT',
    key: toObjectKey(client.place, path),
    query,
    headers,
    body: bytes,
    path,
    action: 'create',
  } as const
  return await client.call({ ...call, repeatable: true, signal }, answer => {
    answer.body.cancel()
    const { etag, crc: kept } = needEtag(toS3Object(answer), path, 'create')
    refuseOtherSum(path, crc, kept)
    return { etag, crc }
  })
}

/**
 * Makes an object of the parts. Sent again it finds the upload gone, or is refused by what it has done itself: after a
 * refusal the caller has to look.
 */
export const completeUpload = async (
  client: S3Client,
  { path, id, signal }: Upload,
  naming: Naming,
  whole: Whole,
): Promise<void> => {
  const parts = whole.parts.map(
    ({ etag, crc }, at) =>
      `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag>${crc === undefined ? '' : `<ChecksumCRC32>${fromCrc(crc)}</ChecksumCRC32>`}</Part>`,
  )
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
  const sums =
    whole.crc === undefined ? {} : { 'x-amz-checksum-crc32': fromCrc(whole.crc), 'x-amz-checksum-type': 'FULL_OBJECT' }
  await client.xml({
    method: 'POST',
    key: toObjectKey(client.place, path),
    query: { uploadId: id },
    headers: { ...conditionOf(naming), ...sums, 'content-type': 'application/xml' },
    body: Buffer.from(xml),
    path,
    action: 'create',
    repeatable: true,
    signal,
  })
}

/** Gives an upload up, now or as soon as the store answers. Never rejects. */
export const abandonUpload = async (client: S3Client, { path, id }: Upload): Promise<void> =>
  await discardTemporary(() =>
    abort(client, { key: toObjectKey(client.place, path), path, id }).then(() => true, isGone),
  )

/** Gives up what earlier attempts have left of a path that is ours alone. Rejects as a listing does. */
export const abandonUploadsOf = async (client: S3Client, path: string, signal?: AbortSignal): Promise<void> => {
  const prefix = toObjectKey(client.place, path)
  for await (const page of listUploadPages(client, { prefix, path, action: 'create', signal })) {
    for (const { key, id } of page) if (key === prefix) await abortIfThere(client, { key, path, id, signal })
  }
}

type Abort = {
  readonly key: string
  readonly path: string
  readonly id: string
  readonly signal?: AbortSignal | undefined
}

/** Gives up an upload, unless it is finished or given up meanwhile. */
export const abortIfThere = async (client: S3Client, upload: Abort): Promise<void> =>
  await abort(client, upload).catch(error => {
    if (!isGone(error)) throw error
  })

const abort = async (client: S3Client, { key, path, id, signal }: Abort): Promise<void> => {
  const call = { method: 'DELETE', key, query: { uploadId: id } } as const
  await client.call({ ...call, path, action: 'give up', repeatable: true, signal }, ({ body }) => body.cancel())
}

const isGone = (error: unknown): boolean => hasCode(error, 'not-found')
