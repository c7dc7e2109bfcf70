import { fileURLToPath } from 'node:url'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import { TableError } from './table-error.ts'

/** Where a table is. */
export type TablePlace = {
  /** In the file system of this server; absolute. */
  readonly path: string
  /** How its metadata has it, for every reader: a URI, without a slash at its end. */
  readonly location: string
}

/**
 * The place of a table that is new: behind the URL of the file system that has it, unescaped as paths in a table are.
 * @param path absolute
 * @throws TableError no reader of another make finds it there
 */
export const placeTable = (
  fileSystem: Pick<FileSystem, 'url'> | Pick<MountTable, 'urlOf' | 'mountOf'>,
  path: string,
): TablePlace => {
  const [url, mount] =
    'mountOf' in fileSystem ? [fileSystem.urlOf(path), fileSystem.mountOf(path)] : [fileSystem.url, '/']
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(url))
    throw new TableError(path, `expected a URL of the file system, found "${url}"`)
  const root = url.startsWith('file:') ? `file://${fileURLToPath(url)}` : url
  const inner = mount === '/' ? path : path.slice(mount.length)
  return { path, location: `${root.replace(/(:\/\/[^/]*)?\/+$/, '$1')}${inner}` }
}

/** How the metadata has a file of the table. @param relative below the table */
export const toUri = ({ location }: TablePlace, relative: string): string => `${location}/${relative}`

/**
 * Where a file is that the metadata names: below the table, whatever the scheme and the host before it are called.
 * @throws TableError it is elsewhere
 */
export const toTablePath = ({ path, location }: TablePlace, uri: string): string => {
  const root = withoutAuthority(location)
  const place = withoutAuthority(uri)
  if (place.startsWith(`${root}/`) && !/(?:^|\/)\.\.?(?:\/|$)/.test(place)) return `${path}${place.slice(root.length)}`
  throw new TableError(location, `expected files of the table below it, found "${uri.slice(0, 1_000)}"`)
}

/** As {@link toTablePath}; a name that leads elsewhere as it is, which begins with no slash or is of another place. */
export const toPathOrUri = (place: TablePlace, uri: string): string => {
  try {
    return toTablePath(place, uri)
  } catch {
    return uri.startsWith('/') ? `file:${uri}` : uri
  }
}

/** What a URI has before its path, where it has that: programs write both `file:/a` and `file:///a`. */
export const originOf = (uri: string): string => {
  const [, scheme, authority = ''] = /^([a-z][a-z\d+.-]*):(?:\/\/([^/]*))?/i.exec(uri) ?? []
  return scheme === undefined ? '' : `${scheme}://${authority}`.toLowerCase()
}

/** The path of a URI, unescaped as paths in a table are. */
export const withoutAuthority = (uri: string): string => uri.replace(/^[a-z][a-z\d+.-]*:(?:\/\/[^/]*)?/i, '')
