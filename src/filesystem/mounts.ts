import type { FileStatus, FileSystem } from './filesystem.ts'
import { FileSystemError } from './filesystem.ts'
import { openFile } from './open-file.ts'
import { defaultDirectoryPermission } from './options.ts'
import { baseName, compareNames, isInside, parsePath } from './path.ts'

/** A file system at a place of the one name space: its root appears as `path`. */
export type MountedFileSystem = {
  /** As of `parsePath`, not `/`. */
  readonly path: string
  readonly fileSystem: FileSystem
}

/** One name space over several file systems. */
export type MountTable = FileSystem & {
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
export const createMountTable = (root: FileSystem, mounts: readonly MountedFileSystem[]): MountTable => {
  const all = [...mounts].sort((a, b) => b.path.length - a.path.length)
  const points = new Set(mounts.map(({ path }) => path))
  const toTarget = (path: string): Target => {
    const mount = all.find(one => isInside(path, one.path))
    if (!mount) return { mount: '/', fileSystem: root, inner: path }
    return { mount: mount.path, fileSystem: mount.fileSystem, inner: path.slice(mount.path.length) || '/' }
  }
  const problems = new Map<string, string>()
  /** An abort says nothing of the file system; every answer, a refusal too, says that it is there. */
  const note = (mount: string, error: unknown, signal: AbortSignal | undefined): void => {
    if (signal?.aborted) return
    if (error instanceof FileSystemError && error.code === 'unavailable') problems.set(mount, error.message)
    else problems.delete(mount)
  }
  /** Runs a call where a path lives; errors speak of the path that the caller knows. */
  const at = async <T>(
    path: string,
    call: (fileSystem: FileSystem, inner: string) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    const { mount, fileSystem, inner } = toTarget(path)
    try {
      const result = await call(fileSystem, inner)
      note(mount, undefined, signal)
      return result
    } catch (error) {
      note(mount, error, signal)
      throw toOuterError(error, mount)
    }
  }
  /** Names below a directory that are, or lead to, mount points. */
  const namesBelow = (path: string): readonly string[] => {
    const prefix = path === '/' ? '/' : `${path}/`
    const below = [...points].filter(point => point.startsWith(prefix))
    return [...new Set(below.map(point => point.slice(prefix.length).split('/')[0] ?? ''))].sort(compareNames)
  }
  const holdsMount = (path: string): boolean => points.has(path) || namesBelow(path).length > 0
  const refuseMount = (action: string, path: string): void => {
    if (!holdsMount(path)) return
    throw new FileSystemError('denied', path, `Cannot ${action} "${path}": a cluster is mounted there`)
  }
  const isDirectory = (action: string, path: string): FileSystemError =>
    new FileSystemError('is-directory', path, `Cannot ${action} "${path}": it is a directory`)
  const refuseDirectory = (action: string, path: string): void => {
    if (holdsMount(path)) throw isDirectory(action, path)
  }

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
        const read = () => Promise.reject(isDirectory('open', path))
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
            const outer = mount === '/' ? status.path : toOuterPath(mount, status.path)
            const name = baseName(outer)
            while (next !== undefined && compareNames(next, name) < 0) {
              merged.push(toMountStatus(toPath(next)))
              next = mounted.shift()
            }
            if (next === name) next = mounted.shift()
            // A mount point hides what the file system below it has there.
            merged.push(points.has(outer) ? toMountStatus(outer) : mount === '/' ? status : { ...status, path: outer })
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

    probe: () => root.probe(),
    close: async () => {
      await Promise.all([root, ...mounts.map(({ fileSystem }) => fileSystem)].map(one => one.close()))
    },
  }
}

type Target = { readonly mount: string; readonly fileSystem: FileSystem; readonly inner: string }

const isMissing = (error: unknown): boolean => error instanceof FileSystemError && error.code === 'not-found'

const toOuterPath = (mount: string, inner: string): string => (inner === '/' ? mount : `${mount}${inner}`)

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

/** The same refusal, about the path in the one name space. */
const toOuterError = (error: unknown, mount: string): unknown => {
  if (mount === '/' || !(error instanceof FileSystemError)) return error
  const path = error.path.startsWith('/') ? toOuterPath(mount, error.path) : error.path
  return new FileSystemError(error.code, path, error.message.replaceAll(`"${error.path}"`, `"${path}"`), {
    cause: error,
  })
}
