/** A file that is being written, as the name node has it: its lease keeps others from it. */
import { toAbortError, untilAborted } from '../../abortable.ts'
import type { AppendCreateOptions } from '../../appends.ts'
import { remoteOf } from '../../cluster/remote-exception.ts'
import type { CreateOptions, FsServerDefaults } from '../../hadoop-verbs.ts'
import { defaultFilePermission } from '../../options.ts'
import type { DatanodeInfo, ExtendedBlock, HdfsFileStatus, LocatedBlock } from '../name-node/messages.ts'
import { createFlag, nameNodeMethods } from '../name-node/methods.ts'
import { checkDefaults } from './check-defaults.ts'
import { isLostLease, type Lease, type Leases } from './leases.ts'
import type { Transfer } from './transfer.ts'
import { untilReplicated } from './until-replicated.ts'

export type WriteTransfer = Transfer & {
  readonly leases: Leases
  readonly defaultsOf: (path: string) => Promise<FsServerDefaults>
}

export type UnfinishedFile = {
  readonly path: string
  /** What is done to it, for messages. */
  readonly action: 'create' | 'append to'
  readonly fileId: bigint | undefined
  readonly lease: Lease
  readonly blockSize: number
  readonly replication: number
  /** Whether data nodes sync a block to their disks when it ends. */
  readonly syncBlock: boolean
  readonly defaults: FsServerDefaults
  readonly signal: AbortSignal | undefined
}

/** Of a block whose length the name node does not get. */
const unknownLength = -1

/** How often a call is sent again. */
type Retries = { readonly maxRetries?: number }

/** How it is made. */
type UnfinishedOptions = CreateOptions & AppendCreateOptions

/** A file here would be encrypted, or erasure-coded: WebHDFS writes it. Nothing was written. */
export class NotNative extends Error {
  override readonly name = 'NotNative'
}

/** Rejects with `FileSystemError`, and with {@link NotNative}: then there is no file. */
export const createUnfinishedFile = async (
  transfer: WriteTransfer,
  path: string,
  options: UnfinishedOptions,
): Promise<UnfinishedFile> => {
  const lease = transfer.leases.begin()
  try {
    return await createWith(transfer, lease, path, options)
  } catch (error) {
    lease.end()
    throw error
  }
}

const createWith = async (
  { nameNode, defaultsOf }: WriteTransfer,
  lease: Lease,
  path: string,
  {
    overwrite = false,
    permission = defaultFilePermission,
    createParent = true,
    signal,
    syncBlock = false,
    ...options
  }: UnfinishedOptions,
): Promise<UnfinishedFile> => {
  const toAborted = (error: unknown): unknown => (signal?.aborted ? toAbortError(signal, path) : error)
  const asked = untilAborted(defaultsOf(path), signal)
  const defaults = await asked.catch(error => {
    throw toAborted(error)
  })
  const { blockSize = defaults.blockSize, replication = defaults.replication } = options
  checkDefaults(path, { ...defaults, blockSize })
  const request = {
    src: path,
    masked: { perm: permission },
    clientName: lease.clientName,
    createFlag: createFlag.create | (overwrite ? createFlag.overwrite : 0),
    createParent,
    replication,
    blockSize,
  }
  const toFile = (fs: HdfsFileStatus | undefined): UnfinishedFile => ({
    path,
    action: 'create',
    fileId: fs?.fileId,
    lease,
    blockSize,
    replication,
    syncBlock,
    defaults,
    signal,
  })
  // An abort does not take it back: whatever is there by then has to be removed.
  const created = nameNode.call(nameNodeMethods.create, request, { action: 'create', path, signal, isAwaited: true })
  const { fs } = await untilAborted(created, signal, late => void removeUnfinished(nameNode, toFile(late.fs))).catch(
    error => {
      // No version of it was offered.
      if (remoteOf(error)?.exception === 'UnknownCryptoProtocolVersionException') throw new NotNative('it is encrypted')
      throw toAborted(error)
    },
  )
  const file = toFile(fs)
  if (fs?.ecPolicy === undefined && fs?.fileEncryptionInfo === undefined) return file
  await removeUnfinished(nameNode, file)
  throw new NotNative('it is erasure-coded')
}

/** Reopens a file, after its last block. Rejects with `FileSystemError`. */
export const continueFile = async (
  { nameNode, leases, defaultsOf }: WriteTransfer,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly file: UnfinishedFile; readonly length: number; readonly last: ExtendedBlock | undefined }> => {
  const asked = untilAborted(defaultsOf(path), signal)
  const defaults = await asked.catch(error => {
    throw signal?.aborted ? toAbortError(signal, path) : error
  })
  checkDefaults(path, defaults)
  const lease = leases.begin()
  const toFile = (stat: HdfsFileStatus | undefined): UnfinishedFile => {
    const { fileId, blocksize: blockSize = defaults.blockSize, replication = defaults.replication } = stat ?? {}
    return { path, action: 'append to', fileId, lease, blockSize, replication, syncBlock: true, defaults, signal }
  }
  const request = { src: path, clientName: lease.clientName, flag: createFlag.newBlock }
  const about = { action: 'append to', path, signal, isAwaited: true }
  const opened = nameNode.call(nameNodeMethods.append, request, about)
  try {
    const { block, stat } = await untilAborted(
      opened,
      signal,
      late => void recoverFile({ nameNode }, toFile(late.stat)),
    )
    return { file: toFile(stat), length: stat?.length ?? 0, last: block?.b }
  } catch (error) {
    lease.end()
    throw signal?.aborted ? toAbortError(signal, path) : error
  }
}

/**
 * Has the name node end a file as it is, with whatever all data nodes of its last block have. It would take it from
 * another writer: a file that has another owner by now is left alone.
 */
export const recoverFile = async ({ nameNode }: Pick<Transfer, 'nameNode'>, file: UnfinishedFile): Promise<void> => {
  const { path, lease } = file
  lease.end()
  const request = { src: inodePathOf(file) ?? path, clientName: lease.clientName }
  const recover = async (more: Retries): Promise<void> => {
    await keepBlocks({ nameNode }, { ...file, signal: undefined }, more)
    await nameNode.call(nameNodeMethods.recoverLease, request, { action: 'end', path, ...more })
  }
  await recover({ maxRetries: 0 }).catch(error => {
    if (!isLostLease(error)) void recover({}).catch(() => {})
  })
}

/** The name of a file that no other one ever has; undefined if the name node did not send it. */
const inodePathOf = ({ fileId }: UnfinishedFile): string | undefined =>
  fileId ? `/.reserved/.inodes/${fileId}` : undefined

/** A block after the previous one, on none of the excluded nodes. */
export const addBlock = async (
  { nameNode }: Transfer,
  file: UnfinishedFile,
  previous: ExtendedBlock | undefined,
  excludeNodes: readonly DatanodeInfo[],
): Promise<LocatedBlock> => {
  const { path, action, fileId, signal, lease } = file
  const request = { src: path, clientName: lease.clientName, previous, excludeNodes, fileId }
  const about = { action, path, signal }
  const { block } = await untilReplicated(file, signal, () => nameNode.call(nameNodeMethods.addBlock, request, about))
  return block
}

/** Takes back a block that nothing was written to. */
export const abandonBlock = async (
  { nameNode }: Transfer,
  { path, action, fileId, signal, lease }: UnfinishedFile,
  { b }: LocatedBlock,
): Promise<void> => {
  const request = { b, src: path, holder: lease.clientName, fileId }
  await nameNode.call(nameNodeMethods.abandonBlock, request, { action, path, signal })
}

/** The name node keeps the blocks so far in what it writes to its disks, not their lengths; if the file is still ours. */
export const keepBlocks = async (
  { nameNode }: Pick<Transfer, 'nameNode'>,
  { path, fileId, signal, lease }: UnfinishedFile,
  more: Retries = {},
): Promise<void> => {
  const request = { src: path, client: lease.clientName, lastBlockLength: unknownLength, fileId }
  await nameNode.call(nameNodeMethods.fsync, request, { action: 'sync', path, signal, ...more })
}

/** The file is whole. Once all bytes are there an abort comes too late. */
export const completeFile = async (
  { nameNode }: Transfer,
  file: UnfinishedFile,
  last: ExtendedBlock | undefined,
): Promise<void> => {
  const { path, action, fileId, lease } = file
  const request = { src: path, clientName: lease.clientName, last, fileId }
  await untilReplicated(file, undefined, async () => {
    const { result } = await nameNode.call(nameNodeMethods.complete, request, { action, path })
    return result ? true : undefined
  })
  lease.end()
}

/**
 * Removes what was begun, and no other file of its name. It never had its final name, so one attempt is waited for:
 * others follow, and without its lease the name node ends it after all.
 */
export const removeUnfinished = async (nameNode: Transfer['nameNode'], file: UnfinishedFile): Promise<void> => {
  const { path, lease } = file
  lease.end()
  const src = inodePathOf(file)
  if (src === undefined) return
  const remove = (more: Retries): Promise<unknown> =>
    nameNode.call(nameNodeMethods.delete, { src, recursive: false }, { action: 'remove', path, ...more })
  await remove({ maxRetries: 0 }).catch(() => void remove({}).catch(() => {}))
}
