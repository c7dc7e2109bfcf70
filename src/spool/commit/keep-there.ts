import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import type { Logger } from '../../log/log.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { targetPath } from '../files/target-path.ts'
import type { Ledger } from '../ledger/ledger.ts'

export type KeepThereOptions = {
  readonly ledger: Pick<Ledger, 'append'>
  readonly fileSystem: Pick<FileSystem, 'getFileStatus'>
  readonly log: Logger
}

/**
 * Of some files that are to become part of a table those that are still at their places. What was removed before it could be
 * read there is sent again, as long as its copy is here.
 */
export const keepThere = async (
  { ledger, fileSystem, log }: KeepThereOptions,
  files: readonly BucketFile[],
): Promise<readonly BucketFile[]> => {
  const there: BucketFile[] = []
  for (const file of files) {
    try {
      await fileSystem.getFileStatus(targetPath(file))
      there.push(file)
    } catch (error) {
      if (!(error instanceof FileSystemError) || error.code !== 'not-found') throw error
      const fields = { file: targetPath(file), events: file.events }
      log.warn(fields, 'a file is gone before its table has it: it is sent again')
      await ledger.append({ type: 'requeued', name: file.name })
    }
  }
  return there
}
