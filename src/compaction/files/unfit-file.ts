import { FormatError } from '../../errors.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'

/** A source that cannot become a part of another file. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
  readonly path: string

  constructor(path: string, cause: Error) {
    super(cause.message, { cause })
    this.path = path
  }
}

/** What is wrong with a file, by its name; anything else as it was thrown. */
export const toUnfit = ({ path }: Pick<FileStatus, 'path'>, error: unknown): unknown =>
  error instanceof FormatError || hasCode(error, 'not-found') ? new UnfitFile(path, error) : error
