import type { Disk } from '../../../src/disk/disk.ts'
import type { OfflineSpool } from '../../../src/spool/tool/offline.ts'

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

/** Holds a spool that no server runs on for as long as the work takes. @throws SpoolLocked, NoSpool */
export const withOfflineSpool = async <T>(
  directory: string,
  work: (spool: OfflineSpool) => Promise<T>,
  options: { readonly create?: boolean } = {},
): Promise<T> => {
  const { openOffline } = await import('../../../src/spool/tool/offline.ts')
  const spool = await openOffline(directory, options)
  try {
    return await work(spool)
  } finally {
    await spool.close()
  }
}
