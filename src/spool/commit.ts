import { crc32 } from 'node:zlib'
import { type FileStatus, type FileSystem, FileSystemError } from '../filesystem/filesystem.ts'
import type { BucketFile, FileRecord } from './bucket-file.ts'
import type { Disk } from './disk/disk.ts'
import type { Ledger } from './ledger.ts'
import { localPath } from './spool-paths.ts'

/** How often a refused RENAME is repeated before the file waits for the next pass. */
const maxRenames = 3

export type CommitContext = {
  readonly disk: Disk
  readonly ledger: Ledger
  readonly fileSystem: FileSystem
  /** `<event-output-directory>/_tmp/<collector-id>`: only this collector writes there. */
  readonly temporaryDirectory: string
  /** Temporary paths that an upload of this process is at work on; nobody else may remove them. */
  readonly uploading: Set<string>
  /** Temporary paths whose "moving" could not be noted: the entry may be on the disk all the same. */
  readonly doubtful: Set<string>
  readonly now: () => number
  readonly signal: AbortSignal
}

/** How often a file whose copy vanishes on its way is sent again in one pass. */
const maxUploads = 3

/** How a commit ended: in its place; or nobody knows, and the ledger has yet to be told. */
export type CommitOutcome = 'committed' | 'taken'

/**
 * Brings one sealed file to its place, exactly once (the order of steps is that of `docs/architecture.md`):
 * CREATE under a temporary name, compare the length, note "moving", RENAME without replacing, note "committed". It can
 * stop at any point and be called again with what the ledger then says.
 *
 * Where a file stands neither under its temporary nor under its final name, what is known of its RENAME decides:
 *
 *     no RENAME was sent                            sent again from the local copy
 *     each RENAME was answered, with a refusal      sent again from the local copy
 *     a RENAME had no answer                        `taken`: renamed and gone since, or never renamed; a person decides
 *     "moving" was noted by an earlier process      `taken`: it may have sent the RENAME
 *
 * @throws FileSystemError `unavailable` to be tried again; any other code is the file system's last word
 * @throws LocalDamage when the local copy is not what was sealed
 */
export const commitFile = async (context: CommitContext, { file, state }: FileRecord): Promise<CommitOutcome> => {
  // A file that was on its way may have gone either way before the reply was lost.
  let outcome = state.at === 'moving' ? await settle(context, file, state.temporary) : 'again'
  for (let uploads = 0; outcome === 'again'; uploads++) {
    if (uploads === maxUploads)
      throw new FileSystemError('unavailable', targetPath(file), 'What is sent vanishes before it can be renamed')
    outcome = await send(context, file).catch(error => settleWithoutCopy(context, file, error))
  }
  if (outcome === 'committed') await context.ledger.append({ type: 'committed', name: file.name, at: context.now() })
  return outcome
}

const send = async (context: CommitContext, file: BucketFile): Promise<Attempt> => {
  const temporary = `${context.temporaryDirectory}/${file.name}.${context.now().toString(36)}`
  context.uploading.add(temporary)
  try {
    await upload(context, file, temporary)
    context.doubtful.add(temporary)
    await context.ledger.append({ type: 'moving', name: file.name, temporary })
    context.doubtful.delete(temporary)
  } finally {
    context.uploading.delete(temporary)
  }
  return await rename(context, file, temporary, true)
}

/** A ledger that lost its end may have lost that the file is committed, and its copy removed. */
const settleWithoutCopy = async (context: CommitContext, file: BucketFile, error: unknown): Promise<'committed'> => {
  if (error instanceof LocalDamage && (await lookAtTarget(context, file)) === 'ours') return 'committed'
  throw error
}

/** `again`: it is gone, and surely not renamed. */
type Attempt = CommitOutcome | 'again'

/** The local copy does not have the length and CRC that were sealed: the local disk lost it. */
export class LocalDamage extends Error {
  override readonly name = 'LocalDamage'
}

/** Where a file's final name is. */
export const targetPath = ({ directory, name }: BucketFile): string => `${directory}/${name}`

const upload = async (context: CommitContext, file: BucketFile, temporary: string): Promise<void> => {
  const { fileSystem, signal } = context
  // Kept aside: a file system may report the failure of its source in words of its own.
  const local: { damage?: LocalDamage } = {}
  try {
    await fileSystem.create(temporary, checked(context, file, local), { overwrite: true, syncBlock: true, signal })
  } catch (error) {
    throw local.damage ?? error
  }
  const { length } = await fileSystem.getFileStatus(temporary)
  if (length !== file.length) {
    await fileSystem.delete(temporary)
    throw new FileSystemError('unavailable', temporary, `The file system holds ${length} of ${file.length} bytes`)
  }
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

/** @param allAnswered whether each RENAME that was sent before had an answer */
const rename = async (
  context: CommitContext,
  file: BucketFile,
  temporary: string,
  allAnswered: boolean,
): Promise<Attempt> => {
  let isKnown = allAnswered
  for (let attempt = 1; ; attempt++) {
    let failure: unknown
    try {
      await context.fileSystem.rename(temporary, targetPath(file))
      return 'committed'
    } catch (error) {
      failure = error
    }
    isKnown &&= failure instanceof FileSystemError && failure.code !== 'unavailable'
    const { target, source } = await look(context, file, temporary)
    if (target === 'ours') return 'committed'
    if (target === 'foreign')
      throw new FileSystemError('exists', targetPath(file), 'Another file has the name', { cause: failure })
    if (!source) return isKnown ? await sendAgain(context, file) : 'taken'
    // Still there: refused for a reason that may last, or not carried out.
    const final = failure instanceof FileSystemError && failure.code !== 'unavailable' && failure.code !== 'not-found'
    if (final || attempt === maxRenames) throw failure
  }
}

/** The ledger must not go on saying that a RENAME may have been sent: a start could not tell that it was refused. */
const sendAgain = async ({ ledger }: CommitContext, file: BucketFile): Promise<'again'> => {
  await ledger.append({ type: 'requeued', name: file.name })
  return 'again'
}

/** What became of a RENAME that may have been sent, and whose reply nobody heard. */
const settle = async (context: CommitContext, file: BucketFile, temporary: string): Promise<Attempt> => {
  const { target, source } = await look(context, file, temporary)
  if (target === 'ours') return 'committed'
  if (target === 'foreign') throw new FileSystemError('exists', targetPath(file), 'Another file has the name')
  if (!source) return 'taken'
  // A crash of the file system may have cut what it had accepted: only a whole file is moved on.
  if (source.length !== file.length) return await sendAgain(context, file)
  return await rename(context, file, temporary, false)
}

/** `hidden`: we may not look at the target; then only the source tells what a RENAME has done. */
type Look = { readonly target: 'ours' | 'foreign' | 'none' | 'hidden'; readonly source: FileStatus | undefined }

const look = async (context: CommitContext, file: BucketFile, temporary: string): Promise<Look> => {
  // Source first: were it the other way round, a rename between the two looks would show neither.
  const source = await statusOrNone(context.fileSystem, temporary).catch(cause => {
    // A refusal of this look is not the file system's word about the RENAME.
    throw new FileSystemError('unavailable', temporary, `Cannot see what became of "${temporary}"`, { cause })
  })
  try {
    return { target: await lookAtTarget(context, file), source }
  } catch (error) {
    if (!(error instanceof FileSystemError) || error.code === 'unavailable') throw error
    return { target: 'hidden', source }
  }
}

const lookAtTarget = async ({ fileSystem, signal }: CommitContext, file: BucketFile): Promise<Look['target']> => {
  const target = await statusOrNone(fileSystem, targetPath(file))
  if (!target) return 'none'
  if (target.isDirectory || target.length !== file.length) return 'foreign'
  let crc = 0
  for await (const chunk of await fileSystem.open(target.path, { signal })) crc = crc32(chunk, crc)
  return crc === file.crc ? 'ours' : 'foreign'
}

const statusOrNone = async (fileSystem: FileSystem, path: string): Promise<FileStatus | undefined> => {
  try {
    return await fileSystem.getFileStatus(path)
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'not-found') return undefined
    throw error
  }
}
