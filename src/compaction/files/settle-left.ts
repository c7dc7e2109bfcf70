import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { isGone, readBeat } from './beats.ts'
import { deleteUnclaimed, type FilesClaim, listOwners, readClaim, takeFromOwner } from './claim.ts'
import { type FinishOptions, returnStrays, settleClaim } from './finish-claim.ts'
import type { UnmergedFile } from './unmerged-file.ts'

export type SettleOptions = FinishOptions & {
  /** Waits as long as a living owner is silent at most. */
  readonly waitForBeat: () => Promise<unknown>
}

/** What became of claims that were found. */
export type SettledClaims = {
  /** Directories whose compaction was finished, */
  readonly finished: readonly string[]
  /** or undone, */
  readonly undone: readonly string[]
  /** or is going on, */
  readonly living: readonly string[]
  /** or that a person has to look after. */
  readonly stuck: readonly UnmergedFile[]
}

/** A refusal that another try of the same run would meet again. */
export const isFinal = (error: unknown): error is FileSystemError =>
  hasCode(error, 'not-found', 'denied', 'quota-exceeded', 'unsupported')

type Owner = { readonly directory: string; readonly path: string; readonly claim: FilesClaim; readonly beat: string }

/**
 * Finishes or undoes what compactions left that were killed. One that gives a sign of life within the time goes on. Where it
 * was only slow it is fenced: its next step fails. Rejects with `FileSystemError`, and can be repeated.
 */
export const settleLeft = async (options: SettleOptions, directories: readonly string[]): Promise<SettledClaims> => {
  const { fileSystem, waitForBeat } = options
  const settled = {
    finished: [] as string[],
    undone: [] as string[],
    living: [] as string[],
    stuck: [] as UnmergedFile[],
  }
  const silent: Owner[] = []
  const settle = async ({ directory, path, claim }: Owner): Promise<void> => {
    const taken = await takeFromOwner(fileSystem, path)
    if (taken === undefined) return void settled.living.push(directory)
    try {
      const isDone = await settleClaim(options, { directory, path: taken, claim })
      settled[isDone ? 'finished' : 'undone'].push(directory)
    } catch (error) {
      // One directory holds up no other.
      if (!isFinal(error)) throw error
      settled.stuck.push({ path: directory, reason: error.message })
    }
  }
  for (const directory of directories) {
    await deleteUnclaimed(fileSystem, directory)
    await returnStrays(fileSystem, directory)
    for (const owner of await findOwners(fileSystem, directory))
      if (isGone(owner.claim)) await settle(owner)
      else silent.push(owner)
  }
  if (silent.length > 0) await waitForBeat()
  for (const owner of silent)
    if (await isSilent(fileSystem, owner)) await settle(owner)
    else settled.living.push(owner.directory)
  return settled
}

const findOwners = async (fileSystem: FileSystem, directory: string): Promise<readonly Owner[]> => {
  const owners: Owner[] = []
  for (const path of await listOwners(fileSystem, directory)) {
    const claim = await readClaim(fileSystem, path)
    if (claim) owners.push({ directory, path, claim, beat: await readBeat(fileSystem, path) })
  }
  return owners
}

/** Another owner by now, or none, is as good as a sign of life. */
const isSilent = async (fileSystem: FileSystem, { path, beat }: Owner): Promise<boolean> =>
  (await readClaim(fileSystem, path)) !== undefined && (await readBeat(fileSystem, path)) === beat
