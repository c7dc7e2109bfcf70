/**
 * What becomes of a spool whose log another collector has taken over: nothing of it may be sealed or committed any more.
 * It is moved aside as it is, to `fenced/<id>/` in the spool's directory, and the collector begins a new one, with a new id.
 */
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import type { Logger } from '../../log/log.ts'

/** The spools that were set aside, by their ids. */
export const fencedDirectory = 'fenced'

/** In what was set aside: a number that grows. */
const turnPath = 'turn'

/** The number of what was set aside, by its disk; 0 of one without. */
export const readTurn = async (aside: Pick<Disk, 'read'>): Promise<number> =>
  await aside.read(turnPath).then(
    bytes => Number(new TextDecoder().decode(bytes)),
    () => 0,
  )

/** What stays: the lock that we hold, in files of SQLite, and those before. */
const isKept = (name: string): boolean => name === fencedDirectory || name.startsWith('lock')

/**
 * Sets the spool aside where its log is not ours any more; before anything else is done with it.
 * @param isTaken of a spool with an id of which that is not known yet
 * @returns the id of what was set aside
 */
export const setAsideIf = async (
  disk: Disk,
  isTaken: (id: string) => Promise<boolean>,
  log: Logger,
): Promise<string | undefined> => {
  const names = async (): Promise<string[]> => (await disk.list('.').catch(() => [])).map(({ name }) => name)
  if (!(await names()).includes('id')) return undefined
  const id = new TextDecoder().decode(await disk.read('id')).trim()
  if (!/^[\da-f]{32}$/.test(id)) return undefined
  const hasBegun = (await disk.list(fencedDirectory).catch(() => [])).some(({ name }) => name === id)
  if (!hasBegun && !(await isTaken(id))) return undefined
  await setAside(disk, await names(), id)
  // Nothing is lost by that: the other one brings to the file system what was acknowledged.
  log.warn(
    { collectorId: id, directory: `${disk.directory}/${fencedDirectory}/${id}` },
    'another collector has taken over the log of this one: its spool is set aside, and a new one starts under a new id',
  )
  return id
}

/** The newest one has the largest. */
const nextTurn = async (disk: Disk): Promise<number> => {
  let last = 0
  for (const { name } of await disk.list(fencedDirectory).catch(() => [])) {
    const read = (path: string) => disk.read(`${fencedDirectory}/${name}/${path}`)
    last = Math.max(last, await readTurn({ read }))
  }
  return last + 1
}

/** How many there are. */
export const countSetAside = async (disk: Pick<Disk, 'list'>): Promise<number> =>
  (await disk.list(fencedDirectory).catch(() => [])).filter(({ isDirectory }) => isDirectory).length

/** The id goes last: as long as it is here, the next start continues this. */
const setAside = async (disk: Disk, names: readonly string[], id: string): Promise<void> => {
  const directory = `${fencedDirectory}/${id}`
  const turn = await nextTurn(disk)
  await disk.mkdir(directory)
  await disk.unlink(`${directory}/${turnPath}`)
  await writeSynced(disk, `${directory}/${turnPath}`, new TextEncoder().encode(`${turn}`))
  await disk.fsyncDir(fencedDirectory)
  await disk.fsyncDir('.')
  for (const name of names) if (!isKept(name) && name !== 'id') await disk.rename(name, `${directory}/${name}`)
  await disk.fsyncDir(directory)
  await disk.fsyncDir('.')
  await disk.rename('id', `${directory}/id`)
  await disk.fsyncDir(directory)
  await disk.fsyncDir('.')
}
