import type { FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import { readCounter } from './alive.ts'
import { type Owner, parseOwner } from './owners.ts'
import { listAt } from './take.ts'

/** A log of which nothing is left but the note for its old owner, and when that became so: in the order of one name node. */
export type FinishedLog = { readonly name: string; readonly changedAt: number }

/** All logs that are there, and the counters of the collectors that have them. */
export type Surroundings = {
  readonly owners: readonly Owner[]
  readonly finished: readonly FinishedLog[]
  /** Of each keeper but ourselves; undefined where one has no log of its own any more, or no counter in it. */
  readonly counters: ReadonlyMap<string, number | undefined>
}

/**
 * Looks at all logs in the output directory.
 * @param isFinished of one that is: no keeper of it is missed
 */
export const lookAround = async (
  fileSystem: FileSystem,
  outputDirectory: string,
  self: string,
  isFinished: (log: FinishedLog) => boolean,
): Promise<Surroundings> => {
  const root = toLogDirectory(outputDirectory)
  const all = (await listAt(fileSystem, root)).map(({ path, modificationTime }) => {
    return { name: baseName(path), changedAt: modificationTime }
  })
  const finished = all.filter(isFinished)
  const owners = all.flatMap(log => (isFinished(log) ? [] : (parseOwner(log.name) ?? [])))
  const counters = new Map<string, number | undefined>()
  for (const { keeper } of owners) {
    if (keeper === self || counters.has(keeper)) continue
    counters.set(keeper, await readCounter(fileSystem, `${root}/${keeper}`))
  }
  return { owners, finished, counters }
}
