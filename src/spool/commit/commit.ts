import { crc32 } from 'node:zlib'
import type { Disk } from '../../disk/disk.ts'
import { type FileSystem, FileSystemError, type Settled } from '../../filesystem/filesystem.ts'
import { compareFile } from '../../filesystem/publish/compare-file.ts'
import { parseTableDirectory } from '../bucket.ts'
import type { BucketFile, FileRecord } from '../files/bucket-file.ts'
import { localPath } from '../files/spool-paths.ts'
import { NameTaken, targetPath } from '../files/target-path.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toLocalFile } from '../ledger/ledger-state.ts'

export type CommitContext = {
  readonly disk: Pick<Disk, 'stream'>
  readonly ledger: Pick<Ledger, 'append'>
  readonly fileSystem: FileSystem
  /** Whether tables are in a catalog: then a file system will do on which one file could replace another. @default false */
  readonly hasCatalog?: (() => boolean) | undefined
  /** `<event-output-directory>/_tmp/<collector-id>`: only this collector writes there. */
  readonly temporaryDirectory: string
  /** Temporary paths that an upload of this process is writing; no other code may remove them. */
  readonly uploading: Set<string>
  /** Temporary paths whose "moving" could not be noted: the entry may be on the disk all the same. */
  readonly doubtful: Set<string>
  /**
   * Whether a file is yet to be made again, because its segment is not sealed: it can be found out what became of it, and nothing can
   * be sent. @default none is
   */
  readonly isUnmade?: ((file: BucketFile) => boolean) | undefined
  readonly now: () => number
  readonly signal: AbortSignal
}

/** How often a file whose copy vanishes on its way is sent again in one pass. */
const maxUploads = 3

/**
 * How a commit ended: in its place, and of a table yet to be made part of that; or that is not known, and the ledger does not have it
 * yet; `unmade`: it is not there, and waits until it is made again.
 */
export type CommitOutcome = 'committed' | 'placed' | 'taken' | 'unmade'

/**
 * Brings one sealed file to its place, exactly once (the order of steps is that of `docs/architecture.md`): it is
 * published as `filesystem/publish/publisher.ts` has it, with "moving" noted before it can take effect, and "committed"
 * after, or "placed" where a snapshot has to follow. It can stop at any point and be called again with the ledger's
 * state at that time. A missing file that was certainly not renamed is sent again from the local copy; one that may
 * have been renamed is `taken`.
 *
 * @throws FileSystemError `unavailable` when a retry may succeed; any other code is final
 * @throws LocalDamage when the local copy is not what was sealed
 */
export const commitFile = async (context: CommitContext, record: FileRecord): Promise<CommitOutcome> => {
  const { file, state } = record
  // Before the first call: made meanwhile, it may be another file than the one of the record.
  const isUnmade = context.isUnmade?.(file) ?? false
  // A file that was on its way may have gone either way before the reply was lost.
  let outcome =
    state.at === 'moving' ? await settle(context, file, state.temporary) : await lookUnderOwnName(context, file)
  for (let uploads = 0; outcome === 'again'; uploads++) {
    if (isUnmade) return 'unmade'
    if (uploads === maxUploads)
      throw new FileSystemError(
        'unavailable',
        targetPath(file),
        'The temporary file disappeared before it could be renamed',
      )
    // The ledger has noted by now that the one before is not there.
    const local = toLocalFile(record)
    outcome = await send(context, local).catch(error => settleWithoutCopy(context, local, error))
  }
  if (outcome === 'taken') return outcome
  if (isOfTable(file)) {
    await context.ledger.append({ type: 'placed', name: file.name })
    return 'placed'
  }
  await context.ledger.append({ type: 'committed', name: file.name, at: context.now() })
  return 'committed'
}

const isOfTable = ({ directory }: BucketFile): boolean => parseTableDirectory(directory) !== undefined

/** One that got a new name may meanwhile be in the file system under its own: another copy of the spool sent it. */
const lookUnderOwnName = async (context: CommitContext, file: BucketFile): Promise<Attempt> => {
  if (file.targetName === undefined) return 'again'
  const { targetName: _, ...own } = file
  return (await isInPlace(context, own)) ? 'committed' : 'again'
}

const send = async (context: CommitContext, file: BucketFile): Promise<Attempt> => {
  const { fileSystem, ledger, uploading, doubtful, signal } = context
  const temporary = `${context.temporaryDirectory}/${file.name}.${context.now().toString(36)}`
  const note = async (): Promise<void> => {
    doubtful.add(temporary)
    await ledger.append({ type: 'moving', name: file.name, temporary })
    doubtful.delete(temporary)
    uploading.delete(temporary)
  }
  // Kept aside: a file system may report the failure of its source in words of its own.
  const local: { damage?: LocalDamage } = {}
  uploading.add(temporary)
  try {
    const attempt = { temporary, length: file.length, crc: file.crc, note }
    const how = { attempt, syncBlock: true, isUnique: context.hasCatalog?.() ?? false, signal }
    return await conclude(
      context,
      file,
      await fileSystem.publish(targetPath(file), checked(context, file, local), how).catch(error => {
        throw local.damage ?? error
      }),
    )
  } finally {
    uploading.delete(temporary)
  }
}

/** The outcome of an attempt that an earlier process may have made. */
const settle = async (context: CommitContext, file: BucketFile, temporary: string): Promise<Attempt> => {
  const { fileSystem, signal } = context
  const attempt = { temporary, length: file.length, crc: file.crc }
  return await conclude(context, file, await fileSystem.settle(targetPath(file), attempt, { signal }))
}

/** @throws NameTaken */
const conclude = async ({ ledger }: CommitContext, file: BucketFile, settled: Settled): Promise<Attempt> => {
  if (settled.outcome === 'done') return 'committed'
  if (settled.outcome === 'foreign') throw new NameTaken(targetPath(file), { cause: settled.failure })
  // A file of a table is read once the table has it, and not before: it can be sent again, whatever became of it.
  if (settled.outcome === 'taken' && !isOfTable(file)) return 'taken'
  // The ledger must stop saying that a RENAME may have been sent: a start could not know that it was refused.
  await ledger.append({ type: 'requeued', name: file.name })
  return 'again'
}

const isInPlace = async ({ fileSystem, signal }: CommitContext, file: BucketFile): Promise<boolean> =>
  (await compareFile(fileSystem, targetPath(file), file, signal)) === 'ours'

/** A ledger that lost its end may have lost that the file is committed, and its copy removed. */
const settleWithoutCopy = async (context: CommitContext, file: BucketFile, error: unknown): Promise<'committed'> => {
  if (error instanceof LocalDamage && (await isInPlace(context, file))) return 'committed'
  throw error
}

/** The outcome of an attempt; `again`: it is gone, and surely not renamed. */
type Attempt = 'committed' | 'taken' | 'again'

/** The local copy does not have the length and CRC that were sealed: the local disk lost it. */
export class LocalDamage extends Error {
  override readonly name = 'LocalDamage'
}

/** The local copy, checked while it is read: what is damaged must not reach the file system under its name. */
async function* checked(
  { disk }: CommitContext,
  file: BucketFile,
  local: { damage?: LocalDamage },
): AsyncGenerator<Uint8Array> {
  let crc = 0
  let length = 0
  for await (const chunk of readable(disk.stream(localPath(file.name, 'sealed')), file, local)) {
    crc = crc32(chunk, crc)
    length += chunk.length
    // The last chunk waits for the verdict, so that a damaged file is never whole on the other side.
    if (length < file.length) yield chunk
    else if (length === file.length && crc === file.crc) yield chunk
    else break
  }
  if (length !== file.length || crc !== file.crc) {
    local.damage = new LocalDamage(
      `${file.name}: sealed with ${file.length} bytes and CRC ${file.crc}, found ${length} and ${crc}`,
    )
    throw local.damage
  }
}

/** A file that is gone or on a bad sector will not come back by waiting. */
async function* readable(
  chunks: AsyncIterable<Uint8Array>,
  file: BucketFile,
  local: { damage?: LocalDamage },
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EIO') throw error
    local.damage = new LocalDamage(`${file.name}: the local copy cannot be read: ${message}`, { cause: error })
    throw local.damage
  }
}
