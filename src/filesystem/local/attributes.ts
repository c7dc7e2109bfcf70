// node:fs
import { constants } from 'node:fs'
import { access, chmod, chown, type FileHandle, stat, utimes } from 'node:fs/promises'
import { FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { checkAction, checkPermission, checkTimes } from '../options.ts'
import { parsePath } from '../path.ts'
import type { AccountKind, Accounts } from './accounts.ts'
import { errnoOf, guard, notFoundBelowFile } from './errors.ts'
import { openInside } from './open-inside.ts'
import { resolveInside } from './resolve.ts'

type Attributes = Pick<HadoopVerbs, 'setPermission' | 'setOwner' | 'setTimes' | 'access'>

/** What a directory of this machine says of its files beside their bytes. */
export const createLocalAttributes = (root: string, accounts: Accounts): Attributes => {
  /** Where a path lies, once it is sure that something is there. */
  const find = async (path: string): Promise<string> => {
    const target = await resolveInside(root, parsePath(path))
    await stat(target).catch(notFoundBelowFile)
    return target
  }
  const numberOf = (kind: AccountKind, name: string | undefined, path: string): number => {
    if (name === undefined) return unchanged
    const number = accounts.numberOf(kind, name)
    if (number !== undefined) return number
    const message = `Cannot set owner of "${path}": this machine has no ${kind} "${name}"`
    throw new FileSystemError('denied', path, message)
  }

  return {
    setPermission: (path, permission) =>
      guard('set permission of', path, async () => {
        checkPermission(permission)
        const change = { byFile: chmodOf(permission), byPath: (at: string) => chmod(at, permission) }
        await changeSafely(await find(path), { root, path: parsePath(path) }, change)
      }),

    // Changing the user, or the group to one of others, needs the rights of the machine's administrator.
    setOwner: (path, { owner, group }) =>
      guard('set owner of', path, async () => {
        const [target, name] = [await find(path), parsePath(path)]
        const [user, users] = [numberOf('user', owner, name), numberOf('group', group, name)]
        await changeSafely(
          target,
          { root, path: name },
          { byFile: file => file.chown(user, users), byPath: at => chown(at, user, users) },
        )
      }),

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

/** In place of a number: the one that a file has stays (chown(2)). */
const unchanged = -1

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
