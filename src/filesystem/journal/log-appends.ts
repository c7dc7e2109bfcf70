import type { AppendCreateOptions, Appends, FileAppender } from '../appends.ts'
import { refusal } from '../cluster/steps.ts'
import { appendsOf } from '../facets.ts'
import { createJournalAppender, whileWanted } from './appender.ts'
import { counterFile, isInLog, type JournaledParts, type LogPlace, noSuchFile } from './log-place.ts'

/** Files of logs that stay open. */
export const createLogAppends = ({ fileSystem, placeOf }: JournaledParts): Appends => {
  const refuse = async (path: string): Promise<never> => {
    throw refusal('unsupported', path, 'use', 'it is a part of a log in an object store')
  }
  const create = async (path: string, place: LogPlace, options: AppendCreateOptions): Promise<FileAppender> => {
    const { file, logs } = place
    const copies = options.replication ?? 1
    if (!isInLog(place) || file === '') return await refuse(path)
    const { log } = place
    if (file === counterFile) {
      await logs.setCounter(log, 1)
      return nothingMore
    }
    const { signal } = options
    const writer = await whileWanted(logs.writer(log), signal, path)
    if (writer.files.get(file) && !options.overwrite) throw refusal('exists', path, 'create', 'it exists already')
    const number = writer.files.next()
    await whileWanted(writer.write([{ do: 'create', file: number, name: file }]), signal, path)
    return createJournalAppender(writer, { file: number, path, copies, signal })
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
    isClosed: async (path, options) =>
      placeOf(path) ? await refuse(path) : await appendsOf(fileSystem).isClosed(path, options),
    recoverLease: async (path, options) => {
      const place = placeOf(path)
      if (!place) return await appendsOf(fileSystem).recoverLease(path, options)
      // The keeper of the log has all of its files.
      if (!isInLog(place) || (await place.logs.find(place.log)) === undefined) throw noSuchFile(path)
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
