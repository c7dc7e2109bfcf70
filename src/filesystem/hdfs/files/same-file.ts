import type { LocatedBlocks } from '../name-node/messages.ts'

/** Blocks keep their ids when a file grows, and no other file ever has them. */
export const isOfSameFile = (before: LocatedBlocks, now: LocatedBlocks): boolean => {
  const idAt = new Map(before.blocks.map(({ offset, b }) => [offset, b.blockId]))
  const known = now.blocks.filter(({ offset }) => idAt.has(offset))
  return (
    now.fileLength >= before.fileLength &&
    now.fileEncryptionInfo === undefined &&
    now.ecPolicy === undefined &&
    known.length > 0 &&
    known.every(({ offset, b }) => b.blockId === idAt.get(offset))
  )
}
