/**
 * The steps behind the commit of a claim, and the way back. Each looks before it acts, so that all of them can be repeated
 * by whoever has the claim:
 *
 *     each source ─▶ sources/ ─▶ all there, unchanged? ─▶ the result gets its name ─▶ sources/ ─▶ replaced/ ─▶ trash ─▶ the claim goes
 *                                └ no, or one cannot be moved: all sources get their names again, and the result is deleted
 *
 * No result has its name while a source has its own, and nothing is undone once `replaced/` is there.
 */
import { hasCode, refusal } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { isRecord } from '../../is-record.ts'
import { withBeats } from './beats.ts'
import {
  type ClaimedFile,
  checkHeld,
  type HeldClaim,
  isClaimed,
  listIfThere,
  readClaim,
  readNote,
  TornNote,
  takeFromOwner,
  toClaims,
} from './claim.ts'
import { clearOwner, deleteEmpty } from './clear-owner.ts'
import { listOwners } from './owners.ts'
import { type PutBackOptions, putBack } from './put-back.ts'

/** What a commit has to say of a result that was read back. */
type ClaimCommit = { readonly length: number }

export type FinishOptions = PutBackOptions & {
  /**
   * Where the directory with the sources goes; undefined where they are deleted.
   * @param owner of the files that this process makes
   */
  readonly toTrash: (directory: string, owner: string) => Promise<string | undefined>
  /** Whether a file has no writer, as far as a look of late says it. */
  readonly isClosed: (path: string) => Promise<boolean>
  /** Whether files have no writer, by a look that begins now: by their names they can be opened no more. */
  readonly areClosed: (paths: readonly string[]) => Promise<boolean>
}

/** How often a step is tried whose outcome is not known. */
const maxTries = 3

/**
 * Brings a claim to its end, whatever was done of it. Rejects with `FileSystemError`, and can be repeated.
 * @returns undefined where the result is in the place of its sources; else why these are as before
 * @throws ClaimLost
 */
export const settleClaim = async (options: FinishOptions, held: HeldClaim): Promise<string | undefined> => {
  const { fileSystem } = options
  const reason = await withBeats(fileSystem, held.path, async () => {
    // Of an owner without a commit, or without an answer to it, no source was moved.
    const commit = await readCommit(fileSystem, held.path)
    const found = commit ? await finish(options, held, commit) : 'it was not committed'
    if (found !== undefined) await putBack(options, held.directory, held.path)
    return found
  })
  // Without the claim they would be put back beside the result.
  if (reason === undefined && (await hasEntries(fileSystem, `${held.path}/sources`)))
    throw refusal('not-empty', held.directory, 'finish the compaction of', `"${held.path}/sources" is not empty`)
  await clearOwner(fileSystem, held.path)
  return reason
}

/** Puts back what an owner without a claim has moved into its directory. Rejects with `FileSystemError`. */
export const returnStrays = async (options: PutBackOptions, directory: string): Promise<void> => {
  const { fileSystem } = options
  for (const path of (await listOwners(fileSystem, directory)).own) {
    if (await isOwned(fileSystem, path)) continue
    // It may become the directory of a claim right now, on a file system that makes an empty one first: what is taken is looked at.
    const taken = await takeFromOwner(fileSystem, path)
    if (taken === undefined || (await isOwned(fileSystem, taken))) continue
    await putBack(options, directory, taken)
    await clearOwner(fileSystem, taken)
  }
  await deleteEmpty(fileSystem, toClaims(directory))
}

/** A claim that a crash of the machine has cut counts as none where nothing was moved by it. */
const isOwned = async (fileSystem: FileSystem, path: string): Promise<boolean> => {
  try {
    return (await readClaim(fileSystem, path)) !== undefined
  } catch (error) {
    if (!(error instanceof TornNote) || (await hasMoved(fileSystem, path))) throw error
    return false
  }
}

const readCommit = async (fileSystem: FileSystem, path: string): Promise<ClaimCommit | undefined> => {
  try {
    const note = await readNote(fileSystem, `${path}/commit`)
    if (note === undefined) return undefined
    if (isRecord(note) && typeof note['length'] === 'number') return { length: note['length'] }
    throw new TornNote(`${path}/commit`, note)
  } catch (error) {
    if (!(error instanceof TornNote) || (await hasMoved(fileSystem, path))) throw error
    return undefined
  }
}

const hasMoved = async (fileSystem: FileSystem, path: string): Promise<boolean> => {
  for (const name of ['sources', 'again', 'replaced']) if (await hasEntries(fileSystem, `${path}/${name}`)) return true
  return false
}

const hasEntries = async (fileSystem: FileSystem, path: string): Promise<boolean> =>
  (await listIfThere(fileSystem, path)).length > 0

/** @returns why the sources are to be put back */
const finish = async (options: FinishOptions, held: HeldClaim, commit: ClaimCommit): Promise<string | undefined> => {
  const { fileSystem, toTrash } = options
  const { directory, path } = held
  const [sources, replaced] = [`${path}/sources`, `${path}/replaced`]
  // An empty one beside sources is none: a local disk that renames without replacing makes it first.
  if (!(await findStatus(fileSystem, replaced)) || (await hasEntries(fileSystem, sources))) {
    // Behind its name nothing is undone: the sources would be beside it.
    if (!(await isNamed(fileSystem, held, commit))) {
      const reason = await bringAll(options, held)
      if (reason !== undefined) return reason
      await fileSystem.delete(`${path}/again`, { recursive: true })
      if (!(await nameResult(fileSystem, held, commit))) return 'a crash of the file system has cut the new file'
    }
    await moveOn(fileSystem, held, [sources, replaced], { overwrite: true })
  }
  const status = await findStatus(fileSystem, replaced)
  // They are in the trash already.
  if (!status) return undefined
  const trash = await toTrash(directory, status.owner)
  if (trash === undefined) await fileSystem.delete(replaced, { recursive: true })
  else await moveOn(fileSystem, held, [replaced, trash], { overwrite: false })
  return undefined
}

const changed = 'files were changed meanwhile'

/** @returns why not */
const bringAll = async (options: FinishOptions, held: HeldClaim): Promise<string | undefined> => {
  const { fileSystem } = options
  const { path, claim } = held
  try {
    for (const source of claim.sources) if (!(await bring(options, held, source))) return changed
    // Once for all: each look at the writers of a machine takes as long as it has open files.
    const isClosed = await options.areClosed(claim.sources.map(({ name }) => `${path}/sources/${name}`))
    if (!isClosed) return changed
    await checkHeld(fileSystem, held)
    // What a writer added meanwhile, and closed.
    for (const source of claim.sources) {
      const there = await findStatus(fileSystem, `${path}/sources/${source.name}`)
      if (!there || !isClaimed(there, source)) return changed
    }
    return undefined
  } catch (error) {
    // One that cannot be moved, such as a mount point or an immutable file, would keep the others hidden for as long.
    if (error instanceof FileSystemError) return error.message
    throw error
  }
}

/**
 * Renames what is to be in another place from then on, also if it is there already. One that may replace is atomic on a local
 * disk, too; it replaces what is empty.
 */
const moveOn = async (
  fileSystem: FileSystem,
  held: HeldClaim,
  [from, to]: readonly [from: string, to: string],
  options: { readonly overwrite: boolean },
): Promise<void> => {
  for (let tries = 1; await findStatus(fileSystem, from); tries++)
    try {
      await directoriesOf(fileSystem).rename(from, to, options)
    } catch (error) {
      await orAgain(fileSystem, held, error, tries)
    }
}

/** Moves a source to the claim. @returns false where it is not the one that was read */
const bring = async (options: FinishOptions, held: HeldClaim, source: ClaimedFile): Promise<boolean> => {
  const { fileSystem } = options
  const { directory, path } = held
  const place = `${directory}/${source.name}`
  const kept = `${path}/sources/${source.name}`
  for (let tries = 1; ; tries++) {
    const [there, here] = [await findStatus(fileSystem, kept), await findStatus(fileSystem, place)]
    const isSame = here !== undefined && isClaimed(here, source)
    if (there && !isSame) return isClaimed(there, source)
    if (!there && !here && tries < maxTries) {
      // An owner before us may have moved it after we took its claim.
      await returnStrays(options, directory)
      continue
    }
    if (!isSame) return false
    await checkHeld(fileSystem, held)
    try {
      // A RENAME that may replace is atomic on a local disk, too: of an owner and one before it, one gets the file. Nothing is replaced,
      // as nobody else knows the name.
      const target = there ? `${path}/again/${source.name}` : kept
      await directoriesOf(fileSystem).rename(place, target, { overwrite: true })
    } catch (error) {
      await orAgain(fileSystem, held, error, tries)
    }
  }
}

/** Whether the result has its name, whole. An empty file may be one that a local disk makes before a RENAME. */
const isNamed = async (fileSystem: FileSystem, held: HeldClaim, { length }: ClaimCommit): Promise<boolean> => {
  const { directory, path, claim } = held
  const found = await findStatus(fileSystem, `${directory}/${claim.result}`)
  if (!found || found.length === length) return found !== undefined
  if (found.length === 0 && (await findStatus(fileSystem, `${path}/results/${claim.result}`))) return false
  const reason = `"${claim.result}" has ${found.length} bytes, expected ${length}; its sources are in "${path}/sources"`
  throw refusal('exists', directory, 'finish the compaction of', reason)
}

/** @returns false where a crash of the file system has cut the result */
const nameResult = async (fileSystem: FileSystem, held: HeldClaim, commit: ClaimCommit): Promise<boolean> => {
  const { directory, path, claim } = held
  const [place, kept] = [`${directory}/${claim.result}`, `${path}/results/${claim.result}`]
  const found = await findStatus(fileSystem, kept)
  if (found && found.length !== commit.length) return false
  // Nobody else knows the name.
  if (found) await moveOn(fileSystem, held, [kept, place], { overwrite: true })
  if (await isNamed(fileSystem, held, commit)) return true
  // Deleted or moved on since: only a person knows which.
  const reason = `"${claim.result}" is missing; its sources are in "${path}/sources"`
  throw refusal('not-found', directory, 'finish the compaction of', reason)
}

/** After a step that failed: it is looked at again, unless it was refused for a reason that stays. */
const orAgain = async (fileSystem: FileSystem, held: HeldClaim, error: unknown, tries: number): Promise<void> => {
  await checkHeld(fileSystem, held)
  if (!hasCode(error, 'unavailable', 'not-found', 'exists') || tries >= maxTries) throw error
}
