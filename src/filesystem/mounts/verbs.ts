import { type FileSystem, FileSystemError } from '../filesystem.ts'
import { checkAction } from '../options.ts'
import { parsePath } from '../path.ts'
import { isMissing, type Routes } from './routes.ts'

type Verbs = Pick<
  FileSystem,
  | 'append'
  | 'setPermission'
  | 'setOwner'
  | 'setReplication'
  | 'setTimes'
  | 'getFileChecksum'
  | 'getFileBlockLocations'
  | 'getStatus'
  | 'getServerDefaults'
  | 'access'
>

/** The verbs that are asked of the one file system that serves their path. */
export const createVerbs = ({ at, isMount, namesBelow, refuseDirectory }: Routes): Verbs => {
  /** What is mounted has its bits from its own cluster, and what only leads there has none that could be changed. */
  const change = async <T>(
    action: string,
    text: string,
    call: (fileSystem: FileSystem, inner: string) => Promise<T>,
  ): Promise<T> => {
    const path = parsePath(text)
    if (isMount(path)) throw refusal(action, path)
    return await at(path, call).catch(error => {
      throw isMissing(error) && namesBelow(path).length > 0 ? refusal(action, path) : error
    })
  }
  /** Asks the file system as a whole where a directory is there only because it leads to a mount point. */
  const ask = async <T>(text: string, call: (fileSystem: FileSystem, inner: string) => Promise<T>): Promise<T> => {
    const path = parsePath(text)
    return await at(path, (fileSystem, inner) =>
      call(fileSystem, inner).catch(error => {
        if (isMissing(error) && namesBelow(path).length > 0) return call(fileSystem, '/')
        throw error
      }),
    )
  }

  return {
    append: async (text, source, options) => {
      const path = parsePath(text)
      refuseDirectory('append to', path)
      await at(path, (fileSystem, inner) => fileSystem.append(inner, source, options), options?.signal)
    },

    setPermission: (path, permission) =>
      change('set permission of', path, (fileSystem, inner) => fileSystem.setPermission(inner, permission)),
    setOwner: (path, owner) => change('set owner of', path, (fileSystem, inner) => fileSystem.setOwner(inner, owner)),
    setReplication: (path, replication) =>
      change('set replication of', path, (fileSystem, inner) => fileSystem.setReplication(inner, replication)),
    setTimes: (path, times) => change('set times of', path, (fileSystem, inner) => fileSystem.setTimes(inner, times)),

    getFileChecksum: async text => {
      const path = parsePath(text)
      refuseDirectory('get the checksum of', path)
      return await at(path, (fileSystem, inner) => fileSystem.getFileChecksum(inner))
    },
    getFileBlockLocations: async (text, offset, length) => {
      const path = parsePath(text)
      refuseDirectory('locate the blocks of', path)
      return await at(path, (fileSystem, inner) => fileSystem.getFileBlockLocations(inner, offset, length))
    },

    getStatus: path => ask(path, (fileSystem, inner) => fileSystem.getStatus(inner)),
    getServerDefaults: path => ask(path, (fileSystem, inner) => fileSystem.getServerDefaults(inner)),

    access: async (text, action) => {
      checkAction(action)
      const path = parsePath(text)
      await at(path, (fileSystem, inner) => fileSystem.access(inner, action)).catch(error => {
        if (!isMissing(error) || namesBelow(path).length === 0) throw error
        if (action & write) throw refusal('write to', path)
      })
    },
  }
}

/** Of an `FsAction`. */
const write = 2

const refusal = (action: string, path: string): FileSystemError =>
  new FileSystemError('denied', path, `Cannot ${action} "${path}": a cluster is mounted there`)
