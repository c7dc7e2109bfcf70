import { parentPath } from '../path.ts'
import { decodePath, encodePath, restPrefix } from './url.ts'

/**
 * Where files of a directory were read from just now. A name node that is asked for a file's bytes looks its blocks up and
 * names a data node, which then asks it for the blocks once more. For many bytes that pays: the data node that is named has
 * them. For a few any data node does as well, and the name node, which serves the whole cluster, is asked for less.
 */
export type DataNodeMemory = {
  /** Keeps where the name node sent a reader. */
  add(path: string, location: URL): void
  /** Where to ask for bytes of this path; undefined when the name node is to say it. */
  find(path: string, offset: number, length: number | undefined): URL | undefined
  /** The data node did not do. */
  forget(path: string): void
}

/** Each so many reads, and after so many ms, the name node chooses anew: so the load goes where it wants it to go. */
const readsOfOne = 128
const maxAgeMs = 10_000
/** Directories that are known at a time. */
const maxDirectories = 256

/** An address without the path of the file and without what is wanted of it. */
type Known = { readonly origin: string; readonly query: string; readonly until: number; reads: number }

/** Makes the memory of one cluster, for one identity. By directory: behind a router others may be of other clusters. */
export const createDataNodeMemory = (nowMs: () => number = () => performance.now()): DataNodeMemory => {
  const known = new Map<string, Known>()
  return {
    add: (path, location) => {
      if (!isOfDataNode(location, path)) return
      const directory = parentPath(path)
      known.delete(directory)
      known.set(directory, { origin: location.origin, query: toQuery(location), until: nowMs() + maxAgeMs, reads: 0 })
      const [oldest] = known.keys()
      if (known.size > maxDirectories && oldest !== undefined) known.delete(oldest)
    },
    find: (path, offset, length) => {
      const one = known.get(parentPath(path))
      // One of them asks; the others go on until it has an answer.
      if (one === undefined || ++one.reads % readsOfOne === 0 || nowMs() > one.until) return undefined
      const part = `${one.query}&offset=${offset}${length === undefined ? '' : `&length=${length}`}`
      return new URL(`${one.origin}${restPrefix}${encodePath(path)}?${part}`)
    },
    forget: path => void known.delete(parentPath(path)),
  }
}

/** Not of a gateway in front, whose addresses mean one file. */
const isOfDataNode = ({ pathname, searchParams }: URL, path: string): boolean =>
  pathname.startsWith(restPrefix) &&
  decodePath(pathname.slice(restPrefix.length)) === path &&
  searchParams.has('namenoderpcaddress')

const toQuery = ({ search }: URL): string =>
  search
    .slice(1)
    .split('&')
    .filter(parameter => !/^(offset|length)=/.test(parameter))
    .join('&')
