import { lstat } from 'node:fs/promises'
import { throwIfAborted } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { checkPermission } from '../options.ts'
import { parentPath, parsePath } from '../path.ts'
import { createLocalAppender } from './append-file.ts'
import { makeDirectories } from './durable.ts'
import { errnoOf, guard, notFoundBelowFile, withErrno } from './errors.ts'
import { resolveInside } from './resolve.ts'
import type { PathTurns } from './turns.ts'
import { writeFile } from './write-file.ts'

/** Writes files below `root`, and appends to existing ones. */
export const createLocalWrites = (root: string, turns: PathTurns): Pick<HadoopVerbs, 'create' | 'append'> => {
  const append = createLocalAppender(turns)
  return {
    create: (path, source, create = {}) =>
      guard('create', path, async () => {
        const name = parsePath(path)
        checkPermission(create.permission)
        throwIfAborted(create.signal, name)
        if (name === '/') throw new FileSystemError('is-directory', name, 'Cannot create "/": it is a directory')
        const target = await resolveInside(root, name)
        await makeDirectories(await resolveInside(root, parentPath(name)))
        await writeFile(target, { root, path: name }, source, create).catch(async error => {
          if (errnoOf(error) === 'EEXIST' && (await lstat(target)).isDirectory()) throw withErrno('EISDIR', error)
          throw error
        })
      }),
    append: (path, source, { signal } = {}) =>
      guard('append to', path, async () => {
        const name = parsePath(path)
        throwIfAborted(signal, name)
        const target = await resolveInside(root, name)
        await append(target, { root, path: name }, source, signal).catch(notFoundBelowFile)
      }),
  }
}
