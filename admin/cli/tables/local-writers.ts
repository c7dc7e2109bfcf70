import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toClaims } from '../../../src/compaction/files/claim.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'

/** How long a look at all processes counts, in ms. */
const maxLookAgeMs = 1_000

/**
 * Finds out whether a file of a local disk has a writer: on Linux, among the processes that this one may look into. Elsewhere, and of
 * others, nobody can say it.
 * @param now ms since the epoch
 */
export const createHasLocalWriter = (
  fileSystem: Pick<MountTable, 'urlOf' | 'mountOf'>,
  now: () => number,
): ((path: string) => boolean) => {
  let last = { at: Number.NEGATIVE_INFINITY, written: new Set<string>() }
  return path => {
    const mount = fileSystem.mountOf(path)
    const local = join(fileURLToPath(fileSystem.urlOf(path)), mount === '/' ? path : path.slice(mount.length))
    const id = identify(local)
    if (id === undefined) return false
    // A source that a claim has can be opened by its name no more: of it, a look that begins now is the last word.
    if (path.includes(`${toClaims('/')}/`)) return findWritten().has(id)
    const age = now() - last.at
    if (age < 0 || age > maxLookAgeMs) last = { at: now(), written: findWritten() }
    return last.written.has(id)
  }
}

/** Device and inode; undefined for what is not a file, or not there. */
const identify = (path: string): string | undefined => {
  try {
    const stats = statSync(path, { bigint: true })
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined
  } catch {
    return undefined
  }
}

/** Files that are open for writing. */
const findWritten = (): Set<string> => {
  const written = new Set<string>()
  for (const pid of namesIn('/proc'))
    if (/^\d+$/.test(pid))
      for (const fd of namesIn(`/proc/${pid}/fd`)) {
        const id = identify(`/proc/${pid}/fd/${fd}`)
        if (id !== undefined && isForWriting(`/proc/${pid}/fdinfo/${fd}`)) written.add(id)
      }
  return written
}

/** Nothing, where it is another user's, or gone. */
const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const isForWriting = (path: string): boolean => {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(path, 'latin1')) ?? []
    // O_ACCMODE: O_RDONLY is 0.
    return (Number.parseInt(flags, 8) & 0o3) !== 0
  } catch {
    // Closed meanwhile.
    return false
  }
}
