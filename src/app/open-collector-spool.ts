import type { Disk } from '../disk/disk.ts'
import { createSpool } from '../spool/create-spool.ts'
import { type OpenSpoolOptions, openSpool } from '../spool/open-spool.ts'
import type { BucketBounds } from '../spool/seal/bucket-bounds.ts'
import { poolSealings } from '../spool/seal/pool.ts'
import { createSealing } from '../spool/seal/sealing.ts'
import type { Spool } from '../spool/spool.ts'
import { openTableDesk } from '../spool/tables/table-desk.ts'

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
