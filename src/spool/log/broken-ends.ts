import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { segmentPath } from '../segment/segment-files.ts'

/** Where segments end that a failed write broke: the ledger has to know before anything new is taken. */
export type BrokenEnds = {
  /** The end is safe when this resolves: noted, or the segment cut to it. @throws Error when neither can be done */
  add(segment: number, end: number): Promise<void>
  /** Notes in the ledger what could not be noted before. @throws Error when that fails again */
  note(): Promise<void>
}

export const createBrokenEnds = (disk: Disk, ledger: Ledger, log: Logger): BrokenEnds => {
  const unnoted = new Map<number, number>()

  const note = async (): Promise<void> => {
    for (const [segment, end] of unnoted) {
      await ledger.append({ type: 'end', segment, end })
      unnoted.delete(segment)
    }
  }

  /** Where the ledger takes nothing, on a full disk for example: then the segment itself must not hold more. */
  const cutOff = async (segment: number, end: number): Promise<void> => {
    try {
      await disk.truncate(segmentPath(segment), end)
    } catch (error) {
      log.error({ segment, end, err: error }, 'a failed write could not be truncated; its requests get no response')
      throw error
    }
  }

  return {
    note,
    add: async (segment, end) => {
      // One for each broken segment: that the log fails is reported by itself.
      log.debug({ segment, end }, 'a write to the spool failed; its segment ends here')
      unnoted.set(segment, end)
      await note().catch(() => cutOff(segment, end))
    },
  }
}
