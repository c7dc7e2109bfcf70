import { isInside, parentPath } from '../path.ts'
import { remoteOf } from './remote-exception.ts'
import { type ClusterSteps, hasCode, refusal } from './steps.ts'

/**
 * Renames, as `FileSystem.rename`. With rename options HDFS keeps to the names it is given; without them it moves into
 * an existing directory. A call that is sent again after an unknown outcome may report a missing source: by WebHDFS it is
 * not sent again, and by RPC that report is not believed.
 */
export const renameAtCluster = async (
  steps: ClusterSteps,
  source: string,
  target: string,
  overwrite: boolean,
): Promise<void> => {
  if (source === '/' || (target !== source && isInside(target, source))) {
    throw refusal('bad-path', source, 'rename', 'it cannot be moved into itself')
  }
  try {
    await steps.rename(source, target, overwrite).catch(async error => {
      if (!hasCode(error, 'not-found')) throw error
      // Either the source or the target's parent is missing.
      await steps.getFileStatus(source)
      await steps.mkdirs(parentPath(target))
      await steps.rename(source, target, overwrite)
    })
  } catch (error) {
    throw isVague(error) ? await explain(steps, source, target, overwrite, error) : error
  }
}

/** A final refusal whose reason HDFS puts into words only, or `{"boolean":false}`. */
const isVague = (error: unknown): boolean =>
  hasCode(error, 'unavailable') && (error.cause === undefined || remoteOf(error)?.exception === 'IOException')

const explain = async (
  { getFileStatus, find }: ClusterSteps,
  source: string,
  target: string,
  overwrite: boolean,
  error: unknown,
): Promise<unknown> => {
  const from = await getFileStatus(source)
  const to = await find(target)
  if (!to) return error
  if (!overwrite) return refusal('exists', target, 'rename to', 'it exists already', error)
  if (to.isDirectory && !from.isDirectory) return refusal('is-directory', target, 'replace', 'it is a directory', error)
  if (!to.isDirectory && from.isDirectory) return refusal('not-directory', target, 'replace', 'it is a file', error)
  return to.isDirectory ? refusal('not-empty', target, 'replace', 'it is not empty', error) : error
}
