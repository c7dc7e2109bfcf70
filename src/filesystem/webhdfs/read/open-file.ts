import { type ByteStream, emptyStream } from '../../../bytes/byte-stream.ts'
import { isNotSent, remoteOf } from '../../cluster/remote-exception.ts'
import { hasCode, refusal } from '../../cluster/steps.ts'
import type { OpenOptions } from '../../filesystem.ts'
import { get, type Operations } from '../operations.ts'
import { createDataNodeMemory } from './data-node-memory.ts'
import { downloadFromNode, type NodeDownloadOptions, toStream } from './download.ts'

/** Makes the `open` of one cluster. */
export const createFileOpener = (operations: Operations) => {
  const memory = createDataNodeMemory()

  /** Few bytes from a data node that is known already; undefined where that does not do, whatever the reason. */
  const openKnown = async (
    path: string,
    options: NodeDownloadOptions,
    offset: number,
  ): Promise<ByteStream | undefined> => {
    const { expected = Number.POSITIVE_INFINITY, length, signal } = options
    const known = expected <= fewBytes ? memory.find(path, offset, length) : undefined
    if (known === undefined) return undefined
    try {
      return await downloadFromNode(known, { ...options, least: expected })
    } catch (error) {
      if (signal?.aborted) throw error
      memory.forget(path)
      return undefined
    }
  }

  return async (path: string, { offset = 0, length, expected = length, signal }: OpenOptions): Promise<ByteStream> => {
    if (length === 0) return await openEmpty(operations, path)
    const options = { ...operations.transfer, path, length, expected, signal }
    const known = await openKnown(path, options, offset)
    if (known !== undefined) return known
    const params = { offset: offset || undefined, length }
    const call = { ...get, op: 'OPEN', path, action: 'open', params, signal }
    let failures = 0
    try {
      return await operations.withDataNode<ByteStream>(call, async target => {
        // HttpFS has the bytes itself.
        if (!(target instanceof URL)) return toStream(target, 'data node behind the name node', options)
        try {
          const stream = await downloadFromNode(target, options)
          memory.add(path, target)
          return stream
        } catch (error) {
          const mayPass = hasCode(error, 'unavailable') && !signal?.aborted && ++failures < maxAttempts
          if (!mayPass) throw error
          return isNotSent(error.cause) ? { notSent: error } : { failed: error }
        }
      })
    } catch (error) {
      if (/^Offset=\d+ out of the range/.test(remoteOf(error)?.message ?? '')) return await openEmpty(operations, path)
      throw error
    }
  }
}

/** Up to this many bytes it does not matter which data node has them. */
const fewBytes = 1024 * 1024

/** Times that a data node is asked for the bytes; until the first of them arrives, asking again does no harm. */
const maxAttempts = 3

const openEmpty = async ({ getFileStatus }: Operations, path: string): Promise<ByteStream> => {
  const status = await getFileStatus(path)
  if (status.isDirectory) throw refusal('is-directory', path, 'open', 'it is a directory')
  return emptyStream()
}
