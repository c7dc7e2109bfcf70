import { createSlotIndex } from '../ledger/table/slot-index.ts'
import { digestBytes, type RowForm, type WindowRow } from './row-form.ts'

/**
 * The latest rows, in order of arrival and not by a clock; the oldest make room. Their heads and a place in an index
 * for each are outside of the heap of objects; a table without rows takes next to nothing.
 */
export type RowTable = {
  /** Adds a row as the latest; one with its digest that is there already is replaced. */
  add(row: WindowRow): void
  /** Whether there is a row with the digest that begins there. */
  has(bytes: Uint8Array, start: number): boolean
  find(digest: Uint8Array): WindowRow | undefined
  /** Rows from a number on, oldest first; those that made room or were replaced are left out. */
  rows(from: number): Generator<WindowRow, void, undefined>
  /** Number of the next row; they are counted from 0 on, whatever becomes of them. */
  readonly next: number
  readonly size: number
  /** When the oldest row was kept, ms since the epoch; undefined while there are no rows. */
  readonly oldestAt: number | undefined
}

type Block = { readonly heads: Uint8Array; readonly view: DataView; readonly isLive: Uint8Array }

const blockRows = 4_096

/** Tails of all rows together; those of the oldest rows are forgotten first, and only their heads stay. */
const maxTailBytes = 32 << 20

/** Slots of the index count round; far more than there are rows at a time. */
const slots = 0xffff_fff0

export const createRowTable = ({ headBytes, timeAt }: RowForm, maxRows: number): RowTable => {
  const blocks = new Map<number, Block>()
  const index = createSlotIndex()
  const tails = createTails()
  let first = 0
  let next = 0
  let size = 0

  const blockOf = (row: number): Block => {
    const block = blocks.get(Math.floor(row / blockRows))
    if (!block) throw new RangeError(`There is no row ${row}`)
    return block
  }
  const startOf = (row: number): number => (row % blockRows) * headBytes
  const isLive = (row: number): boolean => blockOf(row).isLive[row % blockRows] === 1
  const toRowNumber = (slot: number): number => first + ((slot - (first % slots) + slots) % slots)
  const rowOf = (digests: Uint8Array, start: number): number | undefined => {
    if (size === 0) return undefined
    const slot = index.find(hashOf(digests, start), one => {
      const row = toRowNumber(one)
      return isSame(blockOf(row).heads, startOf(row), digests, start)
    })
    return slot === undefined ? undefined : toRowNumber(slot)
  }
  const remove = (row: number): void => {
    const block = blockOf(row)
    index.remove(hashOf(block.heads, startOf(row)), row % slots)
    block.isLive[row % blockRows] = 0
    tails.forget(row)
    size--
  }
  const removeOldest = (): void => {
    if (isLive(first)) remove(first)
    first++
    if (first % blockRows === 0) blocks.delete(first / blockRows - 1)
  }
  const read = (row: number): WindowRow => ({
    head: blockOf(row).heads.slice(startOf(row), startOf(row) + headBytes),
    tail: tails.get(row),
  })
  return {
    add: ({ head, tail }) => {
      const known = rowOf(head, 0)
      if (known !== undefined) remove(known)
      const number = next++
      if (number % blockRows === 0) blocks.set(number / blockRows, createBlock(headBytes))
      const block = blockOf(number)
      block.heads.set(head, startOf(number))
      block.isLive[number % blockRows] = 1
      index.add(hashOf(head, 0), number % slots)
      size++
      if (tail) tails.add(number, tail)
      // Also what was replaced takes a row until it is the oldest.
      while (next - first > maxRows) removeOldest()
    },
    has: (bytes, start) => rowOf(bytes, start) !== undefined,
    find: digest => {
      const row = rowOf(digest, 0)
      return row === undefined ? undefined : read(row)
    },
    rows: function* (from) {
      const end = next
      for (let row = Math.max(from, first); row < end; row = Math.max(row + 1, first)) if (isLive(row)) yield read(row)
    },
    get next() {
      return next
    },
    get size() {
      return size
    },
    get oldestAt() {
      return next === first ? undefined : blockOf(first).view.getFloat64(startOf(first) + timeAt)
    },
  }
}

/** Tails by the numbers of their rows. */
const createTails = () => {
  const tails = new Map<number, Uint8Array>()
  let bytes = 0
  const forget = (row: number): void => {
    bytes -= tails.get(row)?.length ?? 0
    tails.delete(row)
  }
  return {
    add: (row: number, tail: Uint8Array): void => {
      // A copy: it may be a view of much more.
      tails.set(row, tail.slice())
      bytes += tail.length
      for (const oldest of tails.keys()) {
        if (bytes <= maxTailBytes) break
        forget(oldest)
      }
    },
    get: (row: number): Uint8Array | undefined => tails.get(row),
    forget,
  }
}

const createBlock = (headBytes: number): Block => {
  const heads = new Uint8Array(blockRows * headBytes)
  return { heads, view: new DataView(heads.buffer), isLive: new Uint8Array(blockRows) }
}

const hashOf = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0

const isSame = (heads: Uint8Array, at: number, digests: Uint8Array, start: number): boolean => {
  for (let i = 0; i < digestBytes; i++) if (heads[at + i] !== digests[start + i]) return false
  return true
}
