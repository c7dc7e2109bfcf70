import type { Settings } from '../config/table.ts'
import type { Disk } from '../disk/disk.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import type { Logger } from '../log/log.ts'
import { atMost } from '../runtime/at-most.ts'
import { createSpool } from '../spool/create-spool.ts'
import { type OpenSpoolOptions, openSpool } from '../spool/open-spool.ts'
import type { BucketBounds } from '../spool/seal/bucket-bounds.ts'
import { poolSealings } from '../spool/seal/pool.ts'
import { createSealing } from '../spool/seal/sealing.ts'
import type { Spool } from '../spool/spool.ts'
import { openTableDesk } from '../spool/tables/table-desk.ts'
import { landsByCatalog } from '../spool/to-spool-settings.ts'

export type CollectorSpoolOptions = OpenSpoolOptions & {
  readonly directory: string
  readonly prepare: (disk: Disk) => Promise<unknown>
  /** Of a test: all is done in this thread, and in memory. @default the disk of the machine */
  readonly disk?: Disk | undefined
  readonly bucketBounds?: BucketBounds | undefined
}

/** Opens the spool of a collector. */
export const openCollectorSpool = async (options: CollectorSpoolOptions): Promise<Spool> => {
  const { directory, disk, bucketBounds, fieldsOf, sealThreads = 1, prepare } = options
  const tables = openTableDesk(options)
  if (!disk) return await openSpool(directory, { ...options, tables })
  await prepare(disk)
  const sealing = poolSealings(sealThreads, () =>
    createSealing(disk, async name => fieldsOf?.(name), bucketBounds, tables.tableOf),
  )
  return await createSpool({ ...options, disk, tables, sealing })
}

/** How long a start waits for the word of a cluster. One that is away is asked again before the first file goes there. */
const patienceMs = 5_000

/** Where events go, and whether they are there once also where one file could replace another. */
type CheckedOutput = { readonly directory: string; readonly byCatalog: boolean }

export const toCheckedOutput = (
  settings: Parameters<typeof landsByCatalog>[0] & Pick<Settings, 'collector.event-output-directory'>,
): CheckedOutput => ({
  directory: settings['collector.event-output-directory'],
  byCatalog: landsByCatalog(settings),
})

/**
 * Tries whether files land once where events go.
 * @throws FileSystemError `unsupported`: they do not, which no later attempt changes; it says what to do
 */
export const refuseUnsafeOutput = async (
  { checkPublish }: Pick<MountTable, 'checkPublish'>,
  { directory, byCatalog }: CheckedOutput,
  log: Logger,
): Promise<void> => {
  try {
    await atMost(patienceMs, checkPublish?.(directory))
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error
    if (error.code === 'unsupported') {
      if (!byCatalog) throw error
      log.warn(
        { directory },
        'the store does not honour If-None-Match; tables of the catalog have each event once without it',
      )
      return
    }
    log.warn(
      { err: error },
      'the file system has not answered the check for safe renames; no file is sent until it does',
    )
  }
}
