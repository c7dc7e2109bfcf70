/** A collector whose events have ids, and which writes tables. */
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { eventIdBytes } from '../../../../src/spool/event-ids.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { openTestSpool, silent, startMs, testSettings } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const idOf = (number: number): Uint8Array => new Uint8Array(eventIdBytes).fill(number)
/** As a table has it. */
export const textOf = (number: number): string => Buffer.from(idOf(number)).toString('base64url')

/** A batch whose events have these ids; 0: none. */
export const withIds = (batch: Batch, ...ids: readonly number[]): Batch => ({
  ...batch,
  eventIds: Buffer.concat(ids.map(idOf)),
})

/** One of its own, on a file system that it shares with others. @returns what keeps events, and brings them into their tables */
export const openIdCollector = async (fileSystem: FileSystem, settings = { eventIdColumn: true }) => {
  const disk = createTearingDisk()
  const clock = { ms: startMs }
  const { outputDirectory } = testSettings
  const pause = async (): Promise<void> => {}
  const tables = createTableDesk({ fileSystem, outputDirectory, log: silent, now: () => clock.ms, pause })
  const sealing = createSealing(disk, undefined, {}, tables.tableOf)
  const ofTables = { outputFormat: 'parquet', outputLayout: 'iceberg', snapshotMs: 1_000, ...settings } as const
  const { spool, beat } = await openTestSpool({ disk, fileSystem, settings: ofTables, clock, tables, sealing })
  const keep = async (...batches: readonly Batch[]): Promise<void> => {
    for (const batch of batches) await spool.append(batch)
    clock.ms += 60_000
    await beat()
    await beat()
  }
  /** Values that did not fit their columns. */
  return Object.assign(keep, { misfits: () => spool.schemas.describe('Hello')?.misfits })
}
