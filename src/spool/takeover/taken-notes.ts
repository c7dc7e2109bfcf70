import type { FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { removeNote } from './finished-logs.ts'
import { parseOwner } from './owners.ts'
import { listAt } from './take.ts'
import { readTaken, type TakenSegments } from './taken-note.ts'

/** The notes of all who have taken a log of one collector. */
export type TakenNotes = {
  /** What they say together. `not yet`: one is not written; `gone`: no other collector has the log, or had it. */
  read(): Promise<TakenSegments | 'not yet' | 'gone'>
  /** Removes them, once all that was taken is where it belongs. @returns whether none is left */
  forget(): Promise<boolean>
}

/** @param root that has logs; without one there is nothing to read */
export const createNotes = (fileSystem: FileSystem, root: string | undefined, id: string): TakenNotes => {
  const list = async (): Promise<readonly string[]> =>
    (root === undefined ? [] : await listAt(fileSystem, root)).flatMap(({ path }) => {
      const owner = parseOwner(baseName(path))
      return owner?.id === id && owner.keeper !== id ? [path] : []
    })
  return {
    read: async () => {
      const paths = await list()
      if (paths.length === 0) return 'gone'
      // A log that was taken before it was whole, without events, may have been made again under the same id.
      const all = new Map<number, number>()
      for (const path of paths) {
        const taken = await readTaken(fileSystem, path)
        if (!taken) return 'not yet'
        for (const [segment, length] of taken) all.set(segment, Math.max(length, all.get(segment) ?? 0))
      }
      return all
    },
    forget: async () => {
      let isLeft = false
      for (const path of await list()) if (!(await removeNote(fileSystem, path))) isLeft = true
      return !isLeft
    },
  }
}
