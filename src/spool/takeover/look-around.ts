import type { FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import { readCounter } from './alive.ts'
import { type Owner, parseOwner } from './owners.ts'
import { listAt } from './take.ts'

/** All logs that are there, and the counters of the collectors that have them. */
export type Surroundings = {
  readonly owners: readonly Owner[]
  /** Of each keeper but ourselves; undefined where one has no log of its own any more, or no counter in it. */
  readonly counters: ReadonlyMap<string, number | undefined>
}

/**
 * Looks at all logs in the output directory.
 * @param isDone of a log, of which nothing is left: no keeper is missed
 */
export const lookAround = async (
  fileSystem: FileSystem,
  outputDirectory: string,
  self: string,
  isDone: (owner: Owner) => boolean,
): Promise<Surroundings> => {
  const root = toLogDirectory(outputDirectory)
  const owners = (await listAt(fileSystem, root)).flatMap(({ path }) => {
    const owner = parseOwner(baseName(path))
    return owner && !isDone(owner) ? [owner] : []
  })
  const counters = new Map<string, number | undefined>()
  for (const { keeper } of owners) {
    if (keeper === self || counters.has(keeper)) continue
    counters.set(keeper, await readCounter(fileSystem, `${root}/${keeper}`))
  }
  return { owners, counters }
}
