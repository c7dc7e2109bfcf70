import { refusal } from '../../filesystem/cluster/steps.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { isInside } from '../../filesystem/path.ts'
import { isGone, readBeat } from './beats.ts'
import { ClaimLost, type FilesClaim, readClaim, takeFromOwner, toClaims } from './claim.ts'
import { toDirectoryFailure } from './directory-failure.ts'
import { type FinishOptions, returnStrays, settleClaim } from './finish-claim.ts'
import { listOwners, listUnclaimed } from './owners.ts'
import type { UnmergedFile } from './unmerged-file.ts'

export type SettleOptions = FinishOptions & {
  /** Waits as long as a living owner is silent at most. */
  readonly waitForBeat: () => Promise<unknown>
  readonly signal?: AbortSignal
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
  /** What has such a name, and is of no compaction. */
  readonly foreign: readonly UnmergedFile[]
}

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
    foreign: [] as UnmergedFile[],
  }
  /** One directory holds up no other. */
  const inDirectory = async (directory: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act()
    } catch (error) {
      if (error instanceof ClaimLost) settled.living.push(directory)
      else settled.stuck.push({ path: directory, reason: (await toDirectoryFailure(options, error)).message })
    }
  }
  const settle = async ({ directory, path, claim }: Owner): Promise<void> => {
    const taken = await takeFromOwner(fileSystem, path)
    if (taken === undefined) return void settled.living.push(directory)
    const reason = await settleClaim(options, { directory, path: taken, claim })
    settled[reason === undefined ? 'finished' : 'undone'].push(directory)
  }
  const silent: Owner[] = []
  for (const directory of directories)
    await inDirectory(directory, async () => {
      settled.foreign.push(...(await cleanUp(options, directory)))
      for (const owner of await findOwners(fileSystem, directory))
        if (isGone(owner.claim)) await settle(owner)
        else silent.push(owner)
      if (settled.foreign.some(({ path }) => isInside(path, toClaims(directory))))
        throw refusal(
          'exists',
          directory,
          'compact files of',
          '"_compaction" in it is, or holds, what is of no compaction',
        )
    })
  if (silent.length > 0) await waitForBeat()
  for (const owner of silent)
    await inDirectory(owner.directory, async () => {
      if (await isSilent(fileSystem, owner)) await settle(owner)
      else settled.living.push(owner.directory)
    })
  return settled
}

/** Removes what was no claim yet, and what is none any more. @returns what is left alone */
const cleanUp = async (options: SettleOptions, directory: string): Promise<readonly UnmergedFile[]> => {
  const { fileSystem } = options
  const unclaimed = await listUnclaimed(fileSystem, directory)
  for (const path of unclaimed.own) await fileSystem.delete(path, { recursive: true })
  await returnStrays(options, directory)
  const { foreign } = await listOwners(fileSystem, directory)
  return [...unclaimed.foreign, ...foreign].map(path => ({
    path,
    reason: 'it has the name of a claim, but is not one',
  }))
}

const findOwners = async (fileSystem: FileSystem, directory: string): Promise<readonly Owner[]> => {
  const owners: Owner[] = []
  for (const path of (await listOwners(fileSystem, directory)).own) {
    const claim = await readClaim(fileSystem, path)
    if (claim) owners.push({ directory, path, claim, beat: await readBeat(fileSystem, path) })
  }
  return owners
}

/** Another owner by now, or none, is as good as a sign of life. */
const isSilent = async (fileSystem: FileSystem, { path, beat }: Owner): Promise<boolean> =>
  (await readClaim(fileSystem, path)) !== undefined && (await readBeat(fileSystem, path)) === beat
