/**
 * Logs of collectors in an object store, which has no files that stay open and renames no directories: a file system over
 * the store in which one directory behaves as it does in HDFS. Each directory below it is a log, and all files of a log share
 * one journal. A journal is a sequence of numbered objects; each is written only where no object has its number.
 *
 *     <root>/<id>/999999999998          the first object of the journal; a listing begins with the newest one
 *     <root>/alive/<id>                 the keeper of the log, and its counter
 *
 *     append to a file                  a group of changes, in one object
 *     RENAME of a directory             a claim: an object at the first free number; the previous keeper cannot write behind it
 *     lease of a file                   nothing: the keeper of a journal has all of its files
 *
 * A reader begins with the newest checkpoint. Claims are never deleted and numbers are never used twice, so the claims of a
 * log that has ended remain.
 */

import { inTime, laterByTimer } from '../../runtime/later.ts'
import { refusal } from '../cluster/steps.ts'
import { directoriesOf, hadoopOf } from '../facets.ts'
import type { Directories, FileStatus, FileSystem } from '../filesystem.ts'
import { toDirectoryStatus } from '../find-status.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { defaultBlockSize } from '../options.ts'
import { parsePath } from '../path.ts'
import type { JournalFile } from './files.ts'
import { createLogAppends } from './log-appends.ts'
import { counterFile, type InLog, isInLog, type JournaledParts, type LogPlace, noSuchFile } from './log-place.ts'
import { Logs } from './logs.ts'
import { readJournalFile } from './read-file.ts'

export type JournalOptions = {
  /** The directory with logs that a path is, or is in; undefined for other paths. */
  readonly rootOf: (path: string) => string | undefined
  /** `collector.replicated.gather-ms`: so long changes are gathered before they go to the store. */
  readonly gatherMs: () => number
  /** Whether a log with files of these names can be taken over; then no log of its name is begun. */
  readonly isWhole: (names: readonly string[]) => boolean
  /** Groups of changes between two checkpoints. @default 500 */
  readonly groupsPerCheckpoint?: number
}

/** @param fileSystem publishes exactly once where the logs are */
export const createJournaled = <F extends FileSystem>(
  fileSystem: F,
  { rootOf, ...options }: JournalOptions,
): F & Required<Pick<FileSystem, 'directories' | 'appends'>> & { readonly hadoop: HadoopVerbs } => {
  const known = new Map<string, Logs>()
  const logsIn = (root: string): Logs => {
    const logs = known.get(root) ?? new Logs({ ...options, store: fileSystem, directory: root })
    known.set(root, logs)
    return logs
  }
  const placeOf = (text: string): LogPlace | undefined => {
    const path = parsePath(text)
    const root = rootOf(path)
    if (root === undefined) return undefined
    if (path === root) return { root, logs: logsIn(root), log: undefined, file: '' }
    const [, name = '', id = '', keeper = id, file = ''] =
      /^\/(([\da-f]{32})(?:\.([\w-]+))?)(?:\/([^/]+))?$/.exec(path.slice(root.length)) ?? []
    if (id === '') throw noSuchFile(path)
    return { root, logs: logsIn(root), log: { name, id, keeper }, file }
  }
  const parts = { fileSystem, placeOf }
  return {
    ...fileSystem,
    ...createNames(parts),
    directories: createDirectories(parts),
    appends: createLogAppends(parts),
    hadoop: {
      ...hadoopOf(fileSystem),
      setTimes: async (path, times, more) => {
        const place = placeOf(path)
        if (!place) return await hadoopOf(fileSystem).setTimes(path, times, more)
        if (!isInLog(place) || place.file !== counterFile)
          throw refusal('unsupported', path, 'set times of', 'it is a part of a log')
        const set = place.logs.setCounter(place.log, times.modificationTime ?? 0)
        // A counter that waits for a store that hangs makes its keeper silent: the next one may get through.
        const tooLate = (): Error => refusal('unavailable', path, 'set times of', 'the store takes too long')
        await (more?.timeoutMs === undefined ? set : inTime(set, more.timeoutMs, laterByTimer, tooLate))
      },
    },
  }
}

const toStatus = (path: string, length: number, modificationTime = 0): FileStatus => ({
  ...toDirectoryStatus(path),
  isDirectory: false,
  length,
  modificationTime,
  permission: 0o600,
  replication: 1,
  blockSize: defaultBlockSize,
})

const needFile = async ({ logs, log, file }: InLog, path: string) => {
  const { files, objects } = await logs.files(log)
  const found: JournalFile | undefined = files.get(file)
  if (!found) throw noSuchFile(path)
  return { found, objects }
}

const lookAt = async (place: LogPlace, path: string): Promise<FileStatus> => {
  if (!isInLog(place)) return { ...toDirectoryStatus(path), permission: 0o700 }
  const { logs, log, file } = place
  if (file === counterFile) {
    const counter = await logs.counter(log)
    if (counter === undefined) throw noSuchFile(path)
    return toStatus(path, 0, counter)
  }
  if (file !== '') return toStatus(path, (await needFile(place, path)).found.length)
  const found = await logs.find(log)
  if (!found) throw noSuchFile(path)
  return { ...toDirectoryStatus(path), modificationTime: found.changedAt, permission: 0o700 }
}

const listAt = async (place: LogPlace, path: string): Promise<readonly FileStatus[]> => {
  const { root, logs } = place
  if (!isInLog(place))
    return (await logs.list()).map(({ name, changedAt }) => {
      return { ...toDirectoryStatus(`${root}/${name}`), modificationTime: changedAt, permission: 0o700 }
    })
  if (place.file !== '') return [await lookAt(place, path)]
  const { files } = await logs.files(place.log)
  return files.list().map(({ name, length }) => toStatus(`${root}/${place.log.name}/${name}`, length))
}

const deleteAt = async ({ logs, log, file }: InLog, path: string, recursive: boolean): Promise<boolean> => {
  if ((await logs.find(log)) === undefined) {
    // A list may name it still, where the process that has ended it was killed.
    if (file === '') await logs.correct(log)
    return false
  }
  if (file === '') {
    if (!recursive && (await logs.files(log)).files.list().length > 0)
      throw refusal('not-empty', path, 'delete', 'the directory is not empty')
    await logs.end(log)
    return true
  }
  const writer = await logs.writer(log)
  if (!writer.files.get(file)) return false
  await writer.write([{ do: 'delete', name: file }])
  return true
}

const createNames = ({
  fileSystem,
  placeOf,
}: JournaledParts): Pick<FileSystem, 'getFileStatus' | 'listStatus' | 'open' | 'delete'> => ({
  getFileStatus: async path => {
    const place = placeOf(path)
    return place ? await lookAt(place, path) : await fileSystem.getFileStatus(path)
  },
  async *listStatus(path, options) {
    const place = placeOf(path)
    if (!place) return yield* fileSystem.listStatus(path, options)
    const entries = await listAt(place, path)
    if (entries.length > 0) yield entries
  },
  open: async (path, options = {}) => {
    const place = placeOf(path)
    if (!place) return await fileSystem.open(path, options)
    if (!isInLog(place) || place.file === '') throw refusal('is-directory', path, 'open', 'it is a directory')
    const { found, objects } = await needFile(place, path)
    return readJournalFile(objects, found, options)
  },
  delete: async (path, options) => {
    const place = placeOf(path)
    if (!place) return await fileSystem.delete(path, options)
    if (!isInLog(place)) throw refusal('unsupported', path, 'delete', 'it has the logs of collectors')
    return await deleteAt(place, path, options?.recursive ?? false)
  },
})

const createDirectories = ({ fileSystem, placeOf }: JournaledParts): Directories => ({
  mkdirs: async (path, options) => {
    const place = placeOf(path)
    // An object store has no directories to make.
    if (!place) await fileSystem.directories?.mkdirs(path, options)
    else if (place.file !== '') throw refusal('unsupported', path, 'create', 'a log has no directories')
    else if (isInLog(place)) await place.logs.make(place.log)
  },
  rename: async (source, target, options) => {
    const [from, to] = [placeOf(source), placeOf(target)]
    if (!from && !to) return await directoriesOf(fileSystem).rename(source, target, options)
    if (!isInLog(from) || !isInLog(to) || from.root !== to.root || from.log.id !== to.log.id)
      throw refusal('unsupported', source, 'rename', `"${target}" is not of the same log`)
    if (from.file === '' && to.file === '') return await from.logs.take(from.log, to.log)
    if (from.log.name !== to.log.name || from.file === '' || to.file === '')
      throw refusal('unsupported', source, 'rename', `"${target}" is not of the same log`)
    const writer = await from.logs.writer(from.log)
    if (!writer.files.get(from.file)) throw noSuchFile(source)
    if (writer.files.get(to.file) && !options?.overwrite)
      throw refusal('exists', target, 'rename to', 'it exists already')
    await writer.write([{ do: 'rename', from: from.file, to: to.file }])
  },
})
