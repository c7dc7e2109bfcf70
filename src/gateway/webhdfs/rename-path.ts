/**
 * RENAME, as HDFS has it in two ways (Hadoop's "FileSystem specification", "rename"): with `renameoptions` it uses the
 * given names only and reports errors by an exception; without, it moves into a directory that is there, and a refusal
 * is a `false`.
 */
import { SluiceError } from '../../errors.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName, joinPath, parentPath, parsePath } from '../../filesystem/path.ts'
import { toBooleanResponse, toEmptyResponse } from './answers.ts'
import type { WebHdfsHandler } from './context.ts'

export const renamePath: WebHdfsHandler<'webHdfsPut'> = async ({ fileSystem }, { params }) => {
  const { destination, renameoptions } = params
  if (destination === undefined) throw new SluiceError('bad-parameter', 'Parameter "destination" is missing')
  const [source, target] = [parsePath(params.path), parsePath(destination)]
  if (renameoptions === undefined) return toBooleanResponse(await moveTo(fileSystem, source, target))
  const overwrite = parseOptions(renameoptions)
  // The file system would make it.
  await fileSystem.getFileStatus(parentPath(target))
  await directoriesOf(fileSystem).rename(source, target, { overwrite })
  return toEmptyResponse()
}

/** Whether they say to replace what is there. */
const parseOptions = (text: string): boolean => {
  const words = text
    .toUpperCase()
    .split(',')
    .map(word => word.trim())
  const unknown = words.find(word => !['NONE', 'OVERWRITE', 'TO_TRASH', ''].includes(word))
  if (unknown === undefined) return words.includes('OVERWRITE')
  const expected = 'NONE, OVERWRITE or TO_TRASH'
  throw new SluiceError('bad-parameter', `Parameter "renameoptions": expected ${expected}, got "${unknown}"`)
}

const moveTo = async (fileSystem: FileSystem, source: string, target: string): Promise<boolean> => {
  const there = await findStatus(fileSystem, target)
  const place = there?.isDirectory && target !== source ? joinPath(target, baseName(source)) : target
  if (place === source) return !there?.isDirectory
  if (!(await findStatus(fileSystem, parentPath(place)))?.isDirectory) return false
  try {
    await directoriesOf(fileSystem).rename(source, place)
    return true
  } catch (error) {
    if (error instanceof FileSystemError && (error.code === 'exists' || error.code === 'not-found')) return false
    throw error
  }
}
