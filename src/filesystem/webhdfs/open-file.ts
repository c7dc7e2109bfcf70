import { FileSystemError, type OpenOptions } from '../filesystem.ts'
import { download, toBody } from './download.ts'
import { isNotSent, remoteOf } from './errors.ts'
import { get, type Operations, refusal } from './operations.ts'

/** Streams a part of a file, as `FileSystem.open`. */
export const openFile = async (
  operations: Operations,
  path: string,
  { offset, length, signal }: OpenOptions,
): Promise<ReadableStream<Uint8Array>> => {
  if (length === 0) return await openEmpty(operations, path)
  const params = { offset: offset || undefined, length }
  const options = { ...operations.transfer, path, signal }
  try {
    const call = { ...get, op: 'OPEN', path, action: 'open', params, signal }
    return await operations.withDataNode<ReadableStream<Uint8Array>>(call, async target => {
      // HttpFS has the bytes itself.
      if (target instanceof Response) return toBody(target, 'behind the name node', options)
      return await download(target, options).catch((error: unknown) => {
        if (error instanceof FileSystemError && isNotSent(error.cause)) return { notSent: error }
        throw error
      })
    })
  } catch (error) {
    if (/^Offset=\d+ out of the range/.test(remoteOf(error)?.message ?? '')) return await openEmpty(operations, path)
    throw error
  }
}

const openEmpty = async ({ getFileStatus }: Operations, path: string): Promise<ReadableStream<Uint8Array>> => {
  const status = await getFileStatus(path)
  if (status.isDirectory) throw refusal('is-directory', path, 'open', 'it is a directory')
  return new ReadableStream({ start: controller => controller.close() })
}
