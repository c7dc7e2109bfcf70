import { SluiceError } from '../../errors.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { parentPath, parsePath } from '../../filesystem/path.ts'
import { storeFile } from '../store-file.ts'
import { toFileAddress } from './address.ts'
import type { WebHdfsHandler } from './context.ts'
import { toBits } from './permission-bits.ts'
import { takeBytes } from './take-bytes.ts'

/** Answers CREATE: a whole file, or nothing. */
export const createPath: WebHdfsHandler<'webHdfsPut'> = async (context, call) => {
  const { overwrite, replication, blocksize, permission, createparent } = call.params
  const path = parsePath(call.params.path)
  const bytes = takeBytes(context, call)
  if (bytes instanceof Response) return bytes
  if (!createparent) await requireParent(context.fileSystem, path)
  // Without the call's signal: the body itself fails when the client goes away.
  await storeFile(context.fileSystem, path, bytes, {
    overwrite,
    ...(replication === undefined ? {} : { replication }),
    ...(blocksize === undefined ? {} : { blockSize: blocksize }),
    ...(permission === undefined ? {} : { permission: toBits(permission) }),
  })
  return new Response(null, { status: 201, headers: { location: toFileAddress(call) } })
}

/** @throws FileSystemError `not-found`, SluiceError `not-directory` */
export const requireParent = async (fileSystem: FileSystem, path: string): Promise<void> => {
  const parent = await fileSystem.getFileStatus(parentPath(path))
  if (!parent.isDirectory) throw new SluiceError('not-directory', `${parent.path} (is not a directory)`)
}
