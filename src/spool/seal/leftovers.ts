import type { Disk } from '../../disk/disk.ts'
import { localPath, segmentOfFile } from '../files/spool-paths.ts'

/**
 * Removes, for good, what attempts to seal a segment have left. Once the ledger has the segment as sealed, a start takes every
 * other file of it for one that a damaged ledger has forgotten.
 * @param isKept of a file by its name
 */
export const removeLeftovers = async (
  disk: Disk,
  segment: number,
  isKept: (name: string) => boolean,
): Promise<void> => {
  const left: string[] = []
  for await (const names of disk.names('sealed'))
    left.push(...names.filter(name => segmentOfFile(name) === segment && !isKept(name)))
  for (const name of left) await disk.unlink(localPath(name, 'sealed'))
  if (left.length > 0) await disk.fsyncDir('sealed')
}
