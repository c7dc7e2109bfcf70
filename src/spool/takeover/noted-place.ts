import type { Disk } from '../../disk/disk.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { MountTable } from '../../filesystem/mounts.ts'
import { parentPath } from '../../filesystem/path.ts'
import { readDestination } from '../directory/destination.ts'
import type { CopyNote } from '../replica/copy-note.ts'
import { toLogDirectory } from '../replica/log-directory.ts'

/** What the settings of today lead to. */
export type NotedPlaces = Pick<MountTable, 'urlOf' | 'mountPoints'> & { readonly fileSystem: FileSystem }

/**
 * Where the copy of a note is: on the cluster that the spool's events went to.
 * @param disk of that spool
 * @returns `path`: undefined where no setting names that cluster; `place`: for people
 */
export const findNoted = async (
  disk: Pick<Disk, 'read'>,
  { directory }: Pick<CopyNote, 'directory'>,
  { urlOf, mountPoints }: Omit<NotedPlaces, 'fileSystem'>,
): Promise<{ readonly path: string | undefined; readonly place: string }> => {
  const before = await readDestination(disk)
  const isOfNote = before && toLogDirectory(before.outputDirectory) === parentPath(directory)
  const url = isOfNote ? before.fileSystem : urlOf(directory)
  const place = `${url.replace(/\/$/, '')}${directory}`
  if (urlOf(directory) === url) return { path: directory, place }
  const mount =
    isOfNote && !before.isMounted ? mountPoints.find(point => point !== '/' && urlOf(point) === url) : undefined
  return { path: mount && `${mount}${directory}`, place }
}
