import type { Disk } from '../../disk/disk.ts'
import { type BucketFile, type FileRecord, waitsForPerson } from '../files/bucket-file.ts'
import { localDirectory, localPath } from '../files/spool-paths.ts'

/**
 * Brings files that were made again, and of which a person decides, to where they are kept until then. The ledger leaves
 * them there when it hears that they were sealed; whatever stops this, they are made once more.
 */
export const placeAgain = async (
  disk: Disk,
  files: readonly BucketFile[],
  find: (name: string) => FileRecord | undefined,
): Promise<void> => {
  const touched = new Set<string>()
  for (const { name } of files) {
    const state = find(name)?.state
    if (!state || (state.at !== 'taken' && !waitsForPerson(state))) continue
    await disk.rename(localPath(name, 'sealed'), localPath(name, state.at))
    touched.add(localDirectory(state.at)).add('sealed')
  }
  for (const directory of touched) await disk.fsyncDir(directory)
}
