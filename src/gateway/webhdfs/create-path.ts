import { parentPath, parsePath } from '../../filesystem/path.ts'
import { toNotKept } from '../write/not-kept.ts'
import { parseOctal } from '../write/permission.ts'
import { storeFile } from '../write/store-file.ts'
import { toFileAddress } from './address.ts'
import type { WebHdfsHandler } from './context.ts'
import { takeBytes } from './take-bytes.ts'

/** Answers CREATE: a whole file, or nothing. */
export const createPath: WebHdfsHandler<'webHdfsPut'> = async (context, call) => {
  const { overwrite, replication, blocksize, permission, createparent } = call.params
  const path = parsePath(call.params.path)
  const bytes = takeBytes(context, call)
  if (bytes instanceof Response) return bytes
  if (!createparent) await context.fileSystem.getFileStatus(parentPath(path))
  // Without the call's signal: the body itself fails when the client goes away.
  const stored = await storeFile(context.fileSystem, path, bytes, {
    overwrite,
    ...(replication === undefined ? {} : { replication }),
    ...(blocksize === undefined ? {} : { blockSize: blocksize }),
    ...(permission === undefined ? {} : { permission: parseOctal(permission) }),
  })
  const headers = { location: toFileAddress(call), ...toNotKept({ replication, blockSize: blocksize }, stored) }
  return new Response(null, { status: 201, headers })
}
