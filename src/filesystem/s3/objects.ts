/** What a store says of one object. */
import { remoteOf } from '../cluster/remote-exception.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileStatus } from '../filesystem.ts'
import { toDirectoryStatus } from '../find-status.ts'
import { defaultBlockSize, defaultFilePermission } from '../options.ts'
import type { AnswerHead } from '../webhdfs/transport/answer-head.ts'
import type { S3Client } from './client.ts'
import { listKeyPage } from './list-keys.ts'
import { toDirectoryKey, toObjectKey } from './place.ts'

/** An object, as the head of an answer tells of it. */
export type S3Object = {
  readonly length: number
  readonly modificationTime: number
  /** What changes with its bytes. */
  readonly etag: string
  /** CRC-32 of all its bytes; undefined where the store did not keep it. */
  readonly crc: number | undefined
  /** Headers that other tools gave it, its type among them: what is written in its place has them as well. */
  readonly given?: Readonly<Record<string, string>> | undefined
}

/** Of HEAD, and of GET of all bytes. */
export const toS3Object = ({ headers }: AnswerHead): S3Object => ({
  length: Number(headers['content-length'] ?? 0),
  modificationTime: toTime(headers['last-modified']),
  etag: headers['etag'] ?? '',
  crc: toCrc(headers['x-amz-checksum-crc32'], headers['x-amz-checksum-type']),
  given: Object.fromEntries(Object.entries(headers).filter(([name]) => isGiven.test(name))),
})

const isGiven = /^(?:content-(?:type|encoding|language|disposition)|cache-control|expires|x-amz-meta-.+)$/

/** Ms since the epoch; 0 where it is not told. */
export const toTime = (text: string | undefined): number => {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? 0 : time
}

/** A CRC-32 that a store tells. A checksum of checksums (`COMPOSITE`, `…-3`) says nothing of the bytes, and is undefined. */
export const toCrc = (text: string | undefined, type?: string): number | undefined => {
  if (text === undefined || type === 'COMPOSITE' || !/^[A-Za-z0-9+/]{6}==$/.test(text)) return undefined
  return Buffer.from(text, 'base64').readUInt32BE()
}

/** A CRC-32 as headers and XML of S3 have it. */
export const fromCrc = (crc: number): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc >>> 0)
  return bytes.toString('base64')
}

/** Looks at the object of a path; undefined where it is missing. */
export const headObject = async (
  client: S3Client,
  path: string,
  action: string,
  signal?: AbortSignal,
): Promise<S3Object | undefined> => {
  if (path === '/') return undefined
  const call = { key: toObjectKey(client.place, path), path, action, repeatable: true, signal } as const
  const look = (): Promise<S3Object> =>
    client.call({ ...call, method: 'HEAD', headers: { 'x-amz-checksum-mode': 'ENABLED' } }, answer =>
      needEtag(toS3Object(answer), path, action),
    )
  try {
    return await look().catch(async error => {
      if (!isVague(error)) throw error
      // Why HEAD is refused it cannot say: of keys that have ended it does so, too.
      await client.call({ ...call, method: 'GET', headers: { range: 'bytes=0-0' } }, ({ body }) => body.cancel())
      return await look()
    })
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined
    throw error
  }
}

const isVague = (error: unknown): boolean => {
  const status = remoteOf(error)?.httpStatus
  return status === 400 || status === 403
}

/** Every object has one: without it the answer is somebody else's, such as a page of a proxy. */
export const needEtag = <O extends Pick<S3Object, 'etag'>>(object: O, path: string, action: string): O => {
  if (object.etag !== '') return object
  throw refusal('unavailable', path, action, 'the answer has no ETag, so it is not of S3')
}

/** Whether any key is below a directory, or its own empty object is there. The root always is. */
export const hasKeysBelow = async (client: S3Client, path: string, action: string): Promise<boolean> => {
  if (path === '/') return true
  const { keys } = await listKeyPage(client, { prefix: toDirectoryKey(client.place, path), maxKeys: 1, path, action })
  return keys.length > 0
}

/** What is at a path: the object where there is one, else the directory that other keys make of it. */
export const findEntry = async (client: S3Client, path: string, action: string): Promise<FileStatus | undefined> => {
  const object = await headObject(client, path, action)
  if (object) return toObjectStatus(path, object)
  return (await hasKeysBelow(client, path, action)) ? toDirectoryStatus(path) : undefined
}

/** The same. Rejects with `not-found`. */
export const needEntry = async (client: S3Client, path: string, action: string): Promise<FileStatus> => {
  const found = await findEntry(client, path, action)
  if (found) return found
  throw refusal('not-found', path, action, 'there is no such file or directory')
}

export const toObjectStatus = (
  path: string,
  { length, modificationTime, etag }: Pick<S3Object, 'length' | 'modificationTime' | 'etag'>,
): FileStatus => ({
  path,
  isDirectory: false,
  length,
  modificationTime,
  ...toVersion(etag),
  owner: '',
  group: '',
  permission: defaultFilePermission,
  replication: 1,
  blockSize: defaultBlockSize,
})

/** Two objects of one length can be written within the second that a store tells. */
const toVersion = (etag: string): Pick<FileStatus, 'version'> => {
  const [, version] = /^"?([\w.+/=:-]{1,128})"?$/.exec(etag) ?? []
  return version === undefined ? {} : { version }
}
