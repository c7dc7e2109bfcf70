// node:fs
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { FileSystemError } from '../filesystem.ts'
import { errnoOf } from './errors.ts'

/**
 * Where a path lies on the disk, with every symbolic link on the way resolved; what does not exist yet is appended to
 * its nearest existing directory. `root` is itself a real path.
 * @throws FileSystemError `bad-path` when a link leads out of the root
 */
export const resolveInside = async (root: string, path: string): Promise<string> => {
  let existing = path === '/' ? root : join(root, path)
  const missing: string[] = []
  for (;;) {
    try {
      const real = await realpath(existing)
      if (real !== root && !real.startsWith(root === sep ? sep : root + sep)) {
        throw new FileSystemError('bad-path', path, `Cannot use path "${path}": a symbolic link leads out of the root`)
      }
      return join(real, ...missing)
    } catch (error) {
      // A file in the place of a directory: the call that follows says so.
      if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error)) || existing === root) throw error
      missing.unshift(basename(existing))
      existing = dirname(existing)
    }
  }
}

/** As {@link resolveInside}, but a link in the last place is not followed: for calls that move or delete the link. */
export const resolveEntry = async (root: string, path: string): Promise<string> =>
  path === '/' ? root : join(await resolveInside(root, dirname(path)), basename(path))
