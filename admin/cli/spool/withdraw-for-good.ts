import type { Disk } from '../../../src/disk/disk.ts'
import { type CopyPlaces, settleCopy } from '../../../src/spool/takeover/settle-copy.ts'
import { CliError } from '../command/failure.ts'

/**
 * Withdraws the copy in HDFS of a spool that is to be adopted: other collectors would take it over.
 * @throws CliError `taken` where one has
 */
export const withdrawForGood = async (
  disk: Disk,
  places: Omit<CopyPlaces, 'outputDirectory'>,
  log: Parameters<typeof settleCopy>[2],
): Promise<void> => {
  const id = await settleCopy(disk, { ...places, outputDirectory: undefined }, log)
  if (id === undefined) return
  throw new CliError(
    `Another collector has taken over the log of collector ${id} and brings its events to the file system. Nothing is left to adopt: its spool was set aside in ${disk.directory}/fenced/${id}`,
    { code: 'taken' },
  )
}
