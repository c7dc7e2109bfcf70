import { hasCode } from '../../filesystem/cluster/steps.ts'
import { examineFile, type MergeableFile } from './examine-file.ts'
import { type FindFilesOptions, type FoundDirectory, findFiles } from './find-files.ts'
import type { FinishOptions } from './finish-claim.ts'
import type { UnmergedFile } from './unmerged-file.ts'

export type PlanFilesOptions = FindFilesOptions &
  Pick<FinishOptions, 'isClosed'> & {
    /** Called with each file that was looked at. */
    readonly onFile: (path: string) => void
  }

/** Files of a directory that become one: two at least. */
export type MergePlan = {
  readonly directory: string
  readonly files: readonly [MergeableFile, ...MergeableFile[]]
  readonly bytes: number
}

export type FilesPlan = {
  readonly merges: readonly MergePlan[]
  /** Directories that another compaction has claimed, or had. */
  readonly claimed: readonly string[]
  readonly left: readonly UnmergedFile[]
}

/** Most files that become one. */
const maxSources = 10_000

/** Finds the files below a directory that are to become fewer. Rejects with `FileSystemError`. */
export const planFiles = async (options: PlanFilesOptions, directory: string): Promise<FilesPlan> => {
  const plan = { merges: [] as MergePlan[], claimed: [] as string[], left: [] as UnmergedFile[] }
  for await (const found of findFiles(options, directory)) {
    plan.left.push(...found.left)
    if (found.isClaimed) plan.claimed.push(found.path)
    const groups = await examineAll(options, found, plan.left)
    for (const files of groups.values())
      for (const one of toMerges(options.targetBytes, found.path, files)) plan.merges.push(one)
  }
  return plan
}

const examineAll = async (
  options: PlanFilesOptions,
  { path, files }: FoundDirectory,
  left: UnmergedFile[],
): Promise<ReadonlyMap<string, readonly MergeableFile[]>> => {
  const { fileSystem, isClosed, onFile, signal } = options
  const examined: MergeableFile[] = []
  const firsts = new Map<string, MergeableFile>()
  try {
    for (const status of files) {
      signal?.throwIfAborted()
      onFile(status.path)
      const found = (await isClosed(status.path)) ? await examineFile(fileSystem, status) : 'it is open for writing'
      if (typeof found === 'string') left.push({ path: status.path, reason: found })
      else {
        // What reads and writes them is held once for each group, not for each file.
        const same = firsts.get(found.group) ?? found
        firsts.set(same.group, same)
        examined.push({ ...same, status, isDoubtful: found.isDoubtful })
      }
    }
  } catch (error) {
    // A file system of which nobody can say that a file is closed.
    if (!hasCode(error, 'unsupported')) throw error
    left.push({ path, reason: error.message })
    return new Map()
  }
  const groups = Map.groupBy(examined, ({ group }) => group)
  for (const [only, ...more] of groups.values())
    if (only && more.length === 0 && examined.some(one => one !== only && one.format === only.format))
      left.push({
        path: only.status.path,
        reason: 'no other file there has its schema, header or metadata, owner, group and permission',
      })
  for (const [group, files] of groups)
    if (files.length > 1 && files.every(({ isDoubtful }) => isDoubtful)) {
      groups.delete(group)
      for (const { status } of files) left.push({ path: status.path, reason: doubtful })
    }
  return groups
}

const doubtful = 'it may be a document: neither it nor another file there has a second line'

/** Files that follow one another, up to the target size. */
function* toMerges(targetBytes: number, directory: string, all: readonly MergeableFile[]): Generator<MergePlan> {
  let files: MergeableFile[] = []
  let bytes = 0
  for (const file of [...all, undefined]) {
    const isFull = file === undefined || bytes + file.status.length > targetBytes || files.length === maxSources
    if (isFull) {
      const [first, ...rest] = files
      if (first && rest.length > 0) yield { directory, files: [first, ...rest], bytes }
      files = []
      bytes = 0
    }
    if (file) {
      files.push(file)
      bytes += file.status.length
    }
  }
}
