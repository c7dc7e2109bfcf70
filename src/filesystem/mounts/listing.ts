import type { FileStatus, FileSystem } from '../filesystem.ts'
import { toDirectoryStatus } from '../find-status.ts'
import { baseName, compareNames, parsePath } from '../path.ts'
import { isMissing, type MountRoutes, toOuterError, toOuterPath } from './routes.ts'

/** Lists directories: what the file system of a path has there, with the mount points among it, in order. */
export const createMountListing = ({ toTarget, note, isMount, namesBelow }: MountRoutes): FileSystem['listStatus'] =>
  async function* (text, options = {}) {
    const path = parsePath(text)
    const { mount, fileSystem, inner } = toTarget(path)
    const names = namesBelow(path)
    const { startAfter } = options
    const mounted = names.filter(name => startAfter === undefined || compareNames(name, startAfter) > 0)
    let next = mounted.shift()
    const toPath = (name: string): string => `${path === '/' ? '' : path}/${name}`
    try {
      for await (const part of fileSystem.listStatus(inner, options)) {
        if (mount === '/' && names.length === 0) {
          yield part
          continue
        }
        const merged: FileStatus[] = []
        for (const status of part) {
          const outer = toOuterPath(mount, status.path)
          const name = baseName(outer)
          while (next !== undefined && compareNames(next, name) < 0) {
            merged.push(toDirectoryStatus(toPath(next)))
            next = mounted.shift()
          }
          // An object store orders names otherwise, so that it may give a name after the mount point of that name.
          if (name !== next && names.includes(name)) continue
          if (next === name) next = mounted.shift()
          // A mount point hides what the file system below it has there.
          merged.push(isMount(outer) ? toDirectoryStatus(outer) : mount === '/' ? status : { ...status, path: outer })
        }
        if (merged.length > 0) yield merged
      }
      note(mount, undefined, options.signal)
    } catch (error) {
      note(mount, error, options.signal)
      if (!(isMissing(error) && names.length > 0)) throw toOuterError(error, mount)
    }
    if (next !== undefined) yield [next, ...mounted].map(name => toDirectoryStatus(toPath(name)))
  }
