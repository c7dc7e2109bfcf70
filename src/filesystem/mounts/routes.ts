import { type FileSystem, FileSystemError } from '../filesystem.ts'
import { compareNames, isInside, parentPath } from '../path.ts'

/** A file system at a place of the one name space: its root appears as `path`. */
export type MountedFileSystem = {
  /** As of `parsePath`, not `/`. */
  readonly path: string
  readonly fileSystem: FileSystem
}

/** Who serves a path, and what it is called there. */
export type Target = { readonly mount: string; readonly fileSystem: FileSystem; readonly inner: string }

/** Which file system serves which path. Paths are as `parsePath` returns them. */
export type MountRoutes = {
  readonly toTarget: (path: string) => Target
  /** Runs a call where a path lives; errors speak of the path that the caller knows. */
  readonly at: <T>(
    path: string,
    call: (fileSystem: FileSystem, inner: string, mount: string) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>
  /** Remembers whether the file system of a mount point answered. */
  readonly note: (mount: string, error: unknown, signal: AbortSignal | undefined) => void
  readonly isMount: (path: string) => boolean
  /** Mount points below a path. */
  readonly mountsBelow: (path: string) => readonly string[]
  /** Names in a directory that are, or lead to, mount points. */
  readonly namesBelow: (path: string) => readonly string[]
  /** Whether a path is, or leads to, a mount point. */
  readonly holdsMount: (path: string) => boolean
  readonly refuseMount: (action: string, path: string) => void
  readonly refuseDirectory: (action: string, path: string) => void
}

/** @param problems takes why a file system did not answer, the last time, by its mount point */
export const createMountRoutes = (
  root: FileSystem,
  mounts: readonly MountedFileSystem[],
  problems: Map<string, string>,
): MountRoutes => {
  const all = [...mounts].sort((a, b) => b.path.length - a.path.length)
  const points = new Set(mounts.map(({ path }) => path))

  const toTarget = (path: string): Target => {
    const mount = all.find(one => isInside(path, one.path))
    if (!mount) return { mount: '/', fileSystem: root, inner: path }
    return { mount: mount.path, fileSystem: mount.fileSystem, inner: path.slice(mount.path.length) || '/' }
  }
  /** An abort says nothing of the file system; every answer, a refusal too, says that it is there. */
  const note: MountRoutes['note'] = (mount, error, signal) => {
    if (signal?.aborted) return
    if (error instanceof FileSystemError && error.code === 'unavailable') problems.set(mount, error.message)
    else problems.delete(mount)
  }
  const mountsBelow = (path: string): readonly string[] =>
    [...points].filter(point => point !== path && isInside(point, path))
  const namesBelow = (path: string): readonly string[] => {
    const prefix = path === '/' ? '/' : `${path}/`
    const names = mountsBelow(path).map(point => point.slice(prefix.length).split('/')[0] ?? '')
    return [...new Set(names)].sort(compareNames)
  }
  const holdsMount = (path: string): boolean => points.has(path) || mountsBelow(path).length > 0

  return {
    toTarget,
    at: async (path, call, signal) => {
      const { mount, fileSystem, inner } = toTarget(path)
      try {
        const result = await call(fileSystem, inner, mount)
        note(mount, undefined, signal)
        return result
      } catch (error) {
        note(mount, error, signal)
        throw toOuterError(error, mount)
      }
    },
    note,
    isMount: path => points.has(path),
    mountsBelow,
    namesBelow,
    holdsMount,
    refuseMount: (action, path) => {
      if (!holdsMount(path)) return
      throw new FileSystemError('denied', path, `Cannot ${action} "${path}": a cluster is mounted there`)
    },
    refuseDirectory: (action, path) => {
      if (holdsMount(path)) throw isDirectoryError(action, path)
    },
  }
}

/** The path in the one name space of what a mounted file system calls `inner`. */
export const toOuterPath = (mount: string, inner: string): string => {
  if (mount === '/') return inner
  return inner === '/' ? mount : `${mount}${inner}`
}

/** The same refusal, about the path in the one name space; so are directories above it of which it speaks. */
export const toOuterError = (error: unknown, mount: string): unknown => {
  if (mount === '/' || !(error instanceof FileSystemError)) return error
  const { code, path } = error
  if (!path.startsWith('/')) return new FileSystemError(code, path, error.message, { cause: error })
  const named = new RegExp(`"(${[path, ...directoriesAbove(path)].map(toPattern).join('|')})"`, 'g')
  const message = error.message.replaceAll(named, (_, inner: string) => `"${toOuterPath(mount, inner)}"`)
  return new FileSystemError(code, toOuterPath(mount, path), message, { cause: error })
}

const toPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const directoriesAbove = (path: string): readonly string[] =>
  path === '/' ? [] : [parentPath(path), ...directoriesAbove(parentPath(path))]

export const isDirectoryError = (action: string, path: string): FileSystemError =>
  new FileSystemError('is-directory', path, `Cannot ${action} "${path}": it is a directory`)

export const isMissing = (error: unknown): boolean => error instanceof FileSystemError && error.code === 'not-found'
