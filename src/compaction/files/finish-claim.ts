/**
 * The steps behind the commit of a claim, and the way back. Each looks before it acts, so that all of them can be repeated
 * by whoever has the claim:
 *
 *     each source ─▶ sources/ ─▶ all there, unchanged? ─▶ the result gets its name ─▶ sources/ ─▶ replaced/ ─▶ trash ─▶ the claim goes
 *                                └ no: all sources get their names again, and the result is deleted
 *
 * No result has its name while a source has its own, and nothing is undone once `replaced/` is there.
 */
import { hasCode, refusal } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import { isRecord } from '../../is-record.ts'
import {
  type ClaimedFile,
  checkHeld,
  type HeldClaim,
  isClaimed,
  listIfThere,
  listOwners,
  readClaim,
  readNote,
  takeFromOwner,
  toClaims,
} from './claim.ts'

/** What a commit has to say of a result that was read back. */
type ClaimCommit = { readonly length: number }

export type FinishOptions = {
  readonly fileSystem: FileSystem
  /**
   * Where the directory with the sources goes; undefined where they are deleted.
   * @param owner of the files that this process makes
   */
  readonly toTrash: (directory: string, owner: string) => Promise<string | undefined>
  /** Whether a file has no writer. */
  readonly isClosed: (path: string) => Promise<boolean>
}

/** How often a step is tried whose outcome is not known. */
const maxTries = 3

/**
 * Brings a claim to its end, whatever was done of it. Rejects with `FileSystemError`, and can be repeated.
 * @returns whether the result is in the place of its sources; if not, these are as before
 * @throws ClaimLost
 */
export const settleClaim = async (options: FinishOptions, held: HeldClaim): Promise<boolean> => {
  const { fileSystem } = options
  // Of an owner without a commit, or without an answer to it, no source was moved.
  const commit = toCommit(await readNote(fileSystem, `${held.path}/commit`))
  const isDone = commit !== undefined && (await finish(options, held, commit))
  if (!isDone) await putBack(fileSystem, held.directory, held.path)
  await clearOwner(fileSystem, held.path)
  return isDone
}

/** Puts back what an owner without a claim has moved into its directory. Rejects with `FileSystemError`. */
export const returnStrays = async (fileSystem: FileSystem, directory: string): Promise<void> => {
  for (const path of await listOwners(fileSystem, directory)) {
    if (await readClaim(fileSystem, path)) continue
    // It may become the directory of a claim right now, on a file system that makes an empty one first: what is taken is looked at.
    const taken = await takeFromOwner(fileSystem, path)
    if (taken === undefined || (await readClaim(fileSystem, taken))) continue
    await putBack(fileSystem, directory, taken)
    await clearOwner(fileSystem, taken)
  }
  await deleteEmpty(fileSystem, toClaims(directory))
}

const finish = async (options: FinishOptions, held: HeldClaim, commit: ClaimCommit): Promise<boolean> => {
  const { fileSystem, toTrash } = options
  const { directory, path, claim } = held
  const replaced = `${path}/replaced`
  if (!(await findStatus(fileSystem, replaced))) {
    for (const source of claim.sources) if (!(await bring(options, held, source))) return false
    await fileSystem.delete(`${path}/again`, { recursive: true })
    if (!(await nameResult(fileSystem, held, commit))) return false
    await moveOn(fileSystem, held, `${path}/sources`, replaced)
  }
  const trash = await toTrash(directory, (await fileSystem.getFileStatus(replaced)).owner)
  if (trash === undefined) await fileSystem.delete(replaced, { recursive: true })
  else await moveOn(fileSystem, held, replaced, trash)
  return true
}

/** Renames what is to be in another place from then on, also if it is there already. */
const moveOn = async (fileSystem: FileSystem, held: HeldClaim, from: string, to: string): Promise<void> => {
  for (let tries = 1; await findStatus(fileSystem, from); tries++)
    try {
      await directoriesOf(fileSystem).rename(from, to)
    } catch (error) {
      await orAgain(fileSystem, held, error, tries)
    }
}

/** Moves a source to the claim. @returns false where it is not the one that was read */
const bring = async (
  { fileSystem, isClosed }: FinishOptions,
  held: HeldClaim,
  source: ClaimedFile,
): Promise<boolean> => {
  const { directory, path } = held
  const place = `${directory}/${source.name}`
  const kept = `${path}/sources/${source.name}`
  for (let tries = 1; ; tries++) {
    const [there, here] = [await findStatus(fileSystem, kept), await findStatus(fileSystem, place)]
    const isSame = here !== undefined && isClaimed(here, source)
    if (there && !isSame) return isClaimed(there, source) && (await isClosed(kept))
    if (!there && !here && tries < maxTries) {
      // An owner before us may have moved it after we took its claim.
      await returnStrays(fileSystem, directory)
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

/** @returns false where a crash of the file system has cut the result */
const nameResult = async (fileSystem: FileSystem, held: HeldClaim, { length }: ClaimCommit): Promise<boolean> => {
  const { directory, path, claim } = held
  const [place, kept] = [`${directory}/${claim.result}`, `${path}/results/${claim.result}`]
  if (await findStatus(fileSystem, place)) return true
  const found = await findStatus(fileSystem, kept)
  if (found && found.length !== length) return false
  if (found) await moveOn(fileSystem, held, kept, place)
  if (await findStatus(fileSystem, place)) return true
  // Deleted or moved on since: only a person knows which.
  const reason = `"${claim.result}" is missing; its sources are in "${path}/sources"`
  throw refusal('not-found', directory, 'finish the compaction of', reason)
}

/** Gives sources their names again. */
const putBack = async (fileSystem: FileSystem, directory: string, path: string): Promise<void> => {
  for (const from of [`${path}/sources`, `${path}/again`])
    for (const file of await listIfThere(fileSystem, from)) {
      const { length, modificationTime } = file
      const name = baseName(file.path)
      for (let tries = 1; ; tries++) {
        const here = await findStatus(fileSystem, `${directory}/${name}`)
        if (here && isClaimed(here, { name, length, modificationTime })) {
          // One file under both names.
          await fileSystem.delete(file.path)
          break
        }
        // Another file has the name by now: both are to be read.
        const free = here ? `compaction-${tries}-${name}` : name
        if (here && (await findStatus(fileSystem, `${directory}/${free}`))) continue
        try {
          await directoriesOf(fileSystem).rename(file.path, `${directory}/${free}`)
        } catch (error) {
          if (!hasCode(error, 'exists', 'not-found', 'unavailable') || tries >= maxTries) throw error
          if (await findStatus(fileSystem, file.path)) continue
        }
        break
      }
    }
}

/** Removes the directory of an owner, step by step: one that gets a source meanwhile stays, and the commit goes before the claim. */
const clearOwner = async (fileSystem: FileSystem, path: string): Promise<void> => {
  await fileSystem.delete(`${path}/commit`)
  for (const entry of await listIfThere(fileSystem, path)) {
    const name = baseName(entry.path)
    if (!keeping.includes(name)) await fileSystem.delete(entry.path, { recursive: true })
  }
  await fileSystem.delete(`${path}/claim`)
  for (const one of [`${path}/sources`, `${path}/again`, path, path.slice(0, path.lastIndexOf('/'))])
    await deleteEmpty(fileSystem, one)
}

/** Deletes a directory without anything in it. */
const deleteEmpty = async (fileSystem: FileSystem, path: string): Promise<void> => {
  await fileSystem.delete(path).catch((error: unknown) => {
    if (!hasCode(error, 'not-empty')) throw error
  })
}

/** What is deleted last, or only without anything in it. */
const keeping: readonly string[] = ['claim', 'sources', 'again', 'replaced']

/** After a step that failed: it is looked at again, unless it was refused for a reason that stays. */
const orAgain = async (fileSystem: FileSystem, held: HeldClaim, error: unknown, tries: number): Promise<void> => {
  await checkHeld(fileSystem, held)
  if (!hasCode(error, 'unavailable', 'not-found', 'exists') || tries >= maxTries) throw error
}

const toCommit = (note: unknown): ClaimCommit | undefined =>
  isRecord(note) && typeof note['length'] === 'number' ? { length: note['length'] } : undefined
