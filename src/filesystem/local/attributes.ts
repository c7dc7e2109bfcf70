// node:fs
import { constants } from 'node:fs'
import { access, chmod, type FileHandle, stat, utimes } from 'node:fs/promises'
import type { FileSystem } from '../filesystem.ts'
import { checkAction, checkPermission, checkReplication, checkTimes } from '../options.ts'
import { parsePath } from '../path.ts'
import { unsupportedLocally } from '../unsupported.ts'
import { errnoOf, guard, notFoundBelowFile } from './errors.ts'
import { openInside } from './open-inside.ts'
import { resolveInside } from './resolve.ts'

type Attributes = Pick<FileSystem, 'setPermission' | 'setOwner' | 'setReplication' | 'setTimes' | 'access'>

/** What a directory of this machine says of its files beside their bytes. */
export const createAttributes = (root: string): Attributes => {
  /** Where a path lies, once it is sure that something is there. */
  const find = async (path: string): Promise<string> => {
    const target = await resolveInside(root, parsePath(path))
    await stat(target).catch(notFoundBelowFile)
    return target
  }
  const refuse = (path: string, verb: string, check = (): void => {}): Promise<never> =>
    guard(verb, path, async () => {
      check()
      await find(path)
      throw unsupportedLocally(parsePath(path), verb)
    })

  return {
    setPermission: (path, permission) =>
      guard('set permission of', path, async () => {
        checkPermission(permission)
        const change = { byFile: chmodOf(permission), byPath: (at: string) => chmod(at, permission) }
        await changeSafely(await find(path), { root, path: parsePath(path) }, change)
      }),

    // Needs the data base of users of the machine, and the rights of its administrator.
    setOwner: path => refuse(path, 'setOwner'),

    setReplication: (path, replication) => refuse(path, 'setReplication', () => checkReplication(replication)),

    setTimes: (path, times) =>
      guard('set times of', path, async () => {
        checkTimes(times)
        const target = await find(path)
        const { atimeMs, mtimeMs } = await stat(target)
        if (times.accessTime === undefined && times.modificationTime === undefined) return
        const accessed = toSeconds(times.accessTime ?? atimeMs)
        const modified = toSeconds(times.modificationTime ?? mtimeMs)
        await changeSafely(
          target,
          { root, path: parsePath(path) },
          {
            byFile: file => file.utimes(accessed, modified),
            byPath: at => utimes(at, accessed, modified),
          },
        )
      }),

    access: (path, action) =>
      guard('access', path, async () => {
        checkAction(action)
        // The bits of an action are those of the system.
        await access(await find(path), action)
      }),
  }
}

type Change = {
  readonly byFile: (file: FileHandle) => Promise<void>
  readonly byPath: (target: string) => Promise<void>
}

const chmodOf =
  (permission: number) =>
  (file: FileHandle): Promise<void> =>
    file.chmod(permission)

/** What makes an open impossible, and a change possible all the same: bits that do not let the owner read, a socket. */
const notOpened = ['EACCES', 'ENXIO', 'ENODEV']

/** Changes what is really there and writes it to the disk; what cannot be opened is changed by its name. */
const changeSafely = async (
  target: string,
  inside: { readonly root: string; readonly path: string },
  { byFile, byPath }: Change,
): Promise<void> => {
  const file = await openInside(target, constants.O_RDONLY | constants.O_NONBLOCK, inside).catch(error => {
    if (notOpened.includes(errnoOf(error))) return undefined
    throw error
  })
  if (!file) return await byPath(target)
  try {
    await byFile(file)
    // A named pipe, for one, has nothing to write to the disk.
    await file.sync().catch(error => {
      if (errnoOf(error) !== 'EINVAL') throw error
    })
  } finally {
    await file.close()
  }
}

/** A little beyond the ms, because a fraction of seconds that is cut to ns may fall below it. */
const toSeconds = (ms: number): number => (Math.trunc(ms) + 0.01) / 1_000
