import { appendsOf, directoriesOf } from '../../filesystem/facets.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { isObject } from '../../formats/members.ts'
import { copySuffix, parseRemoteSegment } from '../replica/remote-names.ts'

/**
 * In the directory of a log that was taken, and the last thing to be left of it: how much of each segment the taker found,
 * as JSON. Its old owner learns from that what it took beyond it.
 */
const takenName = 'taken'

/** Bytes of each segment, by its number. */
export type TakenSegments = ReadonlyMap<number, number>

/** Whether a log has all that is needed to continue it: the ledger is written last, and removed first. */
export const isWholeLog = (files: readonly FileStatus[]): boolean => files.some(isLedger)

/**
 * Notes what was taken: nothing of a log that is not whole. A note that is there stays, because segments go once their
 * events are in the file system.
 */
export const noteTaken = async (
  fileSystem: FileSystem,
  directory: string,
  files: readonly FileStatus[],
): Promise<void> => {
  if (files.some(isNote)) return
  const segments: Record<string, number> = {}
  for (const { path, length } of isWholeLog(files) ? files : []) {
    const segment = parseRemoteSegment(baseName(path))
    if (segment !== undefined) segments[segment] = length
  }
  const copy = `${directory}/${takenName}${copySuffix}`
  const text = new TextEncoder().encode(`${JSON.stringify({ segments })}\n`)
  // Without its parents: a taker that has lost the log itself makes nothing of its name any more.
  const made = { overwrite: true, createParent: false, permission: 0o600 }
  const file = await appendsOf(fileSystem).create(copy, made)
  try {
    await file.write(text)
    await file.close()
  } catch (error) {
    await file.abandon()
    throw error
  }
  await directoriesOf(fileSystem).rename(copy, `${directory}/${takenName}`, { overwrite: true })
}

/** What was taken; undefined where that is not noted yet. Rejects with `FileSystemError`. */
export const readTaken = async (fileSystem: FileSystem, directory: string): Promise<TakenSegments | undefined> => {
  try {
    const text = await new Response(await fileSystem.open(`${directory}/${takenName}`)).text()
    return parseTaken(text)
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'not-found') return undefined
    throw error
  }
}

/** Whether a directory has nothing but the note: all that was taken is where it belongs. */
export const isFinished = (files: readonly FileStatus[]): boolean => files.length > 0 && files.every(isNote)

/** Removes a taken log, and leaves the note. The ledger goes first: without it there is nothing to continue. */
export const leaveNote = async (fileSystem: FileSystem, files: readonly FileStatus[]): Promise<void> => {
  for (const { path } of [...files.filter(isLedger), ...files.filter(file => !isLedger(file) && !isNote(file))])
    await fileSystem.delete(path)
}

const isNote = ({ path }: FileStatus): boolean => baseName(path) === takenName

const isLedger = ({ path }: FileStatus): boolean => baseName(path) === 'ledger'

const parseTaken = (text: string): TakenSegments => {
  const value: unknown = JSON.parse(text)
  const segments = isObject(value) ? value['segments'] : undefined
  if (!isObject(segments)) throw new TypeError('The note of what was taken has no segments')
  return new Map(
    Object.entries(segments).map(([segment, length]) => {
      if (typeof length !== 'number')
        throw new TypeError(`The note of what was taken has no length of segment ${segment}`)
      return [Number(segment), length]
    }),
  )
}
