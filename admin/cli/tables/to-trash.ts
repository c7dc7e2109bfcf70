import { randomUUID } from 'node:crypto'
import type { Settings } from '../../../src/config/table.ts'
import { toTrashMinutes } from '../../../src/config/trash.ts'
import { hasCode, refusal } from '../../../src/filesystem/cluster/steps.ts'
import { hadoopOf } from '../../../src/filesystem/facets.ts'
import { findStatus } from '../../../src/filesystem/find-status.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'
import { joinPath } from '../../../src/filesystem/path.ts'
import { toTrashPlace } from '../../../src/gateway/trash/trash-place.ts'
import { usageError } from '../command/failure.ts'

/** Where replaced files of a directory go; see `FinishOptions`. */
export type ToTrash = (directory: string, owner: string) => Promise<string | undefined>

/** Finds out whether there is a trash that is emptied. @throws CliError `usage` where files would be deleted that nobody said may be */
export const createToTrash = async (
  fileSystem: MountTable,
  path: string,
  { settings, isSkipped }: { readonly settings: Settings; readonly isSkipped: boolean },
): Promise<ToTrash> => {
  if (isSkipped) return async () => undefined
  if (toTrashMinutes(settings) === 0 && !(await emptiesItself(fileSystem, path)))
    throw usageError(
      `${fileSystem.urlOf(path)} has no trash for the files that are replaced.`,
      'Delete them for good with --skip-trash, or set gateway.trash.',
    )
  return async (directory, owner) => {
    const place = toTrashPlace(joinPath(directory, `compacted-${randomUUID()}`), fileSystem.mountOf(directory), {
      caller: { name: owner, has: () => true },
    })
    if (typeof place === 'string')
      throw refusal('denied', directory, 'compact files of', 'it is in a trash, or holds one')
    // Private to its owner, whatever the permissions of its contents.
    if (!(await findStatus(fileSystem, place.current)))
      await fileSystem.directories.mkdirs(place.current, { permission: 0o700 })
    return joinPath(place.directory, place.name)
  }
}

const emptiesItself = async (fileSystem: MountTable, path: string): Promise<boolean> => {
  try {
    return (await hadoopOf(fileSystem).getServerDefaults(path)).trashInterval > 0
  } catch (error) {
    if (hasCode(error, 'unsupported', 'denied', 'not-found')) return false
    throw error
  }
}
