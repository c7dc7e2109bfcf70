import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { throwIfAborted } from '../abortable.ts'
import type { FileSystem } from '../filesystem.ts'
import { baseName, parentPath, parsePath } from '../path.ts'
import { createRecent } from '../recent.ts'
import type { Accounts } from './accounts.ts'
import { guard, notFoundBelowFile } from './errors.ts'
import { toFileStatus } from './file-status.ts'
import { canLookAgain } from './open-inside.ts'
import { type Opened, openForReading, readFile } from './read-file.ts'
import { resolveInside } from './resolve.ts'

/** How long it is believed where a directory lies, in ms: files are mostly read of few, and each look goes through all above. */
const maxPlaceAgeMs = 1_000

/** Looks at files below `root` and opens them. */
export const createLocalReading = (
  root: string,
  accounts: Accounts,
): Required<Pick<FileSystem, 'getFileStatus' | 'open' | 'openFile'>> => {
  const places = createRecent<Promise<string>>(maxPlaceAgeMs)

  const openName = async (name: string): Promise<Opened> => {
    const inside = { root, path: name }
    const directory = parentPath(name)
    if (canLookAgain) {
      try {
        const place = places.find(directory) ?? places.add(directory, resolveInside(root, directory))
        return await openForReading(join(await place, baseName(name)), inside)
      } catch {
        // A link, or anything that is not there any more: a whole look at it says what is right.
        places.forget(directory)
      }
    }
    return await openForReading(await resolveInside(root, name), inside).catch(notFoundBelowFile)
  }

  return {
    getFileStatus: path =>
      guard('look at', path, async () => {
        const name = parsePath(path)
        return toFileStatus(name, await stat(await resolveInside(root, name)).catch(notFoundBelowFile), accounts)
      }),

    open: (path, open = {}) =>
      guard('open', path, async () => {
        const name = parsePath(path)
        throwIfAborted(open.signal, name)
        return await readFile(await openName(name), name, open)
      }),

    openFile: path =>
      guard('open', path, async () => {
        const name = parsePath(path)
        const opened = await openName(name)
        let isOpen = true
        return {
          status: toFileStatus(name, opened.stats, accounts),
          read: (options = {}) => {
            isOpen = false
            return guard('open', path, () => readFile(opened, name, options))
          },
          close: () => {
            if (isOpen) opened.file.close().catch(() => {})
            isOpen = false
          },
        }
      }),
  }
}
