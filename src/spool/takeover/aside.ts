/**
 * Spools that were set aside, in `fenced/` of a spool's directory: each with the events that may have to be returned,
 * and the parts that a person decides about.
 */
import type { Disk, DiskEntry } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import type { LeftPiece } from '../drain/drain-status.ts'
import { fencedDirectory, readTurn } from './set-aside.ts'

/** In the directory of a spool that was set aside: nothing of it has to come back any more. */
export const returnedPath = 'returned'

/** The same: how far it has come back, as JSON. */
const progressPath = 'returning'

/** How far a spool that was set aside has come back: all up to a byte of a segment, and how many events that were. */
export type ReturnProgress = { readonly segment: number; readonly end: number; readonly events: number }

export const readProgress = async (fenced: Pick<Disk, 'list' | 'read'>): Promise<ReturnProgress> => {
  if (!(await fenced.list('.')).some(({ name }) => name === progressPath)) return { segment: 0, end: 0, events: 0 }
  const { segment, end, events }: Readonly<Record<string, unknown>> = JSON.parse(
    new TextDecoder().decode(await fenced.read(progressPath)),
  )
  return { segment: Number(segment), end: Number(end), events: Number(events) }
}

/** To be called once all of that is safe in the new spool. */
export const noteProgress = async (fenced: Disk, progress: ReturnProgress): Promise<void> => {
  await writeSynced(fenced, `${progressPath}.next`, new TextEncoder().encode(JSON.stringify(progress)))
  await fenced.rename(`${progressPath}.next`, progressPath)
  await fenced.fsyncDir('.')
}

/** The same: names of sealed files in it whose events no taker had. */
export const barePath = 'bare'

/** Ids of what was set aside, the newest first. */
export const listAside = async (disk: Pick<Disk, 'list' | 'read'>): Promise<readonly string[]> => {
  const entries = await disk.list(fencedDirectory).catch(() => [])
  const turns = await Promise.all(
    entries.map(async ({ name: id }) => {
      return { id, turn: await readTurn({ read: path => disk.read(`${fencedDirectory}/${id}/${path}`) }) }
    }),
  )
  return turns.toSorted((a, b) => b.turn - a.turn).map(({ id }) => id)
}

/**
 * Whether something of it may have to come back. Without its id it is what is left of a removal: a start sets all aside
 * before anything else.
 */
export const mayHaveRest = (entries: readonly Pick<DiskEntry, 'name'>[]): boolean => {
  const names = new Set(entries.map(({ name }) => name))
  return names.has('id') && !names.has(returnedPath)
}

/** Ids of those of which that is so, the newest first; what cannot be listed has nothing that could. */
export const listWithRest = async (disk: Pick<Disk, 'list' | 'read'>): Promise<readonly string[]> => {
  const ids: string[] = []
  for (const id of await listAside(disk))
    if (mayHaveRest(await disk.list(`${fencedDirectory}/${id}`).catch(() => []))) ids.push(id)
  return ids
}

/** Whether files are in it that a person decides about: their bytes may be here alone. */
export const isForPerson = async (fenced: Pick<Disk, 'list'>): Promise<boolean> => {
  if ((await fenced.list('.')).some(({ name }) => name === barePath)) return true
  for (const directory of personal) if ((await fenced.list(directory).catch(() => [])).length > 0) return true
  return false
}

const personal = ['_quarantine', '_taken'] as const

/** What is left in spools that were set aside: what may come back by itself, and what a person decides about. */
export type AsideLeft = { readonly waiting: readonly LeftPiece[]; readonly kept: readonly LeftPiece[] }

/** Events are not counted: only what their taker has noted tells how many are left. */
export const viewAside = async (disk: Pick<Disk, 'list' | 'read'>): Promise<AsideLeft> => {
  const waiting: LeftPiece[] = []
  const kept: LeftPiece[] = []
  for (const id of await listAside(disk)) {
    const path = `${fencedDirectory}/${id}`
    const list = (directory: string) => disk.list(`${path}/${directory}`).catch(() => [])
    const piece = { events: 0, path, state: 'set aside' } as const
    const bytes = (await list('log')).reduce((sum, { length }) => sum + length, 0)
    if (mayHaveRest(await list('.'))) waiting.push({ ...piece, bytes, reason: waitsForTaker })
    else if (await isForPerson({ list })) kept.push({ ...piece, bytes: 0, reason: waitsForPerson })
  }
  return { waiting, kept }
}

const waitsForTaker =
  'what the collector that took over its log did not find comes back once that collector has noted it'
const waitsForPerson = 'files in it are on this machine alone: see _quarantine, _taken and bare in it'
