// node-only: reads files
import { createHash } from 'node:crypto'
import * as system from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** How the server's own files are watched. */
export type OwnCodeOptions = {
  /** With the code. @default the server's */
  readonly directory?: string | undefined
  /** Hears why files that are there cannot be read now, once until they can be. */
  readonly onUnreadable: (error: unknown) => void
  /** @default the system's */
  readonly files?: Pick<typeof system, 'readdir' | 'readFile'> | undefined
  /** @default keeps no process alive */
  readonly wait?: ((ms: number) => Promise<unknown>) | undefined
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Too many open files, for example: waits so long between one look and the next, some 45 s in all. */
const retryMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]

/** What a file answers that is not there any more for this process. */
const goneCodes: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']

/**
 * Checks whether the server's own files are unchanged. A thread that starts later loads what is there then: after an
 * upgrade under a running server that is other code, and the two would misread what they share. What cannot be read now
 * says nothing about that, and is read again; what is gone, or stays unreadable, has changed.
 */
export const watchOwnCode = ({
  directory = root,
  onUnreadable,
  files = system,
  wait = ms => sleep(ms, undefined, { ref: false }),
}: OwnCodeOptions): (() => Promise<boolean>) => {
  let isTold = false
  const read = async (): Promise<string | undefined> => {
    for (const ms of retryMs) {
      try {
        const code = await readCode(directory, files)
        isTold = false
        return code
      } catch (error) {
        if (!isTold) onUnreadable(error)
        isTold = true
        await wait(ms)
      }
    }
    return undefined
  }
  const first = read()
  return async () => {
    const before = await first
    return before === undefined || before === (await read())
  }
}

/** A hash of all modules; undefined where there are no files, or one has gone meanwhile. */
const readCode = async (
  directory: string,
  { readdir, readFile }: NonNullable<OwnCodeOptions['files']>,
): Promise<string | undefined> => {
  try {
    const hash = createHash('sha256')
    const names = await readdir(directory, { recursive: true, encoding: 'utf8' })
    for (const name of names.filter(isModule).sort()) {
      hash.update(`${name}\n`).update(await readFile(join(directory, name)))
    }
    return hash.digest('hex')
  } catch (error) {
    if (error instanceof Error && 'code' in error && goneCodes.includes(error.code)) return undefined
    throw error
  }
}

const isModule = (name: string): boolean => /\.(?:[jt]s|json)$/.test(name) && !name.endsWith('.d.ts')
