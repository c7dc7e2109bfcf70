import { remoteOf } from '../../cluster/remote-exception.ts'
import { hasCode, refusal } from '../../cluster/steps.ts'
import type { FileStatus, FileSystemError } from '../../filesystem.ts'
import type { HadoopVerbs } from '../../hadoop-verbs.ts'
import { defaultFilePermission } from '../../options.ts'
import type { ClusterCall } from '../client.ts'
import { type Operations, put } from '../operations.ts'
import { uploadToNode } from './upload.ts'

/**
 * Makes the `create` of one cluster; it remembers whether the cluster knows `createflag`. Bytes are sent once: when a
 * connection breaks after the first of them, the outcome is unknown, and the caller decides.
 */
export const createFileWriter = (operations: Operations): HadoopVerbs['create'] => {
  let knowsCreateFlag = true

  return async (path, source, { overwrite = false, permission = defaultFilePermission, signal, ...rest } = {}) => {
    if (path === '/') throw refusal('is-directory', path, 'create', 'it is a directory')
    // A data node says so, too, but perhaps in the middle of the upload.
    if (!overwrite) refuseExisting(await operations.find(path), path)
    const withFlag = rest.syncBlock === true && knowsCreateFlag
    const params = {
      overwrite,
      permission: permission.toString(8),
      replication: rest.replication,
      blocksize: rest.blockSize,
      createflag: withFlag ? 'create,sync_block' : undefined,
    }
    const call = { ...put, op: 'CREATE', path, action: 'create', params, repeatable: true, signal }
    const chunks = source[Symbol.asyncIterator]()
    try {
      const { bytes } = await send(operations, call, chunks)
      await confirm(operations, path, bytes, permission)
    } catch (error) {
      // A refused flag counts from the next call on: the source can be read only once.
      if (withFlag && /createflag/i.test(remoteOf(error)?.message ?? '')) knowsCreateFlag = false
      throw isCutOff(error) ? await explain(operations, call, error) : error
    } finally {
      chunks.return?.().catch(() => {})
    }
  }
}

const send = (
  { transfer, withDataNode }: Operations,
  call: ClusterCall,
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly bytes: number }> =>
  withDataNode(call, target => {
    const { path, signal } = call
    if (target instanceof URL)
      return uploadToNode(target, chunks, { path, signal, idleTimeoutMs: transfer.idleTimeoutMs })
    throw refusal('unavailable', path, 'create', 'the name node named no data node')
  })

/** A 201 is not enough: the length shows that nothing was cut off, and HDFS applies a umask to the permission. */
const confirm = async (
  { client, getFileStatus }: Operations,
  path: string,
  bytes: number,
  permission: number,
): Promise<void> => {
  const status = await getFileStatus(path)
  if (status.length !== bytes) {
    throw refusal('unavailable', path, 'create', `${bytes} bytes were sent, ${status.length} were stored`)
  }
  if (status.permission === permission) return
  const params = { permission: permission.toString(8) }
  await client.json({ ...put, op: 'SETPERMISSION', path, action: 'set permission of', params, repeatable: true })
}

/** Whether the data node closed the connection under the upload: its reason may be lost with it. */
const isCutOff = (error: unknown): error is FileSystemError => {
  const cause = hasCode(error, 'unavailable') ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && (cause.code === 'EPIPE' || cause.code === 'ECONNRESET')
}

/** The reason why a data node hung up. An empty file, which fits into one packet, is refused for the same one. */
const explain = async (operations: Operations, call: ClusterCall, error: FileSystemError): Promise<unknown> => {
  try {
    await send(operations, { ...call, params: { ...call.params, overwrite: false } }, noChunks())
    await operations.delete(call.path, false)
    return error
  } catch (reason) {
    return hasCode(reason, 'denied', 'quota-exceeded', 'is-directory', 'not-directory', 'bad-path') ? reason : error
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {}

const refuseExisting = (status: FileStatus | undefined, path: string): void => {
  if (status?.isDirectory) throw refusal('is-directory', path, 'create', 'it is a directory')
  if (status) throw refusal('exists', path, 'create', 'it exists already')
}
