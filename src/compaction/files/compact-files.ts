import type { MergeableFile } from './examine-file.ts'
import { checkUnchanged, type MergedFiles, type MergeOptions, mergeFiles } from './merge-files.ts'
import type { MergePlan } from './plan-files.ts'
import { toUnfit, UnfitFile } from './unfit-file.ts'
import type { UnmergedFile } from './unmerged-file.ts'

/** What became of files of a directory. */
export type CompactedFiles = {
  readonly files: number
  readonly merged: MergedFiles | undefined
  readonly left: readonly UnmergedFile[]
}

/** Makes one file of those of a plan that can be read to their end. Rejects with `FileSystemError`. */
export const compactFiles = async (options: MergeOptions, plan: MergePlan): Promise<CompactedFiles> => {
  const { directory } = plan
  const left: UnmergedFile[] = []
  let files: readonly MergeableFile[] = plan.files
  let isChecked = false
  for (;;) {
    const [first, ...rest] = files
    if (!first || rest.length === 0) return { files: 0, merged: undefined, left }
    try {
      const merged = await mergeFiles(options, directory, [first, ...rest])
      if (typeof merged !== 'string') return { files: files.length, merged, left }
      return { files: 0, merged: undefined, left: [...left, { path: directory, reason: merged }] }
    } catch (error) {
      if (!(error instanceof UnfitFile)) throw error
      left.push({ path: error.path, reason: error.message })
      files = files.filter(({ status }) => status.path !== error.path)
      // Where one is unfit many may be: the merge does not begin anew for each.
      if (!isChecked) files = await takeFit(options, files, left)
      isChecked = true
    }
  }
}

/** Reads files by themselves. @param left takes those that cannot become a part of another one */
const takeFit = async (
  options: MergeOptions,
  files: readonly MergeableFile[],
  left: UnmergedFile[],
): Promise<readonly MergeableFile[]> => {
  const fit: MergeableFile[] = []
  for (const file of files) {
    options.signal?.throwIfAborted()
    try {
      await file.merge.count(options, file.status)
      await checkUnchanged(options, file.status)
      fit.push(file)
    } catch (error) {
      const unfit = toUnfit(file.status, error)
      if (!(unfit instanceof UnfitFile)) throw unfit
      left.push({ path: unfit.path, reason: unfit.message })
    }
  }
  return fit
}
