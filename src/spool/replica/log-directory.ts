import { hideDirectory } from '../../filesystem/hide-directory.ts'
import { toAliases } from '../../filesystem/mounts/aliases.ts'
import type { MountTable } from '../../filesystem/mounts.ts'

/** Where collectors keep their logs in the file system: beside the event files. */
export const toLogDirectory = (outputDirectory: string): string =>
  `${outputDirectory === '/' ? '' : outputDirectory}/_log`

/** What all others see of the file system, whether or not a collector keeps a log there: all but these, by any mount. */
export const hideLogs = (fileSystem: MountTable, outputDirectory: string): MountTable =>
  toAliases(fileSystem, toLogDirectory(outputDirectory)).reduce(
    (shown, directory) => hideDirectory(shown, directory, 'the logs of collectors'),
    fileSystem,
  )
