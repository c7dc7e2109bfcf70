import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MountTable } from '../../../src/filesystem/mounts.ts'

/** How long a look at all processes counts, in ms. */
const maxLookAgeMs = 1_000

/** Says whether files of a local disk have a writer. */
export type LocalWriters = {
  /** By a look of late. */
  readonly hasWriter: (path: string) => boolean
  /** Whether any of them has one, by a look that begins now. */
  readonly haveWriter: (paths: readonly string[]) => boolean
}

/**
 * Finds out whether files of a local disk have a writer: on Linux, among the processes that this one may look into. Elsewhere, and of
 * others, nobody can say it.
 * @param now ms since the epoch
 */
export const createLocalWriters = (
  fileSystem: Pick<MountTable, 'urlOf' | 'mountOf'>,
  now: () => number,
): LocalWriters => {
  let last = { written: new Set<string>(), at: Number.NEGATIVE_INFINITY }
  /** @param maxAgeMs how old a look may be */
  const look = (maxAgeMs: number): ReadonlySet<string> => {
    const age = now() - last.at
    // The time is that behind the look: on a busy machine one may take longer than it counts.
    if (age < 0 || age > maxAgeMs) last = { written: findWritten(), at: now() }
    return last.written
  }
  const isIn = (written: ReadonlySet<string>, path: string): boolean => {
    const mount = fileSystem.mountOf(path)
    const id = identify(join(fileURLToPath(fileSystem.urlOf(path)), mount === '/' ? path : path.slice(mount.length)))
    return id !== undefined && written.has(id)
  }
  return {
    hasWriter: path => isIn(look(maxLookAgeMs), path),
    haveWriter: paths => {
      const written = look(Number.NEGATIVE_INFINITY)
      return paths.some(path => isIn(written, path))
    },
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
