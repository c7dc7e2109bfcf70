import type { Disk } from '../../disk/disk.ts'
import { isDiskFull } from '../../disk/is-disk-full.ts'
import type { Logger } from '../../log/log.ts'
import { createDestinationKeeper, type Destination, toPlace } from './destination.ts'

/**
 * Makes what notes in the spool where its events go, and says when that has changed: at once, and whenever it is called.
 * @param current where they go by the settings
 */
export const createDestinationNote = async (
  disk: Disk,
  current: () => Destination,
  log: Logger,
): Promise<() => Promise<void>> => {
  const keep = createDestinationKeeper(disk, current)
  const note = async (): Promise<void> => {
    const before = await keep()
    if (before)
      log.warn({ before: toPlace(before) }, 'by the settings, the events of the spool now go to another place')
  }
  await note().catch(error => {
    // Each heartbeat retries it.
    if (!isDiskFull(error)) throw error
  })
  return note
}
