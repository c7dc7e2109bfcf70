import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { parsePath } from '../../../src/filesystem/path.ts'
import { usageError } from '../command/failure.ts'

/** A path of the file system in its one spelling. @throws CliError `usage` for an invalid one */
export const toOnePath = (path: string): string => {
  try {
    return parsePath(path)
  } catch (error) {
    throw error instanceof FileSystemError ? usageError(error.message) : error
  }
}

/** The path of a name in a directory. */
export const childOf = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`
