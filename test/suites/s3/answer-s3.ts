/** What a store answers to the calls of S3 that are made here. */
import type { IncomingHttpHeaders } from 'node:http'
import { encodeExactly } from '../../../src/filesystem/s3/place.ts'
import { escapeXml } from '../../../src/formats/xml/read-xml.ts'
import { childrenOf, childText, parseXml } from '../../../src/formats/xml/xml-element.ts'
import type { FakeS3Options } from './fake-s3.ts'
import { type Stored, type StoredBytes, toStored } from './stored.ts'

export type S3Request = {
  readonly method: string
  readonly bucket: string
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  readonly bytes?: Buffer
}

export const toErrorXml = (code: string, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`

const refuse = (status: number, code: string): Answer => ({ status, text: toErrorXml(code, `no ${code}`) })

const toBase64 = (crc: number): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc)
  return bytes.toString('base64')
}

export const answerS3 = (stored: Stored, request: S3Request, options: FakeS3Options): Answer => {
  const { method, query, key, bucket } = request
  if (bucket !== 'bucket') return refuse(404, 'NoSuchBucket')
  if (key === '') {
    if (query.has('uploads')) return listUploads(stored, query, options)
    return method === 'POST' ? deleteMany(stored, request) : list(stored, query, options)
  }
  if (query.has('uploadId') || query.has('uploads')) return answerUpload(stored, request, options)
  const found = stored.objects.get(key)
  if (method === 'PUT') return put(stored, request, options)
  if (method === 'DELETE') return remove(stored, request, options)
  if (!found) return refuse(404, 'NoSuchKey')
  return read(found, request, options)
}

const remove = (stored: Stored, { key, headers }: S3Request, { ignoresCondition }: FakeS3Options): Answer => {
  const wanted = ignoresCondition ? undefined : headers['if-match']
  const found = stored.objects.get(key)
  if (wanted !== undefined && !found) return refuse(404, 'NoSuchKey')
  if (wanted !== undefined && wanted !== found?.etag) return refuse(412, 'PreconditionFailed')
  stored.objects.delete(key)
  return { status: 204 }
}

const headersOf = ({ etag, modified, crc }: StoredBytes, { keepsNoSums }: FakeS3Options): Record<string, string> => ({
  etag,
  'last-modified': new Date(modified).toUTCString(),
  ...(keepsNoSums ? {} : { 'x-amz-checksum-crc32': toBase64(crc), 'x-amz-checksum-type': 'FULL_OBJECT' }),
})

const read = (found: StoredBytes, { method, headers }: S3Request, options: FakeS3Options): Answer => {
  const all = headersOf(found, options)
  const { length } = found.bytes
  if (headers['if-match'] !== undefined && headers['if-match'] !== found.etag) return refuse(412, 'PreconditionFailed')
  if (method === 'HEAD') return { status: 200, headers: { ...all, 'content-length': String(length) } }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  if (first === undefined) return { status: 200, headers: all, bytes: found.bytes }
  if (Number(first) >= length) return refuse(416, 'InvalidRange')
  const end = Math.min(last ? Number(last) + 1 : length, length)
  const range = { 'content-range': `bytes ${first}-${end - 1}/${length}` }
  return { status: 206, headers: { ...all, ...range }, bytes: found.bytes.subarray(Number(first), end) }
}

const isTaken = (stored: Stored, { key, headers }: S3Request, { ignoresCondition }: FakeS3Options): boolean =>
  headers['if-none-match'] === '*' && !ignoresCondition && stored.objects.has(key)

const hasOtherSum = ({ headers }: S3Request, crc: number): boolean =>
  headers['x-amz-checksum-crc32'] !== undefined && headers['x-amz-checksum-crc32'] !== toBase64(crc)

/** Of `x-amz-copy-source`, and the range that is asked for of it; a refusal without such an object. */
const sourceOf = (stored: Stored, { headers }: S3Request): StoredBytes | Answer => {
  const [, , ...names] = decodeURIComponent(String(headers['x-amz-copy-source'])).split('/')
  const found = stored.objects.get(names.join('/'))
  if (!found) return refuse(404, 'NoSuchKey')
  if (headers['x-amz-copy-source-if-match'] !== found.etag) return refuse(412, 'PreconditionFailed')
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'])) ?? []
  return toStored(first === undefined ? found.bytes : found.bytes.subarray(Number(first), Number(last) + 1))
}

const put = (stored: Stored, request: S3Request, options: FakeS3Options): Answer => {
  const isCopy = request.headers['x-amz-copy-source'] !== undefined
  // Few look at the condition of a copy.
  if (!isCopy && isTaken(stored, request, options)) return refuse(412, 'PreconditionFailed')
  const bytes = isCopy ? sourceOf(stored, request) : toStored(request.body)
  if ('status' in bytes) return bytes
  if (!isCopy && hasOtherSum(request, bytes.crc)) return refuse(400, 'BadDigest')
  stored.objects.set(request.key, bytes)
  if (isCopy) return { status: 200, text: `<CopyObjectResult><ETag>${escapeXml(bytes.etag)}</ETag></CopyObjectResult>` }
  return { status: 200, headers: headersOf(bytes, options) }
}

const partXml = ({ etag, crc }: StoredBytes, { keepsNoSums }: FakeS3Options): string =>
  `<ETag>${escapeXml(etag)}</ETag>${keepsNoSums ? '' : `<ChecksumCRC32>${toBase64(crc)}</ChecksumCRC32>`}`

const answerUpload = (stored: Stored, request: S3Request, options: FakeS3Options): Answer => {
  const { method, key, query, headers } = request
  if (query.has('uploads')) {
    const id = stored.begin(key)
    return {
      status: 200,
      text: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    }
  }
  const upload = stored.uploads.get(query.get('uploadId') ?? '')
  if (upload?.key !== key) return refuse(404, 'NoSuchUpload')
  if (method === 'DELETE') {
    stored.uploads.delete(upload.id)
    return { status: 204 }
  }
  if (method === 'PUT') {
    const isCopy = headers['x-amz-copy-source'] !== undefined
    const part = isCopy ? sourceOf(stored, request) : toStored(request.body)
    if ('status' in part) return part
    if (!isCopy && hasOtherSum(request, part.crc)) return refuse(400, 'BadDigest')
    upload.parts.set(Number(query.get('partNumber')), part)
    if (isCopy) return { status: 200, text: `<CopyPartResult>${partXml(part, options)}</CopyPartResult>` }
    return { status: 200, headers: headersOf(part, options) }
  }
  if (isTaken(stored, request, options)) return refuse(412, 'PreconditionFailed')
  const wanted = childrenOf(parseXml(request.body.toString(), 'parts'), 'Part').map(part => ({
    etag: childText(part, 'ETag'),
    sum: childText(part, 'ChecksumCRC32'),
    part: upload.parts.get(Number(childText(part, 'PartNumber'))),
  }))
  if (wanted.some(({ etag, part }) => part?.etag !== etag)) return refuse(400, 'InvalidPart')
  // As stores do that only know sums of parts.
  if (!options.keepsNoSums && wanted.some(({ sum, part }) => !part || sum !== toBase64(part.crc)))
    return refuse(400, 'InvalidRequest')
  const whole = toStored(Buffer.concat(wanted.flatMap(({ part }) => (part ? [part.bytes] : []))))
  if (hasOtherSum(request, whole.crc)) return refuse(400, 'BadDigest')
  stored.objects.set(key, whole)
  stored.uploads.delete(upload.id)
  return { status: 200, text: '<CompleteMultipartUploadResult/>' }
}

const listUploads = (stored: Stored, query: URLSearchParams, { pageKeys = 1_000 }: FakeS3Options): Answer => {
  const prefix = query.get('prefix') ?? ''
  // Without an id all uploads of the key are before the page.
  const marker = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? '\u{10ffff}']
  const uploads = [...stored.uploads.values()]
    .filter(({ key, id }) => key.startsWith(prefix) && compareUploads([key, id], marker) > 0)
    .sort((a, b) => compareUploads([a.key, a.id], [b.key, b.id]))
  const page = uploads.slice(0, pageKeys)
  const items = page.map(
    ({ key, id, begun }) =>
      `<Upload><Key>${encodeExactly(key)}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begun).toISOString()}</Initiated></Upload>`,
  )
  const last = uploads.length > pageKeys ? page.at(-1) : undefined
  const next = last
    ? `<NextKeyMarker>${encodeExactly(last.key)}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
    : ''
  const head = `<EncodingType>url</EncodingType><IsTruncated>${last !== undefined}</IsTruncated>${next}`
  return { status: 200, text: `<ListMultipartUploadsResult>${head}${items.join('')}</ListMultipartUploadsResult>` }
}

const compareUploads = (a: readonly string[], b: readonly string[]): number =>
  Buffer.compare(Buffer.from(a.join('\0')), Buffer.from(b.join('\0')))

const deleteMany = (stored: Stored, { body, headers }: S3Request): Answer => {
  if (!headers['content-md5']) return refuse(400, 'InvalidRequest')
  const objects = childrenOf(parseXml(body.toString(), 'delete'), 'Object')
  if (objects.length > 1_000) return refuse(400, 'MalformedXML')
  for (const object of objects) stored.objects.delete(childText(object, 'Key') ?? '')
  return { status: 200, text: '<DeleteResult/>' }
}

const list = (stored: Stored, query: URLSearchParams, { pageKeys = 1_000 }: FakeS3Options): Answer => {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')]
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const most = Math.min(pageKeys, Number(query.get('max-keys') ?? 1_000))
  const isBehind = (key: string): boolean => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0
  const items: string[] = []
  let [last, group] = ['', '']
  let isCut = false
  for (const key of stored.keys()) {
    if (!key.startsWith(prefix) || !isBehind(key) || (group !== '' && key.startsWith(group))) continue
    if (items.length === most) {
      isCut = true
      break
    }
    const at = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length)
    group = at < 0 ? '' : key.slice(0, at + 1)
    // After all keys of the group.
    last = group === '' ? key : `${group}\u{10ffff}`
    const object = stored.objects.get(key)
    items.push(
      group === ''
        ? `<Contents><Key>${encodeExactly(key)}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>${escapeXml(object?.etag ?? '')}</ETag><Size>${object?.bytes.length}</Size></Contents>`
        : `<CommonPrefixes><Prefix>${encodeExactly(group)}</Prefix></CommonPrefixes>`,
    )
  }
  const next = isCut ? `<NextContinuationToken>${escapeXml(last)}</NextContinuationToken>` : ''
  const head = `<IsTruncated>${isCut}</IsTruncated><EncodingType>url</EncodingType>${next}`
  return {
    status: 200,
    text: `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${head}${items.join('')}</ListBucketResult>`,
  }
}
