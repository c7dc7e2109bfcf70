// node:fs
import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type FileSystem, FileSystemError } from './filesystem.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import { createAccounts } from './local/accounts.ts'
import { createLocalAttributes } from './local/attributes.ts'
import { createLocalDirectories } from './local/directories.ts'
import { makeRoot, remove } from './local/durable.ts'
import { errnoOf, guard } from './local/errors.ts'
import { createLocalFacts } from './local/facts.ts'
import { createLocalListing } from './local/listing.ts'
import { createLocalReading } from './local/reading.ts'
import { resolveEntry } from './local/resolve.ts'
import { createOwnOperations } from './local/truncate.ts'
import { createPathTurns } from './local/turns.ts'
import { createLocalWrites } from './local/writes.ts'
import { parsePath } from './path.ts'
import { createPublisher } from './publish/publisher.ts'

export type LocalOptions = {
  /** Directory that holds everything; created where it is missing. */
  readonly root: string
}

/**
 * A file system in a directory of this machine, for a server without a cluster. What it reports as done is on the disk.
 * Symbolic links are followed within the root only, and what is read and written is looked at once more when it is open.
 * Programs that change links below the root while the server works there can still mislead the other calls.
 * @throws FileSystemError when the root can neither be found nor created
 */
export const createLocalFileSystem = async (options: LocalOptions): Promise<FileSystem> => {
  const root = await guard('use', options.root, async () => {
    await makeRoot(resolve(options.root))
    return await realpath(options.root)
  })
  const accounts = createAccounts()
  const turns = createPathTurns()
  const reading = createLocalReading(root, accounts)

  const directories = createLocalDirectories(root)
  const hadoop = {
    ...createLocalWrites(root, turns),
    ...createLocalAttributes(root, accounts),
    ...createLocalFacts(root),
    webHdfs: createOwnOperations(root, turns),
  } satisfies Partial<HadoopVerbs>

  const files = {
    ...reading,
    listStatus: createLocalListing(root, accounts, reading.getFileStatus),

    delete: (path, { recursive = false } = {}) =>
      guard('delete', path, async () => {
        const name = parsePath(path)
        if (name === '/') throw new FileSystemError('bad-path', name, 'Cannot delete "/"')
        try {
          await remove(await resolveEntry(root, name), recursive)
          return true
        } catch (error) {
          if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) return false
          throw error
        }
      }),
  } satisfies Partial<FileSystem>

  return {
    url: pathToFileURL(root).href,
    ...files,
    ...createPublisher({ ...files, ...directories, ...hadoop }),
    directories,
    hadoop,

    probe: () =>
      guard('reach', '/', async () => {
        await stat(root).catch(error => {
          throw new FileSystemError('unavailable', '/', 'The root directory does not exist', { cause: error })
        })
      }),

    async close() {},
  }
}
