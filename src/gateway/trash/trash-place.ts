/**
 * Where deleted files go, as Hadoop has it: `/user/<user>/.Trash/Current/<path>`. Each mount has a trash of its own, below
 * its mount point, since nothing is moved between clusters; paths in it begin at the mount point, too.
 */
import { baseName, isInside, joinPath, parentPath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'

/** The mount point that serves a path; `/` for the default cluster. */
export type MountOf = (path: string) => string

/** What happens to a deleted path: where it goes, or why it cannot go there. */
export type TrashPlace =
  | { readonly current: string; readonly directory: string; readonly name: string }
  /** It is in a trash already, its own or that of another. */
  | 'in-trash'
  | 'holds-trash'

/** The directory of all homes of a mount. */
export const toUsers = (mount: string): string => joinPath(mount, 'user')

/** A caller's own directory. */
export const toHome = (mount: string, { caller }: Pick<Call, 'caller'>): string =>
  joinPath(toUsers(mount), caller?.name ?? 'anonymous')

/** The trash of a home. */
export const toTrash = (home: string): string => `${home}/.Trash`

/** What has been deleted since the last checkpoint. */
export const toCurrent = (trash: string): string => `${trash}/Current`

/** Where a path goes that a caller deletes. */
export const toTrashPlace = (path: string, mount: string, call: Pick<Call, 'caller'>): TrashPlace => {
  const users = toUsers(mount)
  const trash = toTrash(toHome(mount, call))
  if (isInside(trash, path)) return 'holds-trash'
  if (isInside(path, trash) || (isInside(path, users) && path.slice(users.length).split('/')[2] === '.Trash')) {
    return 'in-trash'
  }
  const directory = parentPath(path).slice(mount === '/' ? 0 : mount.length)
  const current = toCurrent(trash)
  return { current, directory: joinPath(current, directory || '/'), name: baseName(path) }
}
