import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import type { FileRecord } from '../files/bucket-file.ts'
import { unsealedName } from '../files/spool-paths.ts'
import type { Damage } from '../ledger/damage-list.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'
import { readSealedList, sealedListPath } from '../ledger/sealed-list.ts'
import { tableAway } from '../parquet/table-columns.ts'
import type { Replica } from '../replica/replica.ts'
import { segmentName, segmentPath } from '../segment/segment-files.ts'
import { removeLeftovers } from './leftovers.ts'
import type { PendingSegment } from './pending-segment.ts'
import { placeAgain } from './place-again.ts'
import { type SealResult, scanSegment, segmentGone } from './seal.ts'
import type { SealBeside } from './seal-beside.ts'

/** A segment that cannot be read after this many attempts is set aside, so that the next ones can be sealed. */
const maxAttempts = 5

/** The name of a segment that is copied back from HDFS, until it is complete. */
const broughtPath = 'segment.next'

export type SealSegmentOptions = {
  readonly disk: Disk
  readonly beside: Pick<SealBeside, 'seal'>
  /** What the ledger has: it may have forgotten that the segment was sealed, and know its files. */
  readonly state: Pick<LedgerState, 'files' | 'settled'>
  /** Of a spool that is in HDFS as well. */
  readonly replica?: Pick<Replica, 'readSegment'> | undefined
}

/**
 * Seals a segment, or finds that it cannot be sealed, which is damage.
 * @throws any error after which a retry may succeed
 */
export const createSealSegment = ({ disk, beside, state, replica }: SealSegmentOptions) => {
  const { files, settled } = state
  const find = (name: string): FileRecord | undefined => files.get(name)
  const isKnown = (name: string): boolean => files.has(name)

  /** No file comes back that was decided about for good. */
  const dropSettled = (result: SealResult): SealResult => {
    return { ...result, files: result.files.filter(({ name }) => !settled.has(name)) }
  }

  const sealWhole = async (next: PendingSegment): Promise<SealResult> => {
    const all = await beside.seal(next)
    const result = dropSettled(all)
    if (next.mayHaveLeftovers || result.files.length < all.files.length) {
      const made = new Set(result.files.map(({ name }) => name))
      await removeLeftovers(disk, next.segment.number, name => made.has(name) || isKnown(name))
    }
    await placeAgain(disk, result.files, find)
    return withLost(result, next)
  }

  const seal = async (next: PendingSegment): Promise<SealResult> => {
    const { number } = next.segment
    try {
      return await sealWhole(next)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === segmentGone) return await sealGone(next)
      if (isPassing(error) || isInFiles(next) || ++next.attempts < maxAttempts) throw error
      const file = unsealedName(number)
      // An attempt of which we did not hear may have left one: its files must not be sent beside a replay.
      await disk.unlink(sealedListPath(number))
      await disk.fsyncDir('lists')
      await removeLeftovers(disk, number, isKnown)
      await disk.rename(segmentPath(number), `_quarantine/${file}`)
      await disk.fsyncDir('_quarantine')
      const reason = `The segment could not be sealed: ${(error as Error).message}`
      return toDamage({ file, bytes: 0, events: next.events, reason })
    }
  }

  /** The file of a segment is not there: its copy in HDFS takes its place, where there is one. */
  const sealGone = async (next: PendingSegment): Promise<SealResult> => {
    const { segment, events, hasKnownKeys } = next
    const file = segmentName(segment.number)
    // Where the whole disk is unavailable its directory cannot be listed either, and a retry may succeed.
    if ((await disk.list('log')).some(({ name }) => name === file)) throw new Error(`${file} is there again`)
    // Of one that may have been sealed the files are in place, or come from `lists`.
    const bytes = segment.mayBeSealed ? undefined : await replica?.readSegment(segment.number)
    if (!bytes) return await toLost(next)
    const path = segmentPath(segment.number)
    await writeSynced(disk, broughtPath, bytes)
    await disk.rename(broughtPath, path)
    await disk.fsyncDir('log')
    if (hasKnownKeys) next.lostEvents = events - scanSegment(bytes, path).events
    return await sealWhole(next)
  }

  /** Waiting restores nothing. */
  const toLost = async ({ segment, events: lostEvents }: PendingSegment): Promise<SealResult> => {
    const file = segmentName(segment.number)
    if (!segment.mayBeSealed)
      return toDamage({ file, bytes: 0, events: lostEvents, reason: 'The file is gone', lost: true })
    if ((await readSealedList(disk, segment.number)).length > 0) return { files: [], keys: [], damage: [] }
    const reason = 'The file is gone; the damaged end of the ledger may have known that it was sealed'
    return toDamage({ file, bytes: 0, events: lostEvents, reason })
  }

  return seal
}

/** What the copy of a segment lacks is lost with its file; what cannot be read in it has its share. */
const withLost = (result: SealResult, { segment, lostEvents = 0 }: PendingSegment): SealResult => {
  if (lostEvents <= 0 || result.damage.some(({ withheld }) => withheld)) return result
  const reason = 'The file is gone, and its copy in HDFS has fewer events'
  const lost = { file: segmentName(segment.number), bytes: 0, events: lostEvents, reason, lost: true }
  return { ...result, damage: [...result.damage, lost] }
}

/** Set aside as a whole, it would be there a second time. */
const isInFiles = ({ output }: PendingSegment): boolean =>
  output?.first !== undefined && output.first.placed.length + output.first.due.length > 0

const toDamage = (piece: Damage): SealResult => ({ files: [], keys: [], damage: [piece] })

/** An error of the disk that is written to, or of a table, says nothing of the segment: that waits, however long it lasts. */
const isPassing = (error: unknown): boolean => {
  const { code = '' } = error as NodeJS.ErrnoException
  return code === tableAway || /^E[A-Z0-9]+$/.test(code)
}
