/**
 * The claim on a directory, by which small files in it become a large one:
 *
 *     <directory>/_compaction/<owner>/claim      JSON: sources and result; there before anything else, and the last to go
 *                                     beat       a number that grows while the owner lives
 *                                     results/   the result, until it has its name
 *                                     commit     JSON: length, rows and checksum of the result, read back
 *                                     sources/   sources, once there is a commit; replaced/ when the result has its name
 *                                     again/     sources that a cut RENAME left under both names
 *
 * `_compaction` gets its name by a RENAME that never replaces, with an owner in it: one of several that try has the directory.
 * A takeover is a RENAME of `<owner>`: all that the earlier owner moves has a path in there at one end or the other. What it
 * moved out is there no more; what it still moves in makes `<owner>` anew, without a claim, and is put back from there.
 */
import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import { inOnePiece } from '../../filesystem/publish/in-one-piece.ts'
import { isRecord } from '../../is-record.ts'
import { readFileWhole } from '../../tables/files.ts'
import { TableError } from '../../tables/table-error.ts'

/** A source, and how it is known again. */
export type ClaimedFile = Pick<FileStatus, 'length' | 'modificationTime'> & { readonly name: string }

/** What an owner is about to do. */
export type FilesClaim = {
  readonly sources: readonly ClaimedFile[]
  /** Name of the file that they become. */
  readonly result: string
  /** Where the owner runs. */
  readonly host: string
  readonly pid: number
}

/** A directory that is claimed, and where the claim is. */
export type HeldClaim = { readonly directory: string; readonly path: string; readonly claim: FilesClaim }

/** The directory of a claim, of a directory of files. */
export const toClaims = (directory: string): string => `${directory === '/' ? '' : directory}/_compaction`

/** Most bytes of a claim: some hundred thousand sources. */
const maxClaimBytes = 64 * 1024 * 1024

/** A note that is not whole: a crash of the machine has cut it. */
export class TornNote extends FileSystemError {
  constructor(path: string, cause: unknown) {
    super('unsupported', path, `Cannot use "${path}": it is cut or damaged`, { cause })
  }
}

/** Another owner has the claim now. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

/**
 * Claims a directory. Rejects with `FileSystemError`.
 * @returns undefined where another owner has it
 */
export const takeClaim = async (
  fileSystem: FileSystem,
  directory: string,
  files: Pick<FilesClaim, 'sources' | 'result'>,
): Promise<HeldClaim | undefined> => {
  const owner = randomUUID()
  const claims = toClaims(directory)
  const claim = { ...files, host: hostname(), pid: process.pid }
  const before = `${claims}-${owner}`
  const path = `${claims}/${owner}`
  try {
    await writeNote(fileSystem, `${before}/${owner}/claim`, claim)
    await directoriesOf(fileSystem).rename(before, claims)
    return { directory, path, claim }
  } catch (error) {
    // Where it is done after all, with its answer lost, nothing is left to delete.
    await fileSystem.delete(before, { recursive: true }).catch(() => {})
    // Another owner is there, or looks after the directory, and has deleted what is not a claim yet.
    if (hasCode(error, 'exists', 'not-empty', 'not-found')) return undefined
    if (hasCode(error, 'unavailable') && (await findStatus(fileSystem, path))) return { directory, path, claim }
    throw error
  }
}

/**
 * Takes what is in the directory of an owner, which may be alive: each of its later steps fails. Rejects with `FileSystemError`.
 * @returns where it is now; undefined where another one was faster
 */
export const takeFromOwner = async (fileSystem: FileSystem, path: string): Promise<string | undefined> => {
  const taken = `${path.slice(0, path.lastIndexOf('/'))}/${randomUUID()}`
  try {
    await directoriesOf(fileSystem).rename(path, taken)
    return taken
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined
    if (hasCode(error, 'unavailable') && (await findStatus(fileSystem, taken))) return taken
    throw error
  }
}

/** @throws ClaimLost. Rejects with `FileSystemError` */
export const checkHeld = async (fileSystem: FileSystem, { directory, path }: HeldClaim): Promise<void> => {
  if (await findStatus(fileSystem, `${path}/claim`)) return
  throw new ClaimLost(`${directory}: another compaction has taken over`)
}

/** The claim in the directory of an owner; undefined without one. Rejects with `FileSystemError`, also for what is no claim. */
export const readClaim = async (fileSystem: FileSystem, path: string): Promise<FilesClaim | undefined> => {
  const found = await readNote(fileSystem, `${path}/claim`)
  if (found === undefined) return undefined
  if (isClaim(found)) return found
  throw new FileSystemError('unsupported', path, `Cannot use "${path}/claim": it is not a claim of a compaction`)
}

/** Puts a note in its place, where nothing is. Rejects with `FileSystemError`. */
export const writeNote = async (fileSystem: FileSystem, path: string, note: object): Promise<void> => {
  const { outcome } = await fileSystem.publish(path, inOnePiece(Buffer.from(JSON.stringify(note))))
  if (outcome !== 'done') throw new FileSystemError('unavailable', path, `Cannot write "${path}": it is gone`)
}

/** A note as it was written; undefined where it is not there. Rejects with `FileSystemError`. @throws TornNote */
export const readNote = async (fileSystem: FileSystem, path: string): Promise<unknown> => {
  let text: string
  try {
    text = (await readFileWhole(fileSystem, path, maxClaimBytes)).toString('utf8')
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined
    if (error instanceof TableError) throw new TornNote(path, error)
    throw error
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TornNote(path, error)
  }
}

/** What is in a directory; nothing where it is not there. */
export const listIfThere = async (fileSystem: FileSystem, path: string): Promise<readonly FileStatus[]> => {
  try {
    return (await Array.fromAsync(fileSystem.listStatus(path))).flat()
  } catch (error) {
    if (hasCode(error, 'not-found')) return []
    throw error
  }
}

/** Whether a file is the one that was claimed. */
export const isClaimed = (status: FileStatus, { length, modificationTime }: ClaimedFile): boolean =>
  !status.isDirectory && status.length === length && status.modificationTime === modificationTime

/** What a claim says of a file. */
export const toClaimedFile = ({ path, length, modificationTime }: FileStatus): ClaimedFile => ({
  name: baseName(path),
  length,
  modificationTime,
})

const isClaim = (found: unknown): found is FilesClaim =>
  isRecord(found) &&
  typeof found['result'] === 'string' &&
  typeof found['host'] === 'string' &&
  typeof found['pid'] === 'number' &&
  Array.isArray(found['sources']) &&
  found['sources'].every(
    one =>
      isRecord(one) &&
      typeof one['name'] === 'string' &&
      typeof one['length'] === 'number' &&
      typeof one['modificationTime'] === 'number',
  )
