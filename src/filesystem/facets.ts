import type { Appends } from './appends.ts'
import { type Directories, type FileSystem, FileSystemError } from './filesystem.ts'
import type { FsServerDefaults, HadoopVerbs } from './hadoop-verbs.ts'
import { checkRange, checkReplication, defaultBlockSize } from './options.ts'
import { parsePath } from './path.ts'

/** The refusal of a verb that a file system does not have, in Hadoop's words. */
export const unsupportedBy = ({ url }: Pick<FileSystem, 'url'>, path: string, verb: string): FileSystemError => {
  const name = url.startsWith('file:') ? 'LocalFileSystem' : url
  return new FileSystemError('unsupported', path, `${name} doesn't support ${verb}`)
}

/** Directories of a file system; each verb rejects with `unsupported` if there are no directories. */
export const directoriesOf = (fileSystem: FileSystem): Directories => {
  const { directories } = fileSystem
  return (
    directories ?? {
      mkdirs: async path => refuse(fileSystem, path, 'mkdirs'),
      rename: async path => refuse(fileSystem, path, 'rename'),
    }
  )
}

/** Files of a file system that stay open; each verb rejects with `unsupported` where none can. */
export const appendsOf = (fileSystem: FileSystem): Appends => {
  const { appends } = fileSystem
  const refuseOpen = async (path: string): Promise<never> => refuse(fileSystem, path, 'files that stay open')
  return (
    appends ?? {
      create: refuseOpen,
      append: refuseOpen,
      truncate: refuseOpen,
      visibleLength: refuseOpen,
      recoverLease: refuseOpen,
      isClosed: refuseOpen,
    }
  )
}

/**
 * All of Hadoop's verbs of a file system. Those that it lacks are answered as by Hadoop's own local one, for which a file
 * is one block with one copy, or rejected with `unsupported`.
 */
export const hadoopOf = (fileSystem: FileSystem): HadoopVerbs => ({
  create: async path => refuse(fileSystem, path, 'create'),
  append: async path => refuse(fileSystem, path, 'append'),
  setPermission: async path => refuse(fileSystem, path, 'setPermission'),
  setOwner: async path => refuse(fileSystem, path, 'setOwner'),
  setTimes: async path => refuse(fileSystem, path, 'setTimes'),
  getContentSummary: async path => refuse(fileSystem, path, 'getContentSummary'),
  getStatus: async path => refuse(fileSystem, path, 'getStatus'),
  access: async path => refuse(fileSystem, path, 'access'),
  webHdfs: async ({ path, op }) => refuse(fileSystem, path, op),

  // A file has one copy whatever is asked for, and Hadoop's own says yes to that.
  setReplication: async (path, replication) => {
    checkReplication(replication)
    return !(await fileSystem.getFileStatus(path)).isDirectory
  },

  // Clusters compare their own kind of checksum only.
  getFileChecksum: async path => {
    await fileSystem.getFileStatus(path)
    return refuse(fileSystem, path, 'getFileChecksum')
  },

  getFileBlockLocations: async (path, offset, length) => {
    checkRange({ offset, length })
    const status = await fileSystem.getFileStatus(path)
    if (status.isDirectory) {
      const message = `Cannot locate the blocks of "${path}": it is a directory`
      throw new FileSystemError('is-directory', status.path, message)
    }
    // The whole file is one block, which is returned whole, as by a cluster; its name is that of Hadoop's own.
    const isTouched = length > 0 && offset < status.length
    return isTouched ? [{ offset: 0, length: status.length, hosts: ['localhost'], names: ['localhost:9866'] }] : []
  },

  getServerDefaults: async path => {
    parsePath(path)
    return serverDefaults
  },

  ...fileSystem.hadoop,
})

const serverDefaults: FsServerDefaults = {
  blockSize: defaultBlockSize,
  replication: 1,
  bytesPerChecksum: 512,
  writePacketSize: 64 * 1024,
  fileBufferSize: 4 * 1024,
  encryptDataTransfer: false,
  trashInterval: 0,
  checksumType: 2,
}

const refuse = (fileSystem: FileSystem, path: string, verb: string): never => {
  throw unsupportedBy(fileSystem, parsePath(path), verb)
}

/** Calls one verb of a facet, of the same file system or of another one with the same facet. */
export type CallVerb<Facet> = (facet: Facet, args: readonly unknown[]) => Promise<unknown>

/**
 * The same facet with something around each of its verbs, whichever it has: the one way in which a file system over others
 * passes a facet on.
 */
export const wrapFacet = <Facet extends object>(
  facet: Facet,
  around: (verb: string, args: readonly unknown[], call: CallVerb<Facet>) => Promise<unknown>,
): Facet =>
  new Proxy(facet, {
    get: (target, verb) => {
      const own: unknown = Reflect.get(target, verb)
      if (typeof own !== 'function' || typeof verb !== 'string') return own
      const call: CallVerb<Facet> = async (other, args) => {
        const found: unknown = Reflect.get(other, verb)
        if (typeof found === 'function') return await Reflect.apply(found, other, args)
        throw new TypeError(`A facet has no verb ${verb}`)
      }
      return (...args: readonly unknown[]) => around(verb, args, call)
    },
  })
