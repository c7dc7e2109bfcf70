import type { OpenOptions } from '../filesystem.ts'
import { download, toBodyOfResponse } from './download.ts'
import { isNotSent, remoteOf } from './errors.ts'
import { get, hasCode, type Operations, refusal } from './operations.ts'

/** Streams a part of a file, as `FileSystem.open`. */
export const openFile = async (
  operations: Operations,
  path: string,
  { offset, length, signal }: OpenOptions,
): Promise<ReadableStream<Uint8Array>> => {
  if (length === 0) return await openEmpty(operations, path)
  const params = { offset: offset || undefined, length }
  const call = { ...get, op: 'OPEN', path, action: 'open', params, signal }
  const options = { ...operations.transfer, path, signal }
  let failures = 0
  try {
    return await operations.withDataNode<ReadableStream<Uint8Array>>(call, async target => {
      // HttpFS has the bytes itself.
      if (target instanceof Response) return toBodyOfResponse(target, 'behind the name node', options)
      return await download(target, options).catch((error: unknown) => {
        const mayPass = hasCode(error, 'unavailable') && !signal?.aborted && ++failures < maxAttempts
        if (!mayPass) throw error
        return isNotSent(error.cause) ? { notSent: error } : { failed: error }
      })
    })
  } catch (error) {
    if (/^Offset=\d+ out of the range/.test(remoteOf(error)?.message ?? '')) return await openEmpty(operations, path)
    throw error
  }
}

/** Times that a data node is asked for the bytes; until the first of them arrives, asking again does no harm. */
const maxAttempts = 3

const openEmpty = async ({ getFileStatus }: Operations, path: string): Promise<ReadableStream<Uint8Array>> => {
  const status = await getFileStatus(path)
  if (status.isDirectory) throw refusal('is-directory', path, 'open', 'it is a directory')
  return new ReadableStream({ start: controller => controller.close() })
}
