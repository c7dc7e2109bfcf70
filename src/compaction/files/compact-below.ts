import { checkTrash } from './check-trash.ts'
import { type CompactedFiles, compactFiles } from './compact-files.ts'
import { toDirectoryFailure } from './directory-failure.ts'
import type { MergeOptions } from './merge-files.ts'
import { type FilesPlan, type PlanFilesOptions, planFiles } from './plan-files.ts'
import { type SettledClaims, type SettleOptions, settleLeft } from './settle-left.ts'
import type { UnmergedFile } from './unmerged-file.ts'

export type CompactBelowOptions = PlanFilesOptions &
  MergeOptions &
  SettleOptions & {
    /** Called once, with all that is about to be merged. */
    readonly onPlan: (plan: FilesPlan) => void
    /** Called with each directory whose files are about to be merged. */
    readonly onDirectory: (path: string) => void
  }

/** What became of the files of a directory that were one plan. */
export type CompactedDirectory = CompactedFiles & { readonly directory: string }

export type CompactedBelow = SettledClaims & {
  readonly done: readonly CompactedDirectory[]
  /** What could have become a part of another file, and did not. */
  readonly failed: readonly UnmergedFile[]
  /** What cannot. */
  readonly left: readonly UnmergedFile[]
}

/** Finishes or undoes what others have left, and merges the files of a plan. Rejects with `FileSystemError`, and can be repeated. */
export const compactBelow = async (
  options: CompactBelowOptions,
  directory: string,
  first: FilesPlan,
): Promise<CompactedBelow> => {
  const settled = await settleLeft(options, first.claimed)
  // What was put back, or is one file by now, is planned anew.
  const plan = first.claimed.length > 0 ? await planFiles(options, directory) : first
  options.onPlan(plan)
  const failed: UnmergedFile[] = [...settled.stuck]
  for (const path of settled.living) failed.push({ path, reason: 'another compaction is at work there' })
  const stuck = new Set(settled.stuck.map(({ path }) => path))
  const done: CompactedDirectory[] = []
  for (const [path, merges] of Map.groupBy(plan.merges, merge => merge.directory)) {
    options.signal?.throwIfAborted()
    if (stuck.has(path)) continue
    options.onDirectory(path)
    // One directory holds up no other.
    try {
      await checkTrash(options, path)
      for (const merge of merges) {
        options.signal?.throwIfAborted()
        const compacted = await compactFiles(options, merge)
        failed.push(...compacted.left)
        if (compacted.merged) done.push({ directory: path, ...compacted })
      }
    } catch (error) {
      failed.push({ path, reason: (await toDirectoryFailure(options, error)).message })
    }
  }
  return { ...settled, done, failed, left: [...plan.left, ...settled.foreign] }
}
