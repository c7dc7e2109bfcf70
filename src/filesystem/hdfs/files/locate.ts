import { throwIfAborted } from '../../abortable.ts'
import type { OpenOptions } from '../../filesystem.ts'
import { visibleLengthOf } from '../data-node/visible-length.ts'
import { notFound } from '../name-node/calls.ts'
import { findBlocks } from '../name-node/find-blocks.ts'
import type { LocatedBlock, LocatedBlocks } from '../name-node/messages.ts'
import type { Transfer } from './transfer.ts'

type Locating = Pick<Transfer, 'nameNode' | 'clientName' | 'timeoutMs' | 'usesHostnames' | 'callDemand'>

/** How much of a file is asked about at a time, as by Hadoop's clients: ten blocks. */
const locatedBytes = 10 * 128 * 1024 * 1024

/** Where the blocks are that a part of a file begins with; a block that is still being written is as long as can be read. */
export const locate = async (
  transfer: Locating,
  path: string,
  { offset = 0, length = locatedBytes, signal }: OpenOptions,
): Promise<LocatedBlocks> => {
  const range = { offset, length: Math.min(length, locatedBytes) }
  const locations = await findBlocks(transfer.nameNode, range, { action: 'open', path, signal })
  if (locations === undefined) throw notFound(path, 'open')
  const { lastBlock, isLastBlockComplete, fileEncryptionInfo, ecPolicy } = locations
  const isForeign = fileEncryptionInfo !== undefined || ecPolicy !== undefined
  if (isLastBlockComplete || lastBlock === undefined || isForeign) return locations
  return await withOpenBlock(transfer, path, locations, lastBlock, signal)
}

/** As it is where the length of the block cannot be learnt. */
const withOpenBlock = async (
  { clientName: user, timeoutMs, usesHostnames, callDemand: demand }: Locating,
  path: string,
  located: LocatedBlocks,
  last: LocatedBlock,
  signal: AbortSignal | undefined,
): Promise<LocatedBlocks> => {
  const numBytes = await visibleLengthOf(last, { path, user, timeoutMs, usesHostnames, demand, signal }).catch(
    () => undefined,
  )
  throwIfAborted(signal, path)
  if (numBytes === undefined) return located
  const before = located.blocks.filter(({ offset }) => offset < last.offset)
  const end = { ...last, b: { ...last.b, numBytes } }
  return {
    ...located,
    fileLength: last.offset + numBytes,
    blocks: numBytes > 0 ? [...before, end] : before,
    isLastBlockComplete: true,
  }
}
