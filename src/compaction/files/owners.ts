/** What is in the directories of claims: what compactions made, and what is somebody else's. */
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { isTemporaryName } from '../../filesystem/temporary-name.ts'
import { listIfThere, toClaims } from './claim.ts'

/** Paths of what compactions made, and of what they did not, of which nothing is moved or deleted. */
export type ClaimEntries = { readonly own: readonly string[]; readonly foreign: readonly string[] }

/** The owners of a directory: one with a claim, and others that are to be looked after. Rejects with `FileSystemError`. */
export const listOwners = async (fileSystem: FileSystem, directory: string): Promise<ClaimEntries> => {
  const [own, foreign]: [string[], string[]] = [[], []]
  for (const entry of await listIfThere(fileSystem, toClaims(directory)))
    (isUuid(baseName(entry.path)) && (await holdsOnly(fileSystem, entry, isOfOwner)) ? own : foreign).push(entry.path)
  return { own, foreign }
}

/** What takes of the claim that were killed have left. Rejects with `FileSystemError`. */
export const listUnclaimed = async (fileSystem: FileSystem, directory: string): Promise<ClaimEntries> => {
  const [own, foreign]: [string[], string[]] = [[], []]
  const before = `${toClaims(directory)}-`
  for (const entry of await listIfThere(fileSystem, directory))
    if (entry.path.startsWith(before))
      ((await isTake(fileSystem, entry, entry.path.slice(before.length))) ? own : foreign).push(entry.path)
  return { own, foreign }
}

/** A directory with the owner's in it, which has a claim at most. */
const isTake = async (fileSystem: FileSystem, entry: FileStatus, owner: string): Promise<boolean> => {
  if (!isUuid(owner)) return false
  if (!(await holdsOnly(fileSystem, entry, one => one.isDirectory && baseName(one.path) === owner))) return false
  for (const one of await listIfThere(fileSystem, entry.path))
    if (!(await holdsOnly(fileSystem, one, file => isFileOf(file, ['claim'])))) return false
  return true
}

const holdsOnly = async (
  fileSystem: FileSystem,
  { path, isDirectory }: FileStatus,
  isKnown: (entry: FileStatus) => boolean,
): Promise<boolean> => isDirectory && (await listIfThere(fileSystem, path)).every(isKnown)

const isOfOwner = (entry: FileStatus): boolean =>
  entry.isDirectory
    ? ['results', 'sources', 'again', 'replaced'].includes(baseName(entry.path))
    : isFileOf(entry, ['claim', 'beat', 'commit'])

const isFileOf = ({ path, isDirectory }: FileStatus, names: readonly string[]): boolean =>
  !isDirectory && (names.includes(baseName(path)) || isTemporaryName(baseName(path)))

const isUuid = (name: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
