import type { FileStatus } from '../filesystem/filesystem.ts'

/**
 * Distinguishes one state of a file from another: by its version, or by its time where no version is kept. Printable ASCII
 * without `"`, as entity tags have it.
 */
export const toStateTag = ({
  version,
  modificationTime,
  length,
}: Pick<FileStatus, 'version' | 'modificationTime' | 'length'>): string => `${version ?? modificationTime}-${length}`
