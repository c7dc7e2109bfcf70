/**
 * Writes a whole new file:
 *
 *     create ─▶ addBlock ─▶ its bytes to a pipeline ─▶ addBlock … ─▶ complete, until the last block has its replicas
 *
 * A pipeline that cannot be begun is asked for once more, without the node that failed. One that breaks under way fails the
 * whole file, which is removed: the publisher sends it again.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { release } from '../../../bytes/slabs.ts'
import { abortable, toAbortError } from '../../abortable.ts'
import { remoteOf } from '../../cluster/remote-exception.ts'
import { refusal } from '../../cluster/steps.ts'
import type { CreateOptions, FsServerDefaults } from '../../hadoop-verbs.ts'
import { defaultFilePermission } from '../../options.ts'
import { BlockWriter } from '../data-node/block-writer.ts'
import { ReplicaError } from '../data-node/replica-error.ts'
import { toFileSystemError } from '../errors.ts'
import type { DatanodeInfo, ExtendedBlock, LocatedBlock } from '../name-node/messages.ts'
import { createFlag, nameNodeMethods } from '../name-node/methods.ts'
import { nodeName } from '../socket/exact-socket.ts'
import type { Lease } from './leases.ts'
import { addressOf, type Transfer } from './read-file.ts'

export type WriteTransfer = Transfer & {
  readonly lease: Lease
  readonly defaultsOf: (path: string) => Promise<FsServerDefaults>
}

/** Where a file is that is being written. */
type OpenFile = {
  readonly path: string
  readonly fileId: bigint | undefined
  readonly blockSize: number
  /** Whether data nodes sync a block to their disks when it ends. */
  readonly syncBlock: boolean
  readonly defaults: FsServerDefaults
  readonly signal: AbortSignal | undefined
}

/** Pipelines that are asked for, for one block. */
const maxPipelines = 4
/** How long `complete` and `addBlock` are asked until the block before has its replicas, and the waits between. */
const maxWaitMs = 60_000
const firstWaitMs = 2
const longestWaitMs = 400

/** A file here would be encrypted, or erasure-coded: WebHDFS writes it. Nothing was written. */
export class NotNative extends Error {
  override readonly name = 'NotNative'
}

/** Rejects with `FileSystemError`, what `source` throws, and {@link NotNative} before anything of it was read. */
export const writeBlockFile = async (
  transfer: WriteTransfer,
  path: string,
  source: AsyncIterable<Uint8Array>,
  options: CreateOptions,
): Promise<void> => {
  if (path === '/') throw refusal('is-directory', path, 'create', 'it is a directory')
  const done = transfer.lease.hold()
  let file: OpenFile | undefined
  try {
    file = await create(transfer, path, options)
    const last = await writeBlocks(transfer, file, abortable(source, options.signal, path))
    await complete(transfer, file, last)
  } catch (error) {
    if (file) await remove(transfer, file)
    throw error
  } finally {
    done()
  }
}

const create = async (
  { nameNode, clientName, defaultsOf }: WriteTransfer,
  path: string,
  { overwrite = false, permission = defaultFilePermission, signal, ...options }: CreateOptions,
): Promise<OpenFile> => {
  const defaults = await defaultsOf(path)
  const blockSize = options.blockSize ?? defaults.blockSize
  const request = {
    src: path,
    masked: { perm: permission },
    clientName,
    createFlag: createFlag.create | (overwrite ? createFlag.overwrite : 0),
    createParent: true,
    replication: options.replication ?? defaults.replication,
    blockSize,
  }
  const { fs } = await nameNode
    .call(nameNodeMethods.create, request, { action: 'create', path, signal })
    .catch(error => {
      // No version of it was offered.
      if (remoteOf(error)?.exception === 'UnknownCryptoProtocolVersionException') throw new NotNative('it is encrypted')
      throw error
    })
  const file = { path, fileId: fs?.fileId, blockSize, syncBlock: options.syncBlock === true, defaults, signal }
  if (fs?.ecPolicy === undefined && fs?.fileEncryptionInfo === undefined) return file
  await remove({ nameNode }, file)
  throw new NotNative('it is erasure-coded')
}

/** @returns the last block, with its length; none of an empty file */
const writeBlocks = async (
  transfer: WriteTransfer,
  file: OpenFile,
  source: AsyncGenerator<Uint8Array, void, undefined>,
): Promise<ExtendedBlock | undefined> => {
  let last: ExtendedBlock | undefined
  let open: { readonly writer: BlockWriter; readonly block: LocatedBlock } | undefined
  const finish = async (): Promise<void> => {
    if (open === undefined) return
    const { writer, block } = open
    await guard(file, block, () => writer.finish())
    last = { ...block.b, numBytes: writer.length }
    open = undefined
  }
  const { signal, path } = file
  const onAbort = (): void => {
    if (signal) open?.writer.destroy(toAbortError(signal, path))
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for await (const chunk of source) {
      if (chunk.length === 0) release(chunk)
      for (let from = 0; from < chunk.length; ) {
        open ??= await openBlock(transfer, file, last)
        const { writer, block } = open
        const to = Math.min(from + file.blockSize - writer.length, chunk.length)
        // A copy: a part of a buffer is a view of it, and what was lent goes back before it is sent.
        const part = from === 0 && to === chunk.length ? chunk : Uint8Array.prototype.slice.call(chunk, from, to)
        await guard(file, block, () => writer.write(part))
        from = to
        if (part !== chunk && to === chunk.length) release(chunk)
        if (writer.length === file.blockSize) await finish()
      }
    }
    await finish()
    return last
  } catch (error) {
    open?.writer.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Errors of a pipeline as those of the file. */
const guard = async (file: OpenFile, block: LocatedBlock, step: () => Promise<void>): Promise<void> => {
  try {
    await step()
  } catch (error) {
    const [first] = block.locs
    const bad = error instanceof ReplicaError ? error.badNode : undefined
    throw toFileSystemError(error, `data node ${bad ?? (first ? nodeName(addressOf(first)) : '')}`, 'create', file.path)
  }
}

const openBlock = async (
  transfer: WriteTransfer,
  file: OpenFile,
  previous: ExtendedBlock | undefined,
): Promise<{ readonly writer: BlockWriter; readonly block: LocatedBlock }> => {
  const { nameNode, clientName } = transfer
  const { path, fileId, defaults, syncBlock, signal } = file
  const about = { action: 'create', path, signal }
  const excluded: DatanodeInfo[] = []
  for (let tried = 1; ; tried++) {
    const request = { src: path, clientName, previous, excludeNodes: excluded, fileId }
    const { block } = await untilReplicated(file, () => nameNode.call(nameNodeMethods.addBlock, request, about))
    const [first] = block.locs
    if (first === undefined) throw refusal('unavailable', path, 'create', 'the name node named no data node')
    const address = addressOf(first)
    try {
      const { bytesPerChecksum, checksumType, writePacketSize: packetBytes } = defaults
      const options = { ...transfer, block, address, bytesPerChecksum, checksumType, packetBytes, syncBlock }
      return { writer: await BlockWriter.open(options), block }
    } catch (error) {
      const bad = error instanceof ReplicaError ? error.badNode : undefined
      excluded.push(block.locs.find(one => nodeName(addressOf(one)) === bad) ?? first)
      await nameNode.call(nameNodeMethods.abandonBlock, { b: block.b, src: path, holder: clientName, fileId }, about)
      if (tried === maxPipelines)
        throw toFileSystemError(error, `data node ${bad ?? nodeName(address)}`, 'create', path)
    }
  }
}

const complete = async (
  { nameNode, clientName }: WriteTransfer,
  file: OpenFile,
  last: ExtendedBlock | undefined,
): Promise<void> => {
  const { path, fileId } = file
  // Once all bytes are there an abort comes too late.
  const about = { action: 'create', path }
  await untilReplicated(file, async () => {
    const { result } = await nameNode.call(nameNodeMethods.complete, { src: path, clientName, last, fileId }, about)
    return result ? true : undefined
  })
}

/** Asks until the name node has heard of the replicas of the block before. */
const untilReplicated = async <T>({ path }: OpenFile, ask: () => Promise<T | undefined>): Promise<T> => {
  const deadline = Date.now() + maxWaitMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const answer = await ask().catch((error: unknown) => {
      if (remoteOf(error)?.exception !== 'NotReplicatedYetException') throw error
      return undefined
    })
    if (answer !== undefined) return answer
    if (Date.now() > deadline) {
      throw refusal('unavailable', path, 'create', 'the name node waits for replicas of its last block')
    }
    await wait(waitMs)
  }
}

/** Removes what was begun, and no other file of its name; as well as it can: it never had its final name. */
const remove = async ({ nameNode }: Pick<Transfer, 'nameNode'>, { path, fileId }: OpenFile): Promise<void> => {
  if (!fileId) return
  const about = { action: 'remove', path, maxRetries: 0 }
  await nameNode
    .call(nameNodeMethods.delete, { src: `/.reserved/.inodes/${fileId}`, recursive: false }, about)
    .catch(() => {})
}
