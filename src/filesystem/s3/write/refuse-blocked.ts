import { refusal } from '../../cluster/steps.ts'
import { parentPath } from '../../path.ts'
import type { S3Client } from '../client.ts'
import { hasKeysBelow, headObject } from '../objects.ts'

/**
 * Refuses a file that is in the way of what is there, before anything is sent. A store itself would keep `a` and `a/b`
 * beside each other. Rejects with `exists`, `is-directory`, `not-directory`.
 */
export const refuseBlocked = async (client: S3Client, path: string, overwrite: boolean): Promise<void> => {
  if (path === '/') throw refusal('is-directory', path, 'create', 'it is a directory')
  const [found, isBelow] = await Promise.all([
    headObject(client, path, 'create'),
    hasKeysBelow(client, path, 'create'),
    refuseFileAbove(client, path, 'create'),
  ])
  if (isBelow && !found) throw refusal('is-directory', path, 'create', 'it is a directory')
  if (found && !overwrite) throw refusal('exists', path, 'create', 'it exists already')
}

/** Rejects with `not-directory` where a directory of the path is a file. */
export const refuseFileAbove = async (client: S3Client, path: string, action: string): Promise<void> => {
  const above: string[] = []
  for (let at = parentPath(path); at !== '/'; at = parentPath(at)) above.push(at)
  await Promise.all(
    above.map(async directory => {
      if (!(await headObject(client, directory, action))) return
      throw refusal('not-directory', path, action, `"${directory}" is a file`)
    }),
  )
}
