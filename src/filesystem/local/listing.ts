import { lstat as lookAtEntry } from 'node:fs'
import { sep } from 'node:path'
import { throwIfAborted } from '../abortable.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../filesystem.ts'
import { childPath } from '../path.ts'
import type { Accounts } from './accounts.ts'
import { guard, toLocalError } from './errors.ts'
import { toFileStatus } from './file-status.ts'
import { inOrder } from './in-order.ts'
import { type Look, lookAtAll, readEntryNames } from './list-directory.ts'
import { resolveInside } from './resolve.ts'

/** Lists directories below `root` in the order of names, and looks at what is in them. */
export const createLocalListing = (
  root: string,
  accounts: Accounts,
  getFileStatus: FileSystem['getFileStatus'],
): FileSystem['listStatus'] =>
  async function* (path, list = {}) {
    const status = await getFileStatus(path)
    if (!status.isDirectory) return yield [status]
    const directory = await guard('list', path, () => resolveInside(root, status.path))
    const look: Look<FileStatus> = (name, found) => {
      const entry = `${status.path === '/' ? '' : status.path}/${name}`
      // What vanished meanwhile, and links that lead out or nowhere, are left out.
      const fail = (error: unknown): void => found(isUnreachable(error) ? undefined : error)
      lookAtEntry(`${directory}${sep}${name}`, (error, stats) => {
        if (error) return fail(toLocalError(error, 'look at', entry))
        // The target of a link is looked up; nothing else of a directory inside the root leads out of it.
        if (stats.isSymbolicLink()) {
          getFileStatus(entry).then(file => found(undefined, { ...file, isLink: true }), fail)
          return
        }
        try {
          found(undefined, toFileStatus(childPath(status.path, name), stats, accounts))
        } catch (refusal) {
          fail(refusal)
        }
      })
    }
    const names = await guard('list', path, () => readEntryNames(directory, list.startAfter))
    for await (const part of lookAtAll(inOrder(names), look)) {
      throwIfAborted(list.signal, status.path)
      if (part.length > 0) yield part
    }
  }

const isUnreachable = (error: unknown): boolean =>
  error instanceof FileSystemError && (error.code === 'not-found' || error.code === 'bad-path')
