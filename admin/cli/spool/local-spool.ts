import { clustersOf } from '../../../src/config/clusters.ts'
import type { Settings } from '../../../src/config/table.ts'
import type { Disk } from '../../../src/disk/disk.ts'
import { readCopyNote } from '../../../src/spool/replica/copy-note.ts'
import type { OfflineOptions, OfflineSpool } from '../../../src/spool/tool/offline.ts'

/** The disk of a spool, and who runs on it. */
export const openDisk = async (
  directory: string,
): Promise<{ readonly disk: Disk; readonly holder: string | undefined }> => {
  const [{ createNodeDisk }, { spoolHolder }] = await Promise.all([
    import('../../../src/disk/node-disk.ts'),
    import('../../../src/spool/tool/is-held.ts'),
  ])
  return { disk: createNodeDisk({ directory }), holder: spoolHolder(directory) }
}

/** A spool by the flags of a command. */
export type NamedSpool = {
  readonly directory: () => Promise<string>
  /** They lead to its copy in HDFS, where it has one. */
  readonly settings: () => Promise<Settings>
}

/**
 * Holds a spool that no server runs on for as long as the work takes; what it does is known to its copy in HDFS as well.
 * @throws SpoolLocked, NoSpool, LogTakenOver, CopyNotWithdrawn, CopyAway
 */
export const withOfflineSpool = async <T>(
  named: NamedSpool,
  work: (spool: OfflineSpool) => Promise<T>,
  options: { readonly create?: boolean } = {},
): Promise<T> => {
  const directory = await named.directory()
  const { disk } = await openDisk(directory)
  if (!(await readCopyNote(disk))) return await hold(directory, work, options)
  const settings = await named.settings()
  const [{ openOfflineCopy }, { withNameSpace }, { toSpoolSettings }, { silentLogger }, { withLogs }] =
    await Promise.all([
      import('../../../src/spool/manual/offline-copy.ts'),
      import('./name-space.ts'),
      import('../../../src/spool/to-spool-settings.ts'),
      import('../../../src/log/log.ts'),
      import('../../../src/spool/replica/log-directory.ts'),
    ])
  const { replicated } = toSpoolSettings(settings)
  return await withNameSpace(clustersOf(settings), async opened => {
    const fileSystem = withLogs(opened, () => settings['collector.replicated.gather-ms'])
    const { urlOf, mountPoints } = fileSystem
    const places = { fileSystem, urlOf, mountPoints }
    const copyOf = (held: Disk) => openOfflineCopy(held, { places, settings: replicated, log: silentLogger })
    return await hold(directory, work, { ...options, copyOf })
  })
}

const hold = async <T>(
  directory: string,
  work: (spool: OfflineSpool) => Promise<T>,
  options: OfflineOptions,
): Promise<T> => {
  const { openOffline } = await import('../../../src/spool/tool/offline.ts')
  const spool = await openOffline(directory, options)
  try {
    return await work(spool)
  } finally {
    await spool.close()
  }
}
