/** Paths of a file system: absolute, `/`-separated, unescaped. Portable: no I/O, no `node:` import. */
import { compareUnits, toRank } from '../text/text-order.ts'
import { FileSystemError } from './filesystem.ts'

/** Longest name of one file or directory in UTF-8 bytes: the limit of HDFS and of common local file systems. */
const maxNameBytes = 255

/** Longest path in UTF-8 bytes: what `PATH_MAX` leaves below a root directory; HDFS takes more. */
export const maxPathBytes = 3_800

/**
 * The path in its one spelling: `//` and a trailing `/` go, `.` and `..` are resolved by the text alone. Everything
 * else stays: `%41`, `+`, backslashes and spaces are parts of names.
 * @throws FileSystemError `bad-path`: not absolute, leaves the root by `..`, NUL, a lone surrogate, or too long
 */
export const parsePath = (path: string): string => {
  if (!path.startsWith('/')) throw badPath(path, 'it does not start with "/"')
  if (path.includes('\0')) throw badPath(path, 'it has a NUL character')
  if (!path.isWellFormed()) throw badPath(path, 'it has a lone surrogate')
  if (isLonger(path, maxPathBytes)) {
    throw badPath(path, `it is longer than ${maxPathBytes} bytes`)
  }
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') {
      if (isLonger(name, maxNameBytes)) throw badPath(path, `a name in it is longer than ${maxNameBytes} bytes`)
      names.push(name)
    } else if (names.pop() === undefined) throw badPath(path, 'it leaves the root by ".."')
  }
  return `/${names.join('/')}`
}

/** Directory of a path as {@link parsePath} returns it; `/` is its own parent. */
export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

/** Last name of a path as {@link parsePath} returns it; empty for `/`. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * A name, or a relative path, below a directory.
 * @throws FileSystemError `bad-path`, as {@link parsePath}; also when `name` leads out of `directory`
 */
export const joinPath = (directory: string, name: string): string => {
  const base = parsePath(directory)
  const path = parsePath(`${base}/${name}`)
  if (!isInside(path, base)) throw badPath(`${base}/${name}`, `it leaves "${base}"`)
  return path
}

/**
 * As {@link joinPath} of a `directory` as {@link parsePath} returns it: for the many names of one listing, of which few
 * need more than a look.
 */
export const childPath = (directory: string, name: string): string =>
  isEntryName(name) && directory.length * 3 < maxPathBytes - maxNameBytes
    ? `${directory === '/' ? '' : directory}/${name}`
    : joinPath(directory, name)

/** Whether an entry of a directory can have this name, so that its path has it as it is. */
export const isEntryName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !name.includes('/') &&
  !name.includes('\0') &&
  name.isWellFormed() &&
  !isLonger(name, maxNameBytes)

/** Whether `path` is `directory` or lies below it; both as {@link parsePath} returns them. */
export const isInside = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`)

/**
 * The order of a listing: names by their UTF-8 bytes, each taken as signed, because that is how HDFS keeps a directory.
 * So characters beyond ASCII come before ASCII, and a listing can be continued after a name on every file system.
 */
export const compareNames = (left: string, right: string): number => compareUnits(left, right, rankOf)

/** ASCII is last. */
const rankOf = (unit: number): number => (unit < 0x80 ? unit + 0x2_0000 : toRank(unit))

/** How much of a refused path an error repeats, in UTF-16 units. */
const maxShownLength = 200

const badPath = (path: string, reason: string): FileSystemError => {
  const shown = path.length > maxShownLength ? `${path.slice(0, maxShownLength)}…` : path
  return new FileSystemError('bad-path', path, `Cannot use path ${JSON.stringify(shown)}: ${reason}`)
}

const encoder = new TextEncoder()

/** Whether UTF-8 needs more bytes: a UTF-16 unit takes one to three, so that few texts are encoded to be measured. */
const isLonger = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && encoder.encode(text).length > maxBytes)
