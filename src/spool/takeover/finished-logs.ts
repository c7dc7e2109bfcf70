import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import type { FinishedLog } from './look-around.ts'
import type { Owner } from './owners.ts'
import { listAt } from './take.ts'
import { isFinished } from './taken-note.ts'

/** Notes that stay for owners that have not come back; the oldest ones go. */
export const maxNotes = 100

/** Logs of which nothing is left but the note. */
export type FinishedLogs = {
  /** Whether it is known to be one, and has not changed since. */
  has(log: FinishedLog): boolean
  forget(name: string): void
  /** Whether there is something else in a log. */
  isLeft(owner: Owner): Promise<boolean>
  /** Removes the notes beyond {@link maxNotes}. */
  forgetOldest(logs: readonly FinishedLog[]): Promise<void>
}

export const createFinishedLogs = (fileSystem: FileSystem, root: string): FinishedLogs => {
  /** By name, with its last modification: a log that was made again, and taken again, may get the name. */
  const finished = new Map<string, number>()
  return {
    has: ({ name, changedAt }) => finished.get(name) === changedAt,
    forget: name => void finished.delete(name),
    isLeft: async ({ name }) => {
      const path = `${root}/${name}`
      // First: what comes after that changes it again.
      const changedAt = (await findStatus(fileSystem, path))?.modificationTime
      if (changedAt === undefined || !isFinished(await listAt(fileSystem, path))) return true
      finished.set(name, changedAt)
      return false
    },
    forgetOldest: async logs => {
      const oldest = logs.toSorted((a, b) => a.changedAt - b.changedAt).slice(0, Math.max(0, logs.length - maxNotes))
      for (const { name } of oldest) {
        await removeNote(fileSystem, `${root}/${name}`)
        finished.delete(name)
      }
    },
  }
}

/**
 * Removes the directory of a log of which nothing but the note is left.
 * @returns whether it is gone
 */
export const removeNote = async (fileSystem: FileSystem, directory: string): Promise<boolean> => {
  const files = await listAt(fileSystem, directory)
  if (files.length > 0 && !isFinished(files)) return false
  for (const { path } of files) await fileSystem.delete(path)
  // Not with what is in it: another log may get the name meanwhile.
  await fileSystem.delete(directory)
  return true
}
