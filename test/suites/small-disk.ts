import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own, small enough to be filled: a `tmpfs`, which only root can mount. */
export type SmallDisk = {
  readonly freeBytes: number
  /** Takes what is left of it, to the last byte, as a program does that shares the disk. */
  fill(): void
  /** Gives back what {@link SmallDisk.fill} took. */
  free(): void
  unmount(): void
}

const chunk = new Uint8Array(65_536)

/**
 * Mounts it at a directory, which is made.
 * @throws Error when this process may not mount
 */
export const mountSmallDisk = (directory: string, totalBytes: number): SmallDisk => {
  mkdirSync(directory, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${totalBytes}`, 'tmpfs', directory], { stdio: 'pipe' })
  const filler = join(directory, 'filler')
  return {
    get freeBytes() {
      const { bavail, bsize } = statfsSync(directory)
      return bavail * bsize
    },
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        while (writeSync(file, chunk) === chunk.length) {}
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    // Lazy: a file that is still open there must not keep the name in use.
    unmount: () => void execFileSync('umount', ['--lazy', directory]),
  }
}

/** Why there can be no small disk here; undefined when there can. */
export const missingForSmallDisk = (): string | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-disk-'))
  try {
    mountSmallDisk(directory, 65_536).unmount()
    return undefined
  } catch (error) {
    return `no tmpfs can be mounted: ${(error as Error).message.trim()}`
  } finally {
    rmSync(directory, { recursive: true })
  }
}
