import type { FileStatus, FileSystem } from './filesystem.ts'
import { FileSystemError } from './filesystem.ts'
import { createSummarizer } from './mounts/content-summary.ts'
import { createPassOn } from './mounts/pass-on.ts'
import {
  createRoutes,
  isDirectoryError,
  isMissing,
  type MountedFileSystem,
  toOuterError,
  toOuterPath,
} from './mounts/routes.ts'
import { createVerbs } from './mounts/verbs.ts'
import { openFile } from './open-file.ts'
import { defaultDirectoryPermission } from './options.ts'
import { baseName, compareNames, parsePath } from './path.ts'
import { createViews } from './views.ts'

/** One name space over several file systems. */
export type MountTable = FileSystem & {
  /** For the clusters among them; refused with `unsupported` where the path is of none. */
  readonly webHdfs: NonNullable<FileSystem['webHdfs']>
  /** All mount points, `/` first. */
  readonly mountPoints: readonly string[]
  /** The mount point that serves a path, `/` for the default file system. Never throws. */
  readonly mountOf: (path: string) => string
  /** The address of the file system that serves a path, for people. Never throws. */
  readonly urlOf: (path: string) => string
  /** Why the file system that serves a path did not answer the last call; empty when it did. Asks nobody. */
  readonly problemOf: (path: string) => string
}

/**
 * Routes each call to the file system whose mount point is the longest one above its path; everything else goes to
 * `root`. Only calls that touch a file system depend on it: one that is unavailable fails its own paths and no others, and a
 * listing shows mount points without asking what is behind them. Directories on the way to a mount point exist even
 * where `root` has none.
 */
export const createMountTable = (root: FileSystem, mounts: readonly MountedFileSystem[]): MountTable =>
  createOver(root, mounts, new Map())

/** @param problems why file systems did not answer; for all on whose behalf they are asked */
const createOver = (
  root: FileSystem,
  mounts: readonly MountedFileSystem[],
  problems: Map<string, string>,
): MountTable => {
  const routes = createRoutes(root, mounts, problems)
  const { toTarget, at, note, isMount, namesBelow, holdsMount, refuseMount, refuseDirectory } = routes

  const getFileStatus = async (text: string): Promise<FileStatus> => {
    const path = parsePath(text)
    try {
      const status = await at(path, (fileSystem, inner) => fileSystem.getFileStatus(inner))
      return { ...status, path }
    } catch (error) {
      if (isMissing(error) && namesBelow(path).length > 0) return toMountStatus(path)
      throw error
    }
  }

  return {
    url: root.url,
    mountPoints: ['/', ...mounts.map(({ path }) => path)],
    mountOf: text => toTarget(text.replace(/\/{2,}/g, '/')).mount,
    urlOf: text => toTarget(text.replace(/\/{2,}/g, '/')).fileSystem.url,
    problemOf: text => problems.get(toTarget(text.replace(/\/{2,}/g, '/')).mount) ?? '',
    getFileStatus,
    create: async (text, source, options) => {
      const path = parsePath(text)
      refuseDirectory('create', path)
      await at(path, (fileSystem, inner) => fileSystem.create(inner, source, options), options?.signal)
    },
    open: async (text, options) => {
      const path = parsePath(text)
      refuseDirectory('open', path)
      return await at(path, (fileSystem, inner) => fileSystem.open(inner, options), options?.signal)
    },

    openFile: async text => {
      const path = parsePath(text)
      if (holdsMount(path)) {
        const read = () => Promise.reject(isDirectoryError('open', path))
        return { status: await getFileStatus(path), read, close: () => {} }
      }
      const { status, read, close } = await at(path, (fileSystem, inner) => openFile(fileSystem, inner))
      return {
        status: { ...status, path },
        read: options => at(path, () => read(options), options?.signal),
        close,
      }
    },

    async *listStatus(text, options = {}) {
      const path = parsePath(text)
      const { mount, fileSystem, inner } = toTarget(path)
      const names = namesBelow(path)
      const { startAfter } = options
      const mounted = names.filter(name => startAfter === undefined || compareNames(name, startAfter) > 0)
      let next = mounted.shift()
      const toPath = (name: string): string => `${path === '/' ? '' : path}/${name}`
      try {
        for await (const part of fileSystem.listStatus(inner, options)) {
          // Behind the last mount point everything is as it is.
          if (mount === '/' && next === undefined) {
            yield part
            continue
          }
          const merged: FileStatus[] = []
          for (const status of part) {
            const outer = toOuterPath(mount, status.path)
            const name = baseName(outer)
            while (next !== undefined && compareNames(next, name) < 0) {
              merged.push(toMountStatus(toPath(next)))
              next = mounted.shift()
            }
            if (next === name) next = mounted.shift()
            // A mount point hides what the file system below it has there.
            merged.push(isMount(outer) ? toMountStatus(outer) : mount === '/' ? status : { ...status, path: outer })
          }
          yield merged
        }
        note(mount, undefined, options.signal)
      } catch (error) {
        note(mount, error, options.signal)
        if (!(isMissing(error) && names.length > 0)) throw toOuterError(error, mount)
      }
      if (next !== undefined) yield [next, ...mounted].map(name => toMountStatus(toPath(name)))
    },

    mkdirs: async (text, options) => {
      const path = parsePath(text)
      await at(path, (fileSystem, inner) => fileSystem.mkdirs(inner, options))
    },

    rename: async (source, target, options) => {
      const [from, to] = [parsePath(source), parsePath(target)]
      refuseMount('rename', from)
      refuseMount('replace', to)
      const other = toTarget(to)
      if (other.mount !== toTarget(from).mount) {
        const message = `Cannot rename "${from}" to "${to}": they are on different clusters`
        throw new FileSystemError('bad-path', to, message)
      }
      await at(from, (fileSystem, inner) => fileSystem.rename(inner, other.inner, options))
    },

    delete: async (text, options) => {
      const path = parsePath(text)
      if (path !== '/') refuseMount('delete', path)
      return await at(path, (fileSystem, inner) => fileSystem.delete(inner, options))
    },

    ...([root, ...mounts.map(({ fileSystem }) => fileSystem)].some(({ as }) => as) && {
      as: createViews(user => {
        const views = mounts.map(({ path, fileSystem }) => ({ path, fileSystem: fileSystem.as?.(user) ?? fileSystem }))
        return createOver(root.as?.(user) ?? root, views, problems)
      }),
    }),
    ...createVerbs(routes),
    getContentSummary: createSummarizer(routes),
    webHdfs: createPassOn(routes),

    probe: () => root.probe(),
    close: async () => {
      await Promise.all([root, ...mounts.map(({ fileSystem }) => fileSystem)].map(one => one.close()))
    },
  }
}

/** A directory that nobody is asked about. */
const toMountStatus = (path: string): FileStatus => ({
  path,
  isDirectory: true,
  length: 0,
  modificationTime: 0,
  owner: '',
  group: '',
  permission: defaultDirectoryPermission,
  replication: 0,
  blockSize: 0,
})
