import { hasCode } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import { isClaimed, listIfThere } from './claim.ts'

export type PutBackOptions = {
  readonly fileSystem: FileSystem
  readonly now: () => number
  /** How long a file has not changed that counts as closed. */
  readonly closedAfterMs: number
}

/** How often a step is tried whose outcome is not known. */
const maxTries = 3

/** Gives the sources in the directory of an owner their names again. Rejects with `FileSystemError`, and can be repeated. */
export const putBack = async (options: PutBackOptions, directory: string, path: string): Promise<void> => {
  const { fileSystem } = options
  for (const from of [`${path}/sources`, `${path}/again`])
    for (const file of await listIfThere(fileSystem, from)) {
      const { length, modificationTime } = file
      const name = baseName(file.path)
      for (let tries = 1; ; tries++) {
        const here = await findStatus(fileSystem, `${directory}/${name}`)
        if (here && isClaimed(here, { name, length, modificationTime })) {
          // One file under both names.
          await fileSystem.delete(file.path)
          break
        }
        const overwrite = here !== undefined && isPlaceholder(options, here)
        // Another file has the name by now: both are to be read.
        const free = here && !overwrite ? `compaction-${tries}-${name}` : name
        if (free !== name && (await findStatus(fileSystem, `${directory}/${free}`))) continue
        try {
          await directoriesOf(fileSystem).rename(file.path, `${directory}/${free}`, { overwrite })
        } catch (error) {
          if (!hasCode(error, 'exists', 'not-found', 'unavailable') || tries >= maxTries) throw error
          if (await findStatus(fileSystem, file.path)) continue
        }
        break
      }
    }
}

/** A local disk without hard links makes an empty file before the RENAME. A new one may be that of a program that is about to write. */
const isPlaceholder = ({ now, closedAfterMs }: PutBackOptions, { isDirectory, length, modificationTime }: FileStatus) =>
  !isDirectory && length === 0 && modificationTime <= now() - closedAfterMs
