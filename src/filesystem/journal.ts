/**
 * Logs of collectors in a store that has no files that stay open, and renames nothing, as an object store: a file system over it,
 * in which one directory is as HDFS would have it. Each directory in that one is a log, and all files of a log are in one
 * journal: objects that each are written where none is, and that whoever writes numbers one after the other.
 *
 *     <root>/<id>/999999999998          the first object of the journal; the newest is the first in a listing
 *     <root>/alive/<id>                 who has the log, and the counter of its keeper
 *
 *     a file that is appended to        a group of changes, which goes into one object
 *     RENAME of a directory             a claim: an object at the first free number, behind which the old keeper writes nothing
 *     a lease                           nothing: whoever has the journal has all of its files
 *
 * Who reads begins with the newest checkpoint. The last claim of a log that ended stays for good: numbers never begin anew.
 */
import type { AppendCreateOptions, Appends, FileAppender } from './appends.ts'
import { refusal } from './cluster/steps.ts'
import { appendsOf, directoriesOf, hadoopOf } from './facets.ts'
import { type Directories, type FileStatus, type FileSystem, FileSystemError } from './filesystem.ts'
import { toDirectoryStatus } from './find-status.ts'
import { createJournalAppender } from './journal/appender.ts'
import type { JournalFile } from './journal/files.ts'
import { createLogs, type LogName, type Logs } from './journal/logs.ts'
import { readFile } from './journal/read-file.ts'
import { defaultBlockSize } from './options.ts'
import { isInside, parsePath } from './path.ts'

export type JournalOptions = {
  /** The directory that has the logs. */
  readonly root: string
  /** `collector.replicated.gather-ms`: so long changes are gathered before they go to the store. */
  readonly gatherMs: () => number
  /** Whether somebody goes on with a log that has files of these names, so that none of its name is begun. */
  readonly isWhole: (names: readonly string[]) => boolean
  /** Groups of changes behind which a reader begins anew. @default 500 */
  readonly groupsPerCheckpoint?: number
}

/** A log, or a file of one; `file` is empty for the log itself. */
type Place = { readonly log: LogName; readonly file: string }

/** The file whose modification time is the counter of its owner. */
const counterFile = 'alive'

/** @param fileSystem publishes exactly once, and nothing else is needed of it */
export const createJournaled = (fileSystem: FileSystem, { root, ...options }: JournalOptions): FileSystem => {
  const logs = createLogs({ ...options, store: fileSystem, directory: root })
  /** Undefined outside. */
  const placeOf = (text: string): Place | undefined => {
    const path = parsePath(text)
    if (!isInside(path, root) || path === root) return undefined
    const [, name = '', id = '', keeper = id, file = ''] =
      /^\/(([\da-f]{32})(?:\.([\w-]+))?)(?:\/([^/]+))?$/.exec(path.slice(root.length)) ?? []
    if (id === '') throw notFound(path)
    return { log: { name, id, keeper }, file }
  }
  const parts = { fileSystem, logs, root, placeOf }
  return {
    ...fileSystem,
    ...createNames(parts),
    directories: createDirectories(parts),
    appends: createAppends(parts),
    hadoop: {
      ...fileSystem.hadoop,
      setTimes: async (path, times, options) => {
        const place = placeOf(path)
        if (!place) return await hadoopOf(fileSystem).setTimes(path, times, options)
        if (place.file !== counterFile) throw refusal('unsupported', path, 'set times of', 'it is a part of a log')
        await logs.setCounter(place.log, times.modificationTime ?? 0)
      },
    },
    close: async () => {
      await logs.close()
      await fileSystem.close()
    },
  }
}

type Parts = {
  readonly fileSystem: FileSystem
  readonly logs: Logs
  readonly root: string
  readonly placeOf: (path: string) => Place | undefined
}

const notFound = (path: string): FileSystemError =>
  new FileSystemError('not-found', path, `Cannot use "${path}": there is no such file or directory`)

const toStatus = (path: string, length: number, modificationTime = 0): FileStatus => ({
  ...toDirectoryStatus(path),
  isDirectory: false,
  length,
  modificationTime,
  permission: 0o600,
  replication: 1,
  blockSize: defaultBlockSize,
})

const createNames = ({
  fileSystem,
  logs,
  root,
  placeOf,
}: Parts): Pick<FileSystem, 'getFileStatus' | 'listStatus' | 'open' | 'delete'> => {
  const needFile = async ({ log, file }: Place, path: string) => {
    const { files, objects } = await logs.files(log)
    const found: JournalFile | undefined = files.get(file)
    if (!found) throw notFound(path)
    return { found, objects }
  }
  return {
    getFileStatus: async path => {
      const place = placeOf(path)
      if (!place) return await fileSystem.getFileStatus(path)
      if (place.file === counterFile) {
        const counter = await logs.counter(place.log)
        if (counter === undefined) throw notFound(path)
        return toStatus(path, 0, counter)
      }
      if (place.file !== '') return toStatus(path, (await needFile(place, path)).found.length)
      const found = await logs.find(place.log)
      if (!found) throw notFound(path)
      return { ...toDirectoryStatus(path), modificationTime: found.changedAt, permission: 0o700 }
    },
    async *listStatus(path, options) {
      const place = placeOf(path)
      let entries: FileStatus[]
      if (parsePath(path) === root) {
        entries = (await logs.list()).map(({ name, changedAt }) => {
          return { ...toDirectoryStatus(`${root}/${name}`), modificationTime: changedAt }
        })
      } else if (!place) return yield* fileSystem.listStatus(path, options)
      else if (place.file !== '') entries = [toStatus(path, (await needFile(place, path)).found.length)]
      else {
        const { files } = await logs.files(place.log)
        entries = files.list().map(({ name, length }) => toStatus(`${root}/${place.log.name}/${name}`, length))
      }
      if (entries.length > 0) yield entries
    },
    open: async (path, options = {}) => {
      const place = placeOf(path)
      if (!place) return await fileSystem.open(path, options)
      const { found, objects } = await needFile(place, path)
      return readFile(objects, found, options)
    },
    delete: async (path, options) => {
      const place = placeOf(path)
      if (!place) return await fileSystem.delete(path, options)
      const { log, file } = place
      if ((await logs.find(log)) === undefined) return false
      if (file === '') {
        if (!options?.recursive && (await logs.files(log)).files.list().length > 0)
          throw refusal('not-empty', path, 'delete', 'the directory is not empty')
        await logs.end(log)
        return true
      }
      const writer = await logs.writer(log)
      if (!writer.files.get(file)) return false
      await writer.write([{ do: 'delete', name: file }])
      return true
    },
  }
}

const createDirectories = ({ fileSystem, logs, root, placeOf }: Parts): Directories => ({
  mkdirs: async (path, options) => {
    const place = placeOf(path)
    if (!place) {
      // It is there with what is in it, as all are where there are none.
      if (parsePath(path) !== root) await fileSystem.directories?.mkdirs(path, options)
    } else if (place.file === '') await logs.make(place.log)
    else throw refusal('unsupported', path, 'create', 'a log has no directories')
  },
  rename: async (source, target, options) => {
    const [from, to] = [placeOf(source), placeOf(target)]
    if (!from && !to) return await directoriesOf(fileSystem).rename(source, target, options)
    const isOfOne = from !== undefined && to !== undefined && from.log.id === to.log.id
    if (isOfOne && from.file === '' && to.file === '') return await logs.take(from.log, to.log)
    if (!isOfOne || from.log.name !== to.log.name || from.file === '' || to.file === '')
      throw refusal('unsupported', source, 'rename', `"${target}" is not of the same log`)
    const writer = await logs.writer(from.log)
    if (!writer.files.get(from.file)) throw notFound(source)
    if (writer.files.get(to.file) && !options?.overwrite)
      throw refusal('exists', target, 'rename to', 'it exists already')
    await writer.write([{ do: 'rename', from: from.file, to: to.file }])
  },
})

const createAppends = ({ fileSystem, logs, placeOf }: Parts): Appends => {
  const refuse = async (path: string): Promise<never> => {
    throw refusal('unsupported', path, 'use', 'it is a part of a log in an object store')
  }
  const create = async (path: string, { log, file }: Place, options: AppendCreateOptions): Promise<FileAppender> => {
    const copies = options.replication ?? 1
    if (file === '') return await refuse(path)
    if (file === counterFile) {
      await logs.setCounter(log, 1)
      return nothingMore
    }
    const writer = await logs.writer(log)
    if (writer.files.get(file) && !options.overwrite) throw refusal('exists', path, 'create', 'it exists already')
    const number = writer.files.next()
    await writer.write([{ do: 'create', file: number, name: file }])
    return createJournalAppender(writer, { file: number, path, copies })
  }
  return {
    create: async (path, options = {}) => {
      const place = placeOf(path)
      return place ? await create(path, place, options) : await appendsOf(fileSystem).create(path, options)
    },
    append: async (path, options) =>
      placeOf(path) ? await refuse(path) : await appendsOf(fileSystem).append(path, options),
    truncate: async (path, length, options) =>
      placeOf(path) ? await refuse(path) : await appendsOf(fileSystem).truncate(path, length, options),
    visibleLength: async (path, options) =>
      placeOf(path) ? await refuse(path) : await appendsOf(fileSystem).visibleLength(path, options),
    recoverLease: async (path, options) => {
      const place = placeOf(path)
      if (!place) return await appendsOf(fileSystem).recoverLease(path, options)
      // Whoever has the log has its files, and nothing is written to them by others.
      if ((await logs.find(place.log)) === undefined) throw notFound(path)
      return true
    },
  }
}

/** The file of a counter has no bytes. */
const nothingMore: FileAppender = {
  length: 0,
  copies: 1,
  write: async () => {},
  hflush: async () => {},
  hsync: async () => {},
  close: async () => {},
  abandon: async () => {},
}
