import { childText } from '../../formats/xml/xml-element.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import { toRange } from '../options.ts'
import type { S3Client } from './client.ts'
import { headObject, type S3Object } from './objects.ts'
import { encodeExactly, toObjectKey } from './place.ts'
import { abandonUpload, beginUpload, completeUpload, type SentPart, type Upload } from './write/multipart.ts'
import { conditionOf } from './write/put-object.ts'

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

/** Copies an object within the store, and looks whether all of it arrived. Rejects with `exists` where something has the name. */
export const copyObject = async (client: S3Client, copy: Copy, stepBytes = maxStepBytes): Promise<void> => {
  const { source, target, found } = copy
  const headers = {
    'x-amz-copy-source': `/${client.place.bucket}/${toObjectKey(client.place, source).split('/').map(encodeExactly).join('/')}`,
    ...(found.etag && { 'x-amz-copy-source-if-match': found.etag }),
  }
  if (found.length > stepBytes) await copyParts(client, copy, headers, Math.min(partBytes, stepBytes))
  else {
    const key = toObjectKey(client.place, target)
    const call = { method: 'PUT', key, path: target, action, repeatable: true } as const
    await client.xml({ ...call, headers: { ...headers, ...conditionOf(copy) } }).catch(async error => {
      // A store that knows no condition here: that nothing has the name was seen a moment ago.
      if (!hasCode(error, 'unsupported')) throw error
      await client.xml({ ...call, headers })
    })
  }
  const there = await headObject(client, target, action)
  const isSame = there?.length === found.length && (there.crc ?? found.crc) === (found.crc ?? there.crc)
  if (!isSame) throw refusal('unavailable', target, action, 'what was copied is not what the source has')
}

const copyParts = async (
  client: S3Client,
  { target, found, overwrite }: Copy,
  headers: Readonly<Record<string, string>>,
  bytes: number,
): Promise<void> => {
  const upload = await beginUpload(client, target)
  try {
    const parts: SentPart[] = []
    for (let offset = 0; offset < found.length; offset += bytes) {
      const { start, end } = toRange({ offset, length: bytes }, found.length)
      const range = { 'x-amz-copy-source-range': `bytes=${start}-${end - 1}` }
      parts.push(await copyPart(client, upload, parts.length + 1, { ...headers, ...range }))
    }
    await completeUpload(client, upload, { path: target, overwrite }, { parts })
  } catch (error) {
    await abandonUpload(client, upload)
    throw error
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
