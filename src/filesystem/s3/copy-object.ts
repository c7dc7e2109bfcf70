import { childText, type XmlElement } from '../../formats/xml/xml-element.ts'
import { isRefusedAgain } from '../cluster/failover.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import { toRange } from '../options.ts'
import type { S3Call, S3Client } from './client.ts'
import { headObject, type S3Object, toCrc } from './objects.ts'
import { encodeExactly, toObjectKey } from './place.ts'
import { abandonUpload, beginUpload, completeUpload, type SentPart, type Upload } from './write/multipart.ts'
import { putObject } from './write/put-object.ts'

export type Copy = {
  readonly source: string
  readonly target: string
  /** What the source is: only that is copied. */
  readonly found: S3Object
  readonly overwrite: boolean
}

/** The largest object that S3 copies in one step, and what is copied at a time of one that goes by parts. */
const maxStepBytes = 5 * 2 ** 30
const maxPartBytes = 2 ** 30

const action = 'rename'

/**
 * Copies an object within the store, and looks whether all of it arrived. Rejects with `exists` where something has the name,
 * and with `unavailable` where the source was written anew. What must not replace goes by a write whose condition was tried:
 * few stores look at that of a copy.
 */
export const copyObject = async (client: S3Client, copy: Copy, partBytes = maxPartBytes): Promise<void> => {
  const { target, found, overwrite } = copy
  if (overwrite && found.length <= maxStepBytes) await copyStep(client, copy, {})
  else if (found.length === 0) await writeEmpty(client, copy)
  else await copyParts(client, copy, partBytes)
  const there = await headObject(client, target, action)
  const isSame = there?.length === found.length && (there.crc ?? found.crc) === (found.crc ?? there.crc)
  if (!isSame) throw refusal('unavailable', target, action, 'what was copied is not what the source has')
}

/** Of nothing there is no part. */
const writeEmpty = async (client: S3Client, copy: Copy): Promise<void> => {
  const { source, target, found, overwrite } = copy
  const none = { bytes: Buffer.alloc(0), crc: 0, given: found.given }
  await unlessDone(client, copy, () => putObject(client, { path: target, overwrite }, none))
  if ((await headObject(client, source, action))?.etag !== found.etag) throw refuseAnew(source)
}

const copyParts = async (client: S3Client, copy: Copy, partBytes: number): Promise<void> => {
  const { target, found, overwrite } = copy
  const { length, crc, given } = found
  const upload = await beginUpload(client, target, { given })
  try {
    const parts: SentPart[] = []
    for (let offset = 0; offset < length; offset += partBytes) {
      // S3 takes no range of a small object.
      const range = length > partBytes ? toRange({ offset, length: partBytes }, length) : undefined
      parts.push(await copyPart(client, copy, upload, { number: parts.length + 1, range }))
    }
    const whole = { parts, ...(crc !== undefined && { crc }) }
    await unlessDone(client, copy, () => completeUpload(client, upload, { path: target, overwrite }, whole))
  } catch (error) {
    await abandonUpload(client, upload)
    throw error
  }
}

/** A write whose answer was lost is refused when it is sent again: what is there tells whether it was done. */
const unlessDone = async (client: S3Client, { target, found }: Copy, write: () => Promise<unknown>): Promise<void> => {
  try {
    await write()
  } catch (error) {
    if (isRefusedAgain(error) && found.crc !== undefined) {
      const there = await headObject(client, target, action)
      if (there?.length === found.length && there.crc === found.crc) return
    }
    throw hasCode(error, 'not-found') ? refusal('unavailable', target, action, 'its upload is gone', error) : error
  }
}

type Part = { readonly number: number; readonly range: ReturnType<typeof toRange> | undefined }

const copyPart = async (client: S3Client, copy: Copy, { id }: Upload, { number, range }: Part): Promise<SentPart> => {
  const query = { partNumber: String(number), uploadId: id }
  const headers = range ? { 'x-amz-copy-source-range': `bytes=${range.start}-${range.end - 1}` } : {}
  const answer = await copyStep(client, copy, { query, headers })
  const etag = answer && childText(answer, 'ETag')
  if (!etag) throw refusal('unavailable', copy.target, action, `the store named no ETag for part ${number}`)
  const crc = toCrc(childText(answer, 'ChecksumCRC32'))
  return { etag, ...(crc !== undefined && { crc }) }
}

/** One call that copies: the whole, or a part of it. */
const copyStep = async (
  client: S3Client,
  { source, target, found }: Copy,
  step: Pick<S3Call, 'query' | 'headers'>,
): Promise<XmlElement | undefined> => {
  const { place } = client
  const from = {
    'x-amz-copy-source': `/${place.bucket}/${toObjectKey(place, source).split('/').map(encodeExactly).join('/')}`,
    ...(found.etag && { 'x-amz-copy-source-if-match': found.etag }),
  }
  const call = { method: 'PUT', key: toObjectKey(place, target), path: target, action, repeatable: true } as const
  try {
    return await client.xml({ ...call, ...step, headers: { ...from, ...step.headers } })
  } catch (error) {
    // The only condition is that of the source.
    throw hasCode(error, 'exists') ? refuseAnew(source, error) : error
  }
}

const refuseAnew = (source: string, cause?: unknown): FileSystemError =>
  refusal('unavailable', source, action, 'it was written anew meanwhile', cause)
