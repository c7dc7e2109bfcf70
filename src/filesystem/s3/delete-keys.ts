import { createHash } from 'node:crypto'
import { escapeXml } from '../../formats/xml/read-xml.ts'
import { childrenOf } from '../../formats/xml/xml-element.ts'
import { remoteOf } from '../cluster/remote-exception.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileSystem } from '../filesystem.ts'
import type { S3Call, S3Client } from './client.ts'
import { s3CodeOf, toS3Error } from './errors.ts'
import { listKeyPage, listKeyPages } from './list-keys.ts'
import { headObject } from './objects.ts'
import { toDirectoryKey, toObjectKey } from './place.ts'

const action = 'delete'

/** Makes the `delete` of a store. Paths are as `parsePath` returns them. */
export const createDeleter =
  (client: S3Client): FileSystem['delete'] =>
  async (path, { recursive = false } = {}) => {
    if (path === '/') throw refusal('bad-path', path, action, 'it is the root')
    const isFile = (await headObject(client, path, action)) !== undefined
    const prefix = toDirectoryKey(client.place, path)
    if (recursive) {
      const isBelow = await deleteBelow(client, path, prefix)
      if (isFile) await deleteKey(client, path, toObjectKey(client.place, path))
      return isFile || isBelow
    }
    if (isFile) {
      await deleteKey(client, path, toObjectKey(client.place, path))
      return true
    }
    const { keys } = await listKeyPage(client, { prefix, maxKeys: 2, path, action })
    if (keys.some(({ key }) => key !== prefix)) throw refusal('not-empty', path, action, 'the directory is not empty')
    if (keys.length > 0) await deleteKey(client, path, prefix)
    return keys.length > 0
  }

/** Deletes all that is below a directory, whatever its names are. @returns whether there was something */
const deleteBelow = async (client: S3Client, path: string, prefix: string): Promise<boolean> => {
  let isBelow = false
  for await (const { keys } of listKeyPages(client, { prefix, path, action })) {
    isBelow ||= keys.length > 0
    const all = keys.map(({ key }) => key)
    // What XML cannot hold goes one by one.
    for (const key of all.filter(key => !isOfXml(key))) await deleteKey(client, path, key)
    await deleteKeys(client, path, all.filter(isOfXml))
  }
  return isBelow
}

/** One object; one that is not there is as good as deleted. */
export const deleteKey = async (
  client: S3Client,
  path: string,
  key: string,
  headers: NonNullable<S3Call['headers']> = {},
): Promise<void> => {
  // A URL is made without them: another object would be deleted.
  if (key.split('/').some(name => name === '.' || name === '..')) {
    throw refusal(
      'unsupported',
      path,
      action,
      `no URL can name a key with both "." or ".." and characters that XML lacks`,
    )
  }
  await client.call({ method: 'DELETE', key, headers, path, action, repeatable: true }, ({ body }) => body.cancel())
}

/** How often a delete that met another write is sent. */
const maxDeletes = 3

/**
 * Deletes an object unless it was written anew since it had this ETag: what came later stays. A store that refuses the
 * condition is asked for the ETag just before; one that takes it and does not look at it deletes what is there.
 */
export const deleteUnchanged = async (client: S3Client, path: string, etag: string): Promise<void> => {
  const key = toObjectKey(client.place, path)
  for (let sent = 1; ; sent++) {
    try {
      return await deleteKey(client, path, key, { 'if-match': etag })
    } catch (error) {
      if (hasCode(error, 'exists', 'not-found')) return
      if (isConditionRefused(error)) break
      if (s3CodeOf(error) !== 'ConditionalRequestConflict' || sent === maxDeletes) throw error
    }
  }
  if ((await headObject(client, path, action))?.etag === etag) await deleteKey(client, path, key)
}

const isConditionRefused = (error: unknown): boolean => remoteOf(error)?.httpStatus === 400

/** Up to 1 000 objects in one call: the keys of one page. */
const deleteKeys = async (client: S3Client, path: string, keys: readonly string[]): Promise<void> => {
  if (keys.length === 0) return
  const objects = keys.map(key => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('')
  const body = Buffer.from(
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`,
  )
  const md5 = createHash('md5').update(body).digest('base64')
  const headers = { 'content-md5': md5, 'content-type': 'application/xml' }
  const call = { method: 'POST', query: { delete: '' }, headers, body, path, action, repeatable: true } as const
  const answer = await client.xml(call)
  const [failed] = answer ? childrenOf(answer, 'Error') : []
  if (failed) throw toS3Error({ status: 400, headers: {} }, failed, action, path)
}

/** Whether XML 1.0 surely has all of its characters. */
const isOfXml = (key: string): boolean => !/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u.test(key)
