import type { DatanodeInfo, LocatedBlock } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { Transfer } from './transfer.ts'

/** Reports a replica with wrong bytes to the name node, which then makes another one. */
export const reportBadBlock = (
  { nameNode }: Pick<Transfer, 'nameNode'>,
  path: string,
  block: LocatedBlock,
  node: DatanodeInfo,
): void => {
  const at = block.locs.indexOf(node)
  const storageTypes = block.storageTypes.slice(at, at + 1)
  const storageIDs = block.storageIDs.slice(at, at + 1)
  const about = { action: 'report a bad block of', path, maxRetries: 0 }
  nameNode
    .call(nameNodeMethods.reportBadBlocks, { blocks: [{ ...block, locs: [node], storageTypes, storageIDs }] }, about)
    .catch(() => {})
}
