/** Moves what a form deletes to the trash, by the verbs of WebHDFS, as the shell of Hadoop does (`TrashPolicyDefault`). */
import { SluiceError } from '../../../errors.ts'
import { joinPath } from '../../../filesystem/path.ts'
import { type MountOf, type TrashPlace, toTrashPlace } from '../../trash/trash-place.ts'
import { withParams } from '../../with-params.ts'
import { type FormCall, findType, putDefaults, type WriteHandlers } from './form-call.ts'

/** How what the pages delete is kept. */
export type TrashRules = {
  readonly mountOf: MountOf
  /** Ms since the epoch. @default the clock */
  readonly now?: () => number
}

/** Names that are tried beside one that is taken: several that are deleted in one ms have the same time. */
const maxNames = 100

/**
 * Moves a file or directory to the trash of the caller. Nothing in it is replaced: a name that is in use gets the time
 * appended, or the next ms that is free.
 * @returns where it is now; undefined for what is in a trash already
 * @throws SluiceError `not-found`; `denied` for what holds the trash, such as the root; `unsupported` for what its cluster does not rename
 */
export const moveToTrash = async (
  { mountOf, now = Date.now }: TrashRules,
  write: WriteHandlers,
  call: FormCall,
  path: string,
): Promise<string | undefined> => {
  const place = toTrashPlace(path, mountOf(path), call)
  if (place === 'in-trash') return undefined
  if (place === 'holds-trash') {
    throw new SluiceError(
      'denied',
      `Cannot move "${path}" to the trash, because it contains the trash; delete it permanently`,
    )
  }
  if ((await findType(write, call, path)) === undefined) {
    throw new SluiceError('not-found', `Cannot delete "${path}": there is no such file or directory`)
  }
  const move = async (directory: string, name: string): Promise<string> => {
    const destination = joinPath(directory, name)
    const params = { ...putDefaults, op: 'RENAME', path, destination, renameoptions: 'TO_TRASH' } as const
    await write.webHdfsPut(withParams(call, 'webHdfsPut', params))
    return destination
  }
  const moveIn = async (): Promise<string> => {
    const directory = await makeDirectory(write, call, place, now)
    let { name } = place
    for (let stamp = now(), left = maxNames; ; stamp++, left--) {
      try {
        return await move(directory, name)
      } catch (error) {
        if (!hasCode(error, 'exists') || left === 0) throw error
        name = `${place.name}${stamp}`
      }
    }
  }
  try {
    return await moveIn()
  } catch (error) {
    if (hasCode(error, 'unsupported')) {
      const message = `Cannot move "${path}" to the trash, since its cluster does not rename it: delete it for good`
      throw new SluiceError('unsupported', message, { cause: error })
    }
    // A checkpoint has just taken the directory away.
    if (!hasCode(error, 'not-found')) throw error
    return await moveIn()
  }
}

/** Makes a directory of the trash, for its owner alone. @returns it, or another one where a file of that name is in the way */
const makeDirectory = async (
  write: WriteHandlers,
  call: FormCall,
  { current, directory }: Exclude<TrashPlace, string>,
  now: () => number,
): Promise<string> => {
  const make = async (path: string): Promise<string> => {
    await write.webHdfsPut(withParams(call, 'webHdfsPut', { ...putDefaults, op: 'MKDIRS', path, permission: '700' }))
    return path
  }
  if ((await findType(write, call, directory)) === 'DIRECTORY') return directory
  // Private to its owner, whatever the permissions of its contents.
  if (directory !== current && (await findType(write, call, current)) === undefined) await make(current)
  let path = directory
  for (let stamp = now(), left = maxNames; ; stamp++, left--) {
    try {
      return await make(path)
    } catch (error) {
      const file = hasCode(error, 'exists', 'not-directory') ? await findFile(write, call, path) : undefined
      if (file === undefined || left === 0) throw error
      path = `${file}${stamp}${path.slice(file.length)}`
    }
  }
}

/** The file that is in the way of a directory. */
const findFile = async (write: WriteHandlers, call: FormCall, directory: string): Promise<string | undefined> => {
  for (let slash = directory.indexOf('/', 1); ; slash = directory.indexOf('/', slash + 1)) {
    const path = slash === -1 ? directory : directory.slice(0, slash)
    const type = await findType(write, call, path)
    if (type === 'FILE') return path
    if (type === undefined || slash === -1) return undefined
  }
}

const hasCode = (error: unknown, ...codes: readonly SluiceError['code'][]): boolean =>
  error instanceof SluiceError && codes.includes(error.code)
