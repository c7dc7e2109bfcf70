import { hadoopOf, wrapFacet } from '../facets.ts'
import { type FileSystem, FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { checkAction } from '../options.ts'
import { parsePath } from '../path.ts'
import { isMissing, type MountRoutes } from './routes.ts'

/** Asks the file system of a path, by the path that it has there. */
type Ask = (fileSystem: FileSystem, inner: string) => Promise<unknown>
type Way = (path: string, ask: Ask, signal: AbortSignal | undefined) => Promise<unknown>

/** The verbs that are asked of the one file system that serves their path. */
type Verbs = Omit<HadoopVerbs, 'getContentSummary' | 'webHdfs'>

/** Makes them. */
export const createVerbs = (root: FileSystem, { at, isMount, namesBelow, refuseDirectory }: MountRoutes): Verbs => {
  const leadsToMount = (error: unknown, path: string): boolean => isMissing(error) && namesBelow(path).length > 0

  /**
   * A mount point has the permissions of its own cluster; directories that only lead to one have no permissions to
   * change.
   */
  const change =
    (action: string): Way =>
    async (path, ask) => {
      if (isMount(path)) throw refusal(action, path)
      return await at(path, ask).catch(error => {
        throw leadsToMount(error, path) ? refusal(action, path) : error
      })
    }
  const ofFile =
    (action: string): Way =>
    async (path, ask, signal) => {
      refuseDirectory(action, path)
      return await at(path, ask, signal)
    }
  /** Asks the file system as a whole where a directory is there only because it leads to a mount point. */
  const ofWhole: Way = async (path, ask) =>
    await at(path, (fileSystem, inner) =>
      ask(fileSystem, inner).catch(error => {
        if (leadsToMount(error, path)) return ask(fileSystem, '/')
        throw error
      }),
    )

  const ways: Readonly<Record<Exclude<keyof Verbs, 'access'>, Way>> = {
    create: ofFile('create'),
    append: ofFile('append to'),
    setPermission: change('set permission of'),
    setOwner: change('set owner of'),
    setReplication: change('set replication of'),
    setTimes: change('set times of'),
    getFileChecksum: ofFile('get the checksum of'),
    getFileBlockLocations: ofFile('locate the blocks of'),
    getStatus: ofWhole,
    getServerDefaults: ofWhole,
  }
  const wayOf = new Map<string, Way>(Object.entries(ways))
  const routed = wrapFacet<Verbs>(hadoopOf(root), async (verb, [path, ...rest], call) => {
    const way = wayOf.get(verb)
    if (way === undefined) throw new TypeError(`The one name space has no way for ${verb}`)
    const ask: Ask = (fileSystem, inner) => call(hadoopOf(fileSystem), [inner, ...rest])
    return await way(parsePath(String(path)), ask, signalOf(rest))
  })

  return {
    ...routed,
    access: async (text, action) => {
      checkAction(action)
      const path = parsePath(text)
      await at(path, (fileSystem, inner) => hadoopOf(fileSystem).access(inner, action)).catch(error => {
        if (!leadsToMount(error, path)) throw error
        if (action & write) throw refusal('write to', path)
      })
    },
  }
}

/** Options are the last of what a verb is given. */
const signalOf = (args: readonly unknown[]): AbortSignal | undefined => {
  const options = args.at(-1)
  const signal = typeof options === 'object' && options !== null && 'signal' in options ? options.signal : undefined
  return signal instanceof AbortSignal ? signal : undefined
}

/** Of an `FsAction`. */
const write = 2

const refusal = (action: string, path: string): FileSystemError =>
  new FileSystemError('denied', path, `Cannot ${action} "${path}": a cluster is mounted there`)
