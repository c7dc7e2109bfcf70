/**
 * Continues a block on the remaining nodes of a broken pipeline, as Hadoop's `DataStreamer` does:
 *
 *     fsync                      says whether the file is still ours, whatever became of its blocks
 *     updateBlockForPipeline     a new generation stamp: what a node that was left has of the block is of the old one
 *     WRITE_BLOCK                the nodes that are left cut what not all of them have, and take the new stamp
 *     updatePipeline             the name node knows the block by it from here on
 */
import { throwIfAborted } from '../../abortable.ts'
import { FileSystemError } from '../../filesystem.ts'
import type { ResumedBlock } from '../data-node/begin-pipeline.ts'
import { xferAddrOf } from '../data-node/host-of.ts'
import type { DatanodeInfo, LocatedBlock } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { ExactSocket } from '../socket/exact-socket.ts'
import type { Transfer } from './transfer.ts'
import { keepBlocks, type UnfinishedFile } from './unfinished-file.ts'

/** A node that failed, and the error of the file. */
export type Blamed = { readonly node: DatanodeInfo; readonly error: FileSystemError }

export type BrokenPipeline = {
  readonly block: LocatedBlock
  readonly left: Omit<ResumedBlock, 'generationStamp'>
  /** Who broke it. */
  readonly blamed: Blamed
  /** Hears why another one did not begin, and says who is to blame. */
  readonly blame: (block: LocatedBlock, error: unknown) => Blamed
  /** Begins the pipeline of a block. */
  readonly begin: (block: LocatedBlock, resumed: ResumedBlock) => Promise<ExactSocket>
}

export type RecoveredPipeline = {
  readonly socket: ExactSocket
  /** With the nodes that are left, and its new stamp. */
  readonly block: LocatedBlock
  readonly resumed: ResumedBlock
}

/** Rejects with the `FileSystemError` of the last node when none is left, and with what the name node refuses. */
export const recoverPipeline = async (
  { nameNode }: Pick<Transfer, 'nameNode'>,
  file: UnfinishedFile,
  { block: broken, left, blame, begin, ...broke }: BrokenPipeline,
): Promise<RecoveredPipeline> => {
  const { path, action, signal } = file
  const { clientName } = file.lease
  const about = { action, path, signal }
  let { blamed } = broke
  await keepBlocks({ nameNode }, file)
  let remaining = without(broken, blamed.node)
  while (remaining.locs.length > 0) {
    const request = { block: broken.b, clientName }
    const next = (await nameNode.call(nameNodeMethods.updateBlockForPipeline, request, about)).block
    const { generationStamp } = next.b
    const resumed = { ...left, generationStamp }
    const block = { ...remaining, blockToken: next.blockToken }
    try {
      const socket = await begin(block, resumed)
      const newBlock = { ...broken.b, generationStamp, numBytes: left.acked }
      const nodes = { newNodes: block.locs.map(({ id }) => id), storageIDs: block.storageIDs }
      const update = { clientName, oldBlock: broken.b, newBlock, ...nodes }
      await nameNode.call(nameNodeMethods.updatePipeline, update, about).catch((error: unknown) => {
        socket.destroy(new Error('the name node did not take it'))
        throw error
      })
      return { socket, block: { ...block, b: newBlock }, resumed }
    } catch (error) {
      throwIfAborted(signal, path)
      if (error instanceof FileSystemError) throw error
      blamed = blame(block, error)
      remaining = without(remaining, blamed.node)
    }
  }
  throw blamed.error
}

/** The same pipeline without one of its nodes. */
const without = (block: LocatedBlock, node: DatanodeInfo): LocatedBlock => {
  const isLeft = (_: unknown, at: number): boolean =>
    block.locs[at] !== undefined && xferAddrOf(block.locs[at]) !== xferAddrOf(node)
  return {
    ...block,
    storageTypes: block.storageTypes.filter(isLeft),
    storageIDs: block.storageIDs.filter(isLeft),
    locs: block.locs.filter(isLeft),
  }
}
