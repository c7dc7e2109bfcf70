import { SluiceError } from '../../errors.ts'
import { hadoopOf } from '../../filesystem/facets.ts'
import { parsePath } from '../../filesystem/path.ts'
import { toEmptyResponse } from './answers.ts'
import type { WebHdfsHandler } from './context.ts'
import { takeBytes } from './take-bytes.ts'

/** Answers APPEND: all the bytes, or none of them. */
export const appendPath: WebHdfsHandler<'webHdfsPost'> = async (context, call) => {
  const path = parsePath(call.params.path)
  const bytes = takeBytes(context, call)
  if (!(bytes instanceof Response)) {
    await hadoopOf(context.fileSystem).append(path, bytes)
    return toEmptyResponse()
  }
  // Checked before the client sends bytes that could not be stored.
  const { isDirectory } = await context.fileSystem.getFileStatus(path)
  if (isDirectory)
    throw new SluiceError('is-directory', `Cannot append to directory ${path}; already exists as a directory.`)
  return bytes
}
