import { FileSystemError } from '../../filesystem/filesystem.ts'
import type { BucketFile } from './bucket-file.ts'

/** Another file, with other content, has the file's name in the file system. */
export class NameTaken extends FileSystemError {
  constructor(path: string, options: { readonly cause: unknown }) {
    super('exists', path, 'Another file has the name', options)
  }
}

/** Where files are until they get their names, in the output directory: each collector has a directory of its own there. */
export const toTemporaryRoot = (outputDirectory: string): string =>
  `${outputDirectory === '/' ? '' : outputDirectory}/_tmp`

/** Where a file's final name is. */
export const targetPath = ({ directory, name, targetName = name }: BucketFile): string => `${directory}/${targetName}`

/**
 * The name under which a file goes beside the one that has its own. It follows from what the file holds: released again,
 * from another copy of the spool too, the file gets the same name, and is in the file system once.
 */
export const toNewName = ({ name, length, crc }: BucketFile): string =>
  name.replace(/^(.*-\d+-\d+)/, `$1-${length}-${crc.toString(16).padStart(8, '0')}`)
