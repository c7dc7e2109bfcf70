import { lstat } from 'node:fs/promises'
import { type Directories, FileSystemError } from '../filesystem.ts'
import { checkPermission, defaultDirectoryPermission } from '../options.ts'
import { isInside, parentPath, parsePath } from '../path.ts'
import { makeDirectories, moveReplacing, moveWithoutReplacing } from './durable.ts'
import { errnoOf, guard, notFoundBelowFile, withErrno } from './errors.ts'
import { resolveEntry, resolveInside } from './resolve.ts'

/** Makes directories below `root`, and renames what is there. */
export const createLocalDirectories = (root: string): Directories => ({
  mkdirs: (path, { permission } = {}) =>
    guard('create directory', path, async () => {
      checkPermission(permission)
      await makeDirectories(await resolveInside(root, parsePath(path)), permission ?? defaultDirectoryPermission)
    }),

  rename: (source, target, { overwrite = false } = {}) =>
    guard('rename', source, async () => {
      const [from, to] = [parsePath(source), parsePath(target)]
      const [file, place] = [await resolveEntry(root, from), await resolveEntry(root, to)]
      await lstat(file).catch(notFoundBelowFile)
      if (from === '/') throw new FileSystemError('bad-path', from, 'Cannot rename "/"')
      if (to === '/' || (from === to && !overwrite)) throw withErrno('EEXIST')
      if (from === to) return
      if (isInside(place, file)) throw new FileSystemError('bad-path', to, `Cannot move "${from}" into itself`)
      await makeDirectories(await resolveInside(root, parentPath(to)))
      if (!overwrite) return await moveWithoutReplacing(file, place)
      await moveReplacing(file, place).catch(error => {
        throw errnoOf(error) === 'EEXIST' ? withErrno('ENOTEMPTY', error) : error
      })
    }),
})
