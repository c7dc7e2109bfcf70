import type { Disk } from '../../disk/disk.ts'
import { segmentPath } from './segment-files.ts'
import { streamSegment } from './segment-reader.ts'

/**
 * When the first event of a segment was kept, ms since the epoch, reading no more of the file than needed; undefined if
 * it cannot be read: the sealer reports that.
 */
export const readFirstKept = async (
  disk: Pick<Disk, 'stream' | 'read'>,
  segment: number,
): Promise<number | undefined> => {
  const path = segmentPath(segment)
  try {
    for await (const parts of streamSegment(disk.stream(path), start => disk.read(path, start), path)) {
      for (const part of parts) if (part.kind === 'record') return part.batch().keptAt
    }
  } catch {
    // Sealing finds it out again, and says so.
  }
  return undefined
}
