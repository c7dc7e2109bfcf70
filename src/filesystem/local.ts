// node:fs
import { lstat as lookAtEntry, type Stats } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { throwIfAborted } from './abortable.ts'
import { type FileStatus, type FileSystem, FileSystemError } from './filesystem.ts'
import { createAppender } from './local/append-file.ts'
import { createAttributes } from './local/attributes.ts'
import { makeDirectories, makeRoot, moveReplacing, moveWithoutReplacing, remove } from './local/durable.ts'
import { errnoOf, guard, notFoundBelowFile, toLocalError, withErrno } from './local/errors.ts'
import { blockSize, createFacts } from './local/facts.ts'
import { inOrder } from './local/in-order.ts'
import { type Look, lookAtAll, readNames } from './local/list-directory.ts'
import { canLookAgain } from './local/open-inside.ts'
import { type Opened, openForReading, readFile } from './local/read-file.ts'
import { resolveEntry, resolveInside } from './local/resolve.ts'
import { writeFile } from './local/write-file.ts'
import { checkPermission, defaultDirectoryPermission } from './options.ts'
import { baseName, childPath, isInside, parentPath, parsePath } from './path.ts'
import { createRecent } from './recent.ts'

export type LocalOptions = {
  /** Directory that holds everything; created where it is missing. */
  readonly root: string
}

/** How long it is believed where a directory lies, in ms: files are mostly read of few, and each look goes through all above. */
const maxPlaceAgeMs = 1_000

/**
 * A file system in a directory of this machine, for a server without a cluster. What it reports as done is on the disk.
 * Symbolic links are followed within the root only, and what is read and written is looked at once more when it is open.
 * Programs that change links below the root while the server works there can still mislead the other calls.
 * @throws FileSystemError when the root can neither be found nor created
 */
export const createLocalFileSystem = async (options: LocalOptions): Promise<FileSystem> => {
  const root = await guard('use', options.root, async () => {
    await makeRoot(resolve(options.root))
    return await realpath(options.root)
  })
  const owners = createOwners()
  const append = createAppender()

  const getFileStatus = (path: string): Promise<FileStatus> =>
    guard('look at', path, async () => {
      const name = parsePath(path)
      return toFileStatus(name, await stat(await resolveInside(root, name)).catch(notFoundBelowFile), owners)
    })

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
    url: pathToFileURL(root).href,

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
          status: toFileStatus(name, opened.stats, owners),
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

    getFileStatus,

    async *listStatus(path, list = {}) {
      const status = await getFileStatus(path)
      if (!status.isDirectory) return yield [status]
      const directory = await guard('list', path, () => resolveInside(root, status.path))
      const look: Look<FileStatus> = (name, found) => {
        const entry = `${status.path === '/' ? '' : status.path}/${name}`
        // What vanished meanwhile, and links that lead out or nowhere, are left out.
        const fail = (error: unknown): void => found(isUnreachable(error) ? undefined : error)
        lookAtEntry(`${directory}${sep}${name}`, (error, stats) => {
          if (error) return fail(toLocalError(error, 'look at', entry))
          // Where a link leads is looked for; nothing else of a directory inside the root leads out of it.
          if (stats.isSymbolicLink()) {
            getFileStatus(entry).then(file => found(undefined, file), fail)
            return
          }
          try {
            found(undefined, toFileStatus(childPath(status.path, name), stats, owners))
          } catch (refusal) {
            fail(refusal)
          }
        })
      }
      const names = await guard('list', path, () => readNames(directory, list.startAfter))
      for await (const part of lookAtAll(inOrder(names), look)) {
        throwIfAborted(list.signal, status.path)
        if (part.length > 0) yield part
      }
    },

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

    delete: (path, { recursive = false } = {}) =>
      guard('delete', path, async () => {
        const name = parsePath(path)
        if (name === '/') throw new FileSystemError('bad-path', name, 'Cannot delete "/"')
        try {
          await remove(await resolveEntry(root, name), recursive)
          return true
        } catch (error) {
          if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) return false
          throw error
        }
      }),

    append: (path, source, { signal } = {}) =>
      guard('append to', path, async () => {
        const name = parsePath(path)
        throwIfAborted(signal, name)
        const target = await resolveInside(root, name)
        await append(target, { root, path: name }, source, signal).catch(notFoundBelowFile)
      }),

    ...createAttributes(root),
    ...createFacts(root),

    probe: () =>
      guard('reach', '/', async () => {
        await stat(root).catch(error => {
          throw new FileSystemError('unavailable', '/', 'The root directory does not exist', { cause: error })
        })
      }),

    async close() {},
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof FileSystemError && (error.code === 'not-found' || error.code === 'bad-path')

type Owners = { readonly nameOf: (uid: number) => string }

/** Only the own user's name is known without a look-up in a data base of users; others keep their number. */
const createOwners = (): Owners => {
  const own = findUser()
  return { nameOf: other => (other === own?.uid ? own.username : String(other)) }
}

/** In a container the user may be a number that has no name. */
const findUser = () => {
  try {
    return userInfo()
  } catch {
    return undefined
  }
}

const toFileStatus = (path: string, stats: Stats, owners: Owners): FileStatus => {
  const isDirectory = stats.isDirectory()
  const status = {
    path,
    isDirectory,
    length: isDirectory ? 0 : stats.size,
    modificationTime: Math.trunc(stats.mtimeMs),
    accessTime: Math.trunc(stats.atimeMs),
    owner: owners.nameOf(stats.uid),
    group: String(stats.gid),
    permission: stats.mode & 0o1777,
    replication: isDirectory ? 0 : 1,
    blockSize: isDirectory ? 0 : blockSize,
  }
  return isDirectory || stats.isFile() ? status : { ...status, isSpecial: true }
}
