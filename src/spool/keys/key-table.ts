import { createSlotIndex } from '../ledger/table/slot-index.ts'
import { digestBytes, fingerprintBytes, type KeyRow } from './key-row.ts'

/**
 * The latest idempotency keys, by the order in which they came and not by a clock; the oldest make room. A row of 44
 * bytes and a place in an index for each, outside of the heap of objects.
 */
export type KeyTable = {
  /** Adds a key as the latest; one that is there already is replaced. */
  add(row: KeyRow): void
  find(digest: Uint8Array): KeyRow | undefined
  /** Rows from a number on, oldest first; those that made room or were replaced are left out. */
  rows(from: number): Generator<KeyRow, void, undefined>
  /** Number of the next row; they are counted from 0 on, whatever becomes of them. */
  readonly next: number
  readonly size: number
  /** When the oldest key was kept, ms since the epoch; undefined when there is none. */
  readonly oldestAt: number | undefined
}

type Block = { readonly bytes: Uint8Array; readonly view: DataView }

const rowBytes = 44
const blockRows = 4_096
/** Columns behind digest and fingerprint. */
const column = { at: digestBytes + fingerprintBytes, accepted: 32, rejected: 36, live: 40 } as const

/** Errors of all keys together; those of the oldest keys are forgotten first, and only their numbers stay. */
const maxErrorBytes = 32 << 20

/** Slots of the index count round; far more than there are rows at a time. */
const slots = 0xffff_fff0

export const createKeyTable = (maxKeys: number): KeyTable => {
  const blocks = new Map<number, Block>()
  const index = createSlotIndex()
  const errors = new Map<number, Uint8Array>()
  let errorBytes = 0
  let first = 0
  let next = 0
  let size = 0

  const blockOf = (row: number): Block => {
    const block = blocks.get(Math.floor(row / blockRows))
    if (!block) throw new RangeError(`There is no key ${row}`)
    return block
  }
  const startOf = (row: number): number => (row % blockRows) * rowBytes
  const isLive = (row: number): boolean => blockOf(row).view.getUint32(startOf(row) + column.live) === 1
  const toRowNumber = (slot: number): number => first + ((slot - (first % slots) + slots) % slots)
  const rowOf = (digest: Uint8Array): number | undefined => {
    const slot = index.find(hashOf(digest, 0), one => {
      const row = toRowNumber(one)
      return isSame(blockOf(row).bytes, startOf(row), digest)
    })
    return slot === undefined ? undefined : toRowNumber(slot)
  }
  const forgetErrors = (row: number): void => {
    errorBytes -= errors.get(row)?.length ?? 0
    errors.delete(row)
  }
  const remove = (row: number): void => {
    const { bytes, view } = blockOf(row)
    index.remove(hashOf(bytes, startOf(row)), row % slots)
    view.setUint32(startOf(row) + column.live, 0)
    forgetErrors(row)
    size--
  }
  const removeOldest = (): void => {
    if (isLive(first)) remove(first)
    first++
    if (first % blockRows === 0) blocks.delete(first / blockRows - 1)
  }
  const read = (row: number): KeyRow => {
    const bytes = blockOf(row).bytes.slice(startOf(row), startOf(row) + rowBytes)
    const view = new DataView(bytes.buffer)
    return {
      digest: bytes.subarray(0, digestBytes),
      fingerprint: bytes.subarray(digestBytes, digestBytes + fingerprintBytes),
      at: view.getFloat64(column.at),
      accepted: view.getUint32(column.accepted),
      rejected: view.getUint32(column.rejected),
      errors: errors.get(row),
    }
  }
  return {
    add: row => {
      const known = rowOf(row.digest)
      if (known !== undefined) remove(known)
      const number = next++
      if (number % blockRows === 0) blocks.set(number / blockRows, createBlock())
      const { bytes, view } = blockOf(number)
      const start = startOf(number)
      bytes.set(row.digest, start)
      bytes.set(row.fingerprint, start + digestBytes)
      view.setFloat64(start + column.at, row.at)
      view.setUint32(start + column.accepted, row.accepted)
      view.setUint32(start + column.rejected, row.rejected)
      view.setUint32(start + column.live, 1)
      index.add(hashOf(row.digest, 0), number % slots)
      size++
      if (row.errors) {
        // A copy: the row may be a view of much more.
        errors.set(number, row.errors.slice())
        errorBytes += row.errors.length
        for (const oldest of errors.keys()) {
          if (errorBytes <= maxErrorBytes) break
          forgetErrors(oldest)
        }
      }
      // Also what was replaced takes a row until it is the oldest.
      while (next - first > maxKeys) removeOldest()
    },
    find: digest => {
      const row = rowOf(digest)
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
      return next === first ? undefined : blockOf(first).view.getFloat64(startOf(first) + column.at)
    },
  }
}

const createBlock = (): Block => {
  const bytes = new Uint8Array(blockRows * rowBytes)
  return { bytes, view: new DataView(bytes.buffer) }
}

const hashOf = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0

const isSame = (bytes: Uint8Array, at: number, digest: Uint8Array): boolean => {
  for (let i = 0; i < digestBytes; i++) if (bytes[at + i] !== digest[i]) return false
  return true
}
