/**
 * What becomes of a spool whose log another collector has taken over: nothing of it may be sealed or committed any more.
 * It is moved aside as it is, to `fenced/<id>/` in the spool's directory, and the collector begins a new one, with a new id.
 */
import type { Disk } from '../../disk/disk.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import type { Logger } from '../../log/log.ts'
import { madePath } from '../replica/attach.ts'
import { toLogDirectory } from '../replica/log-directory.ts'

/** The spools that were set aside, by their ids. */
export const fencedDirectory = 'fenced'

/** What stays: the lock that we hold, in files of SQLite, and those before. */
const isKept = (name: string): boolean => name === fencedDirectory || name.startsWith('lock')

/**
 * Sets the spool aside where its log is not ours any more; before anything else is done with it. Where HDFS does not
 * answer, nothing is known, and nothing is done.
 * @returns the id of what was set aside
 */
export const setAsideIfTaken = async (
  disk: Disk,
  fileSystem: FileSystem,
  outputDirectory: string,
  log: Logger,
): Promise<string | undefined> => {
  const names = new Set((await disk.list('.').catch(() => [])).map(({ name }) => name))
  if (!names.has('id')) return undefined
  const id = new TextDecoder().decode(await disk.read('id')).trim()
  if (!/^[\da-f]{32}$/.test(id)) return undefined
  const hasBegun = (await disk.list(fencedDirectory).catch(() => [])).some(({ name }) => name === id)
  if (!hasBegun && !(names.has(madePath) && (await isGone(fileSystem, `${toLogDirectory(outputDirectory)}/${id}`))))
    return undefined
  await setAside(disk, [...names], id)
  log.error(
    { collectorId: id, directory: `${disk.directory}/${fencedDirectory}/${id}` },
    'another collector has taken over the log of this one: its spool is set aside, and it begins a new one under a new id',
  )
  return id
}

const isGone = async (fileSystem: FileSystem, directory: string): Promise<boolean> => {
  try {
    return (await findStatus(fileSystem, directory)) === undefined
  } catch {
    return false
  }
}

/** The id goes last: as long as it is here, the next start goes on with this. */
const setAside = async (disk: Disk, names: readonly string[], id: string): Promise<void> => {
  const directory = `${fencedDirectory}/${id}`
  await disk.mkdir(directory)
  await disk.fsyncDir(fencedDirectory)
  await disk.fsyncDir('.')
  for (const name of names) if (!isKept(name) && name !== 'id') await disk.rename(name, `${directory}/${name}`)
  await disk.fsyncDir(directory)
  await disk.fsyncDir('.')
  await disk.rename('id', `${directory}/id`)
  await disk.fsyncDir(directory)
  await disk.fsyncDir('.')
}
