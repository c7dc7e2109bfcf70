import { type CompactedFiles, compactFiles } from './compact-files.ts'
import type { MergeOptions } from './merge-files.ts'
import { type FilesPlan, type PlanFilesOptions, planFiles } from './plan-files.ts'
import { isFinal, type SettledClaims, type SettleOptions, settleLeft } from './settle-left.ts'
import type { UnmergedFile } from './unmerged-file.ts'

export type CompactBelowOptions = PlanFilesOptions &
  MergeOptions &
  SettleOptions & {
    /** Called with what is about to be merged, before and between. */
    readonly onPlan: (plan: FilesPlan, directory: string) => void
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
  const failed: UnmergedFile[] = [...settled.stuck]
  for (const path of settled.living) failed.push({ path, reason: 'another compaction is at work there' })
  const done: CompactedDirectory[] = []
  for (const merge of plan.merges) {
    options.signal?.throwIfAborted()
    options.onPlan(plan, merge.directory)
    try {
      const compacted = await compactFiles(options, merge)
      failed.push(...compacted.left)
      if (compacted.merged) done.push({ directory: merge.directory, ...compacted })
    } catch (error) {
      // One directory that may not be written holds up no other.
      if (!isFinal(error)) throw error
      failed.push({ path: merge.directory, reason: error.message })
    }
  }
  return { ...settled, done, failed, left: plan.left }
}
