import { FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import type { BucketFile } from './bucket-file.ts'
import { parseSince } from './file-since.ts'

/** Another file, with other content, has the file's name in the file system. */
export class NameTaken extends FileSystemError {
  constructor(path: string, options: { readonly cause: unknown }) {
    super('exists', path, 'Another file has this name', options)
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

/** The own name of a bucket file of a collector, by where it goes; undefined for any other file. */
export const toOwnName = (path: string, collectorId: string): string | undefined => {
  const name = baseName(path)
  if (parseSince(name)?.collectorId !== collectorId) return undefined
  return name.replace(/^([^-]+-[^-]+-\d+-\d+)-\d+-[\da-f]{8}(?=\.)/, '$1')
}
