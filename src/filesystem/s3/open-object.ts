import { type ByteStream, emptyStream } from '../../bytes/byte-stream.ts'
import { throwIfAborted } from '../abortable.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileStatus, FileSystem, OpenOptions } from '../filesystem.ts'
import { toStream } from '../webhdfs/read/download.ts'
import type { Reply } from '../webhdfs/transport/answer.ts'
import type { S3Client } from './client.ts'
import { s3CodeOf } from './errors.ts'
import { hasKeysBelow, headObject, needEntry, type S3Object, toObjectStatus } from './objects.ts'
import { toObjectKey } from './place.ts'

/** Makes `open` and `openFile` of a store. Paths are as `parsePath` returns them. */
export const createOpener = (
  client: S3Client,
  idleTimeoutMs: number,
): Required<Pick<FileSystem, 'open' | 'openFile'>> => {
  /** @param object the one whose bytes they have to be */
  const read = async (
    path: string,
    { offset = 0, length, expected = length, signal }: OpenOptions,
    object?: S3Object,
  ): Promise<ByteStream> => {
    const etag = object?.etag
    throwIfAborted(signal, path)
    if (path === '/') throw isDirectoryError(path)
    if (length === 0) {
      refuseDirectory(await needEntry(client, path, 'open'))
      return emptyStream()
    }
    const isWhole = offset === 0 && length === undefined
    const range = `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`
    const headers = {
      ...(isWhole ? {} : { range }),
      ...(etag ? { 'if-match': etag } : {}),
      'accept-encoding': 'identity',
    }
    const most = Math.min(expected ?? Number.POSITIVE_INFINITY, (object?.length ?? Number.POSITIVE_INFINITY) - offset)
    const manyBytes = most > fewBytes && most < Number.POSITIVE_INFINITY ? most : undefined
    const key = toObjectKey(client.place, path)
    const call = { method: 'GET', key, headers, path, action: 'open', manyBytes, signal } as const
    try {
      return await client.call({ ...call, repeatable: true }, answer => {
        refuseOtherBytes(answer, path, isWhole, offset)
        return toStream(answer, client.peer, { path, idleTimeoutMs, signal })
      })
    } catch (error) {
      if (s3CodeOf(error) === 'InvalidRange') return emptyStream()
      if (etag && hasCode(error, 'exists')) throw refusal('unavailable', path, 'open', 'it was written anew meanwhile')
      if (hasCode(error, 'not-found') && (await hasKeysBelow(client, path, 'open'))) throw isDirectoryError(path)
      throw error
    }
  }

  return {
    open: (path, options = {}) => read(path, options),
    openFile: async path => {
      const object = await headObject(client, path, 'open')
      const status = object ? toObjectStatus(path, object) : await needEntry(client, path, 'open')
      return {
        status,
        read: async (options = {}) => {
          refuseDirectory(status)
          return await read(path, options, object)
        },
        close: () => {},
      }
    },
  }
}

/** Up to this many bytes a connection of their own does not pay. */
const fewBytes = 1024 * 1024

/** Something between us and the store may not know ranges: it would send all of the bytes. */
const refuseOtherBytes = ({ status, headers, body }: Reply, path: string, isWhole: boolean, offset: number): void => {
  const [, first] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? []
  if (isWhole ? status === 200 : status === 206 && Number(first) === offset) return
  body.cancel()
  throw refusal('unavailable', path, 'open', 'the store did not answer with the range that was asked for')
}

const refuseDirectory = ({ path, isDirectory: is }: FileStatus): void => {
  if (is) throw isDirectoryError(path)
}

const isDirectoryError = (path: string): Error => refusal('is-directory', path, 'open', 'it is a directory')
