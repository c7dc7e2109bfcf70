/**
 * Makes one file of several:
 *
 *     claim ─▶ result below the claim ─▶ read back: as many rows, the same bytes ─▶ sources unchanged? ─▶ commit ─▶ finish
 *
 * Until the commit nothing is moved; behind it `finish-claim.ts` brings it to its end, here or in a later process.
 */
import { randomUUID } from 'node:crypto'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { hadoopOf } from '../../filesystem/facets.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import { withBeats } from './beats.ts'
import { ClaimLost, checkHeld, type HeldClaim, isClaimed, takeClaim, toClaimedFile, writeNote } from './claim.ts'
import type { MergeableFile } from './examine-file.ts'
import type { MergeContext } from './file-merge.ts'
import { type FinishOptions, returnStrays, settleClaim } from './finish-claim.ts'
import { UnfitFile } from './unfit-file.ts'

export type MergeOptions = FinishOptions &
  MergeContext & {
    /** Waits a while before another try. */
    readonly pause: (tries: number) => Promise<unknown>
  }

export type MergedFiles = { readonly rows: number; readonly bytes: number; readonly path: string }

/** How often a commit is brought to its end here; a later run does the same. */
const maxTries = 5

/**
 * Merges files of one group, in their order. Rejects with `FileSystemError`.
 * @returns why not, where another compaction, or a writer, was faster
 * @throws UnfitFile all files are as before
 */
export const mergeFiles = async (
  options: MergeOptions,
  directory: string,
  files: readonly [MergeableFile, ...MergeableFile[]],
): Promise<MergedFiles | string> => {
  const { fileSystem, pause } = options
  const result = `compacted-${randomUUID()}${files[0].extension}`
  const sources = files.map(({ status }) => toClaimedFile(status))
  const take = () => takeClaim(fileSystem, directory, { sources, result })
  // A sign of life that came late makes the directory of an owner anew.
  const held = (await take()) ?? (await returnStrays(options, directory).then(take))
  if (!held) return 'another compaction is at work there'
  try {
    const written = await writeOrUndo(options, held, files)
    for (let tries = 1; ; tries++)
      try {
        return (await settleClaim(options, held)) ?? { ...written, path: `${directory}/${result}` }
      } catch (error) {
        if (!hasCode(error, 'unavailable') || tries === maxTries) throw error
        await pause(tries)
      }
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error
    await returnStrays(options, directory)
    return error.message
  }
}

/** Up to the commit. Where that fails nothing is left of it. */
const writeOrUndo: typeof writeResult = async (options, held, files) => {
  try {
    return await withBeats(options.fileSystem, held.path, () => writeResult(options, held, files))
  } catch (error) {
    // Behind the last sign of life: a later one would be left.
    await undo(options, held)
    // Whatever a file system makes of it.
    options.signal?.throwIfAborted()
    throw error
  }
}

const writeResult = async (
  options: MergeOptions,
  held: HeldClaim,
  files: readonly [MergeableFile, ...MergeableFile[]],
): Promise<Pick<MergedFiles, 'rows' | 'bytes'>> => {
  const { fileSystem, signal } = options
  const path = `${held.path}/results/${held.claim.result}`
  const { merge } = files[0]
  const sources = files.map(file => file.status)
  // It has what a directory gives to new files, before all sources are read.
  checkNoAcl(await fileSystem.getFileStatus(`${held.path}/claim`))
  const { pieces, tally } = merge.write(options, sources)
  const { outcome } = await fileSystem.publish(path, pieces, {
    permission: files[0].status.permission,
    ...toReplication(sources),
  })
  if (outcome !== 'done') throw new FileSystemError('unavailable', path, `Cannot write "${path}": it is gone`)
  const status = await giveTo(fileSystem, files[0].status, path)
  const checksum = tally.checksum()
  const back = await merge.count(options, status)
  if (back.rows !== tally.rows || back.checksum() !== checksum) throw notAsWritten(path, tally.rows, back.rows)
  signal?.throwIfAborted()
  for (const source of sources) await checkUnchanged(options, source)
  await checkHeld(fileSystem, held)
  const commit = { length: status.length, rows: back.rows, checksum }
  await writeNote(fileSystem, `${held.path}/commit`, commit)
  return { rows: back.rows, bytes: status.length }
}

/** Whoever may read or write the sources may do so with the result, and nobody else. @throws FileSystemError `denied` */
const giveTo = async (fileSystem: FileSystem, source: FileStatus, path: string): Promise<FileStatus> => {
  const { owner, group, permission } = source
  const status = await fileSystem.getFileStatus(path)
  if (status.owner !== owner || status.group !== group)
    await hadoopOf(fileSystem).setOwner(path, {
      ...(status.owner === owner ? {} : { owner }),
      ...(status.group === group ? {} : { group }),
    })
  const given = await fileSystem.getFileStatus(path)
  checkNoAcl(given)
  if (given.owner === owner && given.group === group && given.permission === permission) return given
  throw new FileSystemError('denied', path, `Cannot give "${path}" the owner, group and permission of its sources`)
}

/** The default ACL of a directory would let others read the result than its sources, which have none. @throws FileSystemError `denied` */
const checkNoAcl = ({ path, attributes }: FileStatus): void => {
  if (!attributes?.includes('HAS_ACL')) return
  const message = `Cannot give "${path}" the permission of its sources: new files there get the default ACL of the directory`
  throw new FileSystemError('denied', path, message)
}

/** As many copies as the source with most; of erasure coding the directory decides. */
const toReplication = (sources: readonly FileStatus[]): { readonly replication?: number } => {
  if (sources.some(({ attributes }) => attributes?.includes('HAS_EC'))) return {}
  const replication = Math.max(...sources.map(source => source.replication))
  return replication > 0 ? { replication } : {}
}

/** Nothing was moved yet: what may have been noted of a commit without an answer goes first. */
const undo = async ({ fileSystem, ...options }: MergeOptions, held: HeldClaim): Promise<void> => {
  try {
    await fileSystem.delete(`${held.path}/commit`)
    await settleClaim({ ...options, fileSystem }, held)
  } catch {
    // A later run finds the claim.
  }
}

/** @throws UnfitFile it is not as it was found, or has a writer */
export const checkUnchanged = async ({ fileSystem, isClosed }: FinishOptions, status: FileStatus): Promise<void> => {
  const now = await findStatus(fileSystem, status.path)
  if (!now || !isClaimed(now, toClaimedFile(status)))
    throw new UnfitFile(status.path, new Error('it was changed meanwhile'))
  if (!(await isClosed(status.path))) throw new UnfitFile(status.path, new Error('it is open for writing'))
}

const notAsWritten = (path: string, expected: number, found: number): FileSystemError =>
  new FileSystemError(
    'unavailable',
    path,
    `Cannot compact into "${baseName(path)}": expected ${expected} rows as they were read, found ${found}, or other bytes`,
  )
