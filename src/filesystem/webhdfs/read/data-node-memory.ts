import { parentPath } from '../../path.ts'
import { createRecent } from '../../recent.ts'
import { decodePath, encodePath, restPrefix } from '../transport/url.ts'

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

/** After this many reads or ms, the name node chooses again, which lets it balance the load. */
const readsOfOne = 128
const maxAgeMs = 10_000

/** An address without the path of the file and without what is wanted of it. */
type Known = { readonly origin: string; readonly query: string; reads: number }

/** Makes the memory of one cluster, for one identity. By directory: behind a router others may be of other clusters. */
export const createDataNodeMemory = (nowMs: () => number = () => performance.now()): DataNodeMemory => {
  const recent = createRecent<Known>(maxAgeMs, nowMs)
  return {
    add: (path, location) => {
      if (!isOfDataNode(location, path)) return
      recent.add(parentPath(path), { origin: location.origin, query: toQuery(location), reads: 0 })
    },
    find: (path, offset, length) => {
      const one = recent.find(parentPath(path))
      // One of them asks; the others continue until it has an answer.
      if (one === undefined || ++one.reads % readsOfOne === 0) return undefined
      const part = `${one.query}&offset=${offset}${length === undefined ? '' : `&length=${length}`}`
      return new URL(`${one.origin}${restPrefix}${encodePath(path)}?${part}`)
    },
    forget: path => recent.forget(parentPath(path)),
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
