import type { FileSystem } from '../filesystem/filesystem.ts'
import type { Call } from '../http/call/call.ts'

/**
 * Makes something over a file system as each caller sees it: where the rights of a user count there, once for each user,
 * so that nothing that was read for one is kept for another; where they do not, once for all.
 */
export const perCaller = <T>(
  fileSystem: FileSystem,
  make: (fileSystem: FileSystem) => T,
): ((call: Pick<Call, 'caller'>) => T) => {
  const made = new WeakMap<FileSystem, T>()
  return ({ caller }) => {
    const own = caller === undefined ? fileSystem : (fileSystem.as?.(caller.name) ?? fileSystem)
    const known = made.get(own)
    if (known !== undefined) return known
    const one = make(own)
    made.set(own, one)
    return one
  }
}
