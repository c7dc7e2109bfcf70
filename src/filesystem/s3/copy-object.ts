import { childText } from '../../formats/xml/xml-element.ts'
import { isRefusedAgain } from '../cluster/failover.ts'
import { refusal } from '../cluster/steps.ts'
import { toRange } from '../options.ts'
import type { S3Client } from './client.ts'
import { headObject, type S3Object } from './objects.ts'
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

/** The largest object that S3 copies in one step, and what it copies of a larger one at a time. */
const maxStepBytes = 5 * 2 ** 30
const partBytes = 2 ** 30

const action = 'rename'

/**
 * Copies an object within the store, and looks whether all of it arrived. Rejects with `exists` where something has the name.
 * What must not replace goes by a write whose condition was tried: few stores look at that of a copy.
 */
export const copyObject = async (client: S3Client, copy: Copy, stepBytes = maxStepBytes): Promise<void> => {
  const { source, target, found, overwrite } = copy
  const headers = {
    'x-amz-copy-source': `/${client.place.bucket}/${toObjectKey(client.place, source).split('/').map(encodeExactly).join('/')}`,
    ...(found.etag && { 'x-amz-copy-source-if-match': found.etag }),
  }
  if (!overwrite && found.length === 0) await writeEmpty(client, copy)
  else if (!overwrite || found.length > stepBytes) await copyParts(client, copy, headers, stepBytes)
  else {
    const key = toObjectKey(client.place, target)
    await client.xml({ method: 'PUT', key, headers, path: target, action, repeatable: true })
  }
  const there = await headObject(client, target, action)
  const isSame = there?.length === found.length && (there.crc ?? found.crc) === (found.crc ?? there.crc)
  if (!isSame) throw refusal('unavailable', target, action, 'what was copied is not what the source has')
}

/** Of nothing there is no part. */
const writeEmpty = async (client: S3Client, copy: Copy): Promise<void> => {
  const { source, target, found, overwrite } = copy
  const naming = { path: target, overwrite }
  const none = { bytes: Buffer.alloc(0), crc: 0, given: found.given }
  await unlessDone(client, copy, () => putObject(client, naming, none))
  if ((await headObject(client, source, action))?.etag === found.etag) return
  throw refusal('unavailable', source, action, 'it was written anew meanwhile')
}

const copyParts = async (
  client: S3Client,
  copy: Copy,
  headers: Readonly<Record<string, string>>,
  stepBytes: number,
): Promise<void> => {
  const { target, found, overwrite } = copy
  const upload = await beginUpload(client, target, { given: found.given })
  try {
    const parts: SentPart[] = []
    if (found.length <= stepBytes) parts.push(await copyPart(client, upload, 1, headers))
    else {
      const length = Math.min(partBytes, stepBytes)
      for (let offset = 0; offset < found.length; offset += length) {
        const { start, end } = toRange({ offset, length }, found.length)
        const range = { 'x-amz-copy-source-range': `bytes=${start}-${end - 1}` }
        parts.push(await copyPart(client, upload, parts.length + 1, { ...headers, ...range }))
      }
    }
    await unlessDone(client, copy, () => completeUpload(client, upload, { path: target, overwrite }, { parts }))
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
    if (!isRefusedAgain(error) || found.crc === undefined) throw error
    const there = await headObject(client, target, action)
    if (there?.length !== found.length || there.crc !== found.crc) throw error
  }
}

const copyPart = async (
  client: S3Client,
  { path, id }: Upload,
  number: number,
  headers: Readonly<Record<string, string>>,
): Promise<SentPart> => {
  const query = { partNumber: String(number), uploadId: id }
  const call = { method: 'PUT', key: toObjectKey(client.place, path), query, headers, path, action } as const
  const answer = await client.xml({ ...call, repeatable: true })
  const etag = answer && childText(answer, 'ETag')
  if (!etag) throw refusal('unavailable', path, action, `the store named no ETag for part ${number}`)
  return { etag }
}
