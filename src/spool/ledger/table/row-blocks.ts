import type { FileRecord } from '../../files/bucket-file.ts'
import { type FileRow, rowBytes } from './file-rows.ts'

/** A block is given back once the last of its files is gone. */
const blockRows = 128

/** Rows from slot `first` on. States are kept apart, because most files have no state but "sealed". */
export type Block = {
  readonly first: number
  readonly view: DataView
  readonly states: Map<number, FileRecord['state']>
  /** Rows in use, and those of files that wait. */
  used: number
  waiting: number
}

/** Rows by their slots, in blocks that come and go as a whole. */
export type RowBlocks = {
  get(slot: number): Block | undefined
  /** @throws RangeError there is no such block */
  of(slot: number): Block
  /** Makes it where it is missing. */
  open(slot: number): Block
  /** Counts a row out. @param nextSlot the first slot that was never used: its block is still filled */
  release(block: Block, nextSlot: number): void
  /** The slots before `end` that are used, in their order; those of unwanted blocks are not looked at. */
  used(end: number, isWanted: (block: Block) => boolean): Generator<[Block, number], void, undefined>
}

/** @param isUsed whether a row holds a file */
export const createRowBlocks = (isUsed: (row: FileRow) => boolean): RowBlocks => {
  const blocks = new Map<number, Block>()
  const get = (slot: number): Block | undefined => blocks.get(Math.floor(slot / blockRows))
  return {
    get,
    of: slot => {
      const block = get(slot)
      if (!block) throw new RangeError(`There is no row ${slot}`)
      return block
    },
    open: slot => {
      const known = get(slot)
      if (known) return known
      const number = Math.floor(slot / blockRows)
      const view = new DataView(new ArrayBuffer(blockRows * rowBytes))
      const block = { first: number * blockRows, view, states: new Map(), used: 0, waiting: 0 }
      blocks.set(number, block)
      return block
    },
    release: (block, nextSlot) => {
      if (--block.used === 0 && block.first + blockRows <= nextSlot) blocks.delete(block.first / blockRows)
    },
    used: function* (end, isWanted) {
      for (const block of blocks.values()) {
        if (block.first >= end) return
        if (!isWanted(block)) continue
        for (let slot = block.first; slot < Math.min(end, block.first + blockRows); slot++) {
          if (isUsed(rowOf(block, slot))) yield [block, slot]
        }
      }
    },
  }
}

/** Where the row of a slot is. */
export const rowOf = (block: Block, slot: number): FileRow => ({
  view: block.view,
  at: (slot - block.first) * rowBytes,
})
