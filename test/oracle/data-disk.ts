import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Room for all that one seed writes, small enough to be filled in a moment. */
const sizeBytes = 96 << 20
const fillChunkBytes = 1 << 20

/** The server's data directory, on a small disk of its own where this process may mount one. */
export type DataDisk = {
  /** For `data.dir`. */
  readonly directory: string
  /** For the log and the control file: a full disk does not concern them. */
  readonly workDirectory: string
  /** Whether it can be filled; otherwise the server has to be made to believe that it is full. */
  readonly isReal: boolean
  /** Fills it to the brim. */
  fill(): Promise<void>
  /** Takes the filling away. */
  free(): Promise<void>
  /**
   * Unmounts and removes everything.
   * @param keep leaves the data and the log behind, for people
   */
  close(keep: boolean): Promise<void>
}

/** Makes it, empty. */
export const createDataDisk = async (seed: number): Promise<DataDisk> => {
  const workDirectory = await mkdtemp(join(tmpdir(), `sluice-oracle-${seed}-`))
  const mountPoint = join(workDirectory, 'disk')
  await mkdir(mountPoint)
  const isReal = await mount(mountPoint)
  const directory = join(mountPoint, 'data')
  const filling = join(mountPoint, 'filling')
  await mkdir(directory)
  // An interrupted run must not leave a mount behind.
  const onExit = (): void => void (isReal && spawnSync('umount', ['--lazy', mountPoint]))
  process.once('exit', onExit)
  return {
    directory,
    workDirectory,
    isReal,
    fill: async () => {
      const chunk = Buffer.alloc(fillChunkBytes, 1)
      // What the server writes meanwhile is gone from the room; a chunk that finds none is cut to what there is.
      for (let length = chunk.length; length > 0; ) {
        try {
          await writeFile(filling, chunk.subarray(0, length), { flag: 'a' })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
          length >>= 1
        }
      }
    },
    free: () => rm(filling, { force: true }),
    close: async keep => {
      if (keep) await cp(directory, join(workDirectory, 'data'), { recursive: true })
      if (isReal) await run('umount', ['--lazy', mountPoint])
      process.removeListener('exit', onExit)
      await rm(keep ? mountPoint : workDirectory, { recursive: true, force: true })
    },
  }
}

const mount = (mountPoint: string): Promise<boolean> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return Promise.resolve(false)
  return run('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', mountPoint]).then(
    () => true,
    () => false,
  )
}
