import { hideDirectory } from '../../filesystem/hide-directory.ts'
import { createJournaled } from '../../filesystem/journal/journaled.ts'
import { toAliases } from '../../filesystem/mounts/aliases.ts'
import type { MountTable } from '../../filesystem/mounts.ts'
import { isWholeCopy } from './remote-names.ts'

/** Where collectors keep their logs in the file system: beside the event files. */
export const toLogDirectory = (outputDirectory: string): string =>
  `${outputDirectory === '/' ? '' : outputDirectory}/_log`

/** What all others see of the file system, whether or not a collector keeps a log there: all but these, by any mount. */
export const hideLogs = (fileSystem: MountTable, outputDirectory: string): MountTable =>
  toAliases(fileSystem, toLogDirectory(outputDirectory)).reduce(
    (shown, directory) => hideDirectory(shown, directory, 'the logs of collectors'),
    fileSystem,
  )

/** The directory with logs, one of them, or a file of that. An output directory may itself be below a `_log`. */
const logForm = /^(.*\/_log)(?:\/[\da-f]{32}(?:\.[\w-]+)?(?:\/[^/]+)?)?$/

/**
 * The file system as the spool sees it: in an object store, journals make logs behave as they do in HDFS.
 * @param gatherMs `collector.replicated.gather-ms`
 */
export const withLogs = (fileSystem: MountTable, gatherMs: () => number): MountTable =>
  createJournaled(fileSystem, {
    rootOf: path => {
      const [, root] = logForm.exec(path) ?? []
      return root !== undefined && fileSystem.urlOf(root).startsWith('s3:') ? root : undefined
    },
    gatherMs,
    isWhole: isWholeCopy,
  })
