import type { BucketFile, FileRecord } from '../../files/bucket-file.ts'
import { commitTurns, type WaitingSlot } from './commit-turns.ts'
import { type FileFigures, isOnItsWay } from './file-figures.ts'
import { createFileRows } from './file-rows.ts'
import { type Block, createRowBlocks, rowOf } from './row-blocks.ts'
import { createSlotIndex } from './slot-index.ts'
import { createStateIndex } from './state-index.ts'
import { hashText } from './text-pool.ts'

type State = FileRecord['state']

/**
 * The files that the ledger knows, by name, in order of arrival: oldest segments first. Some 100 bytes for each,
 * outside of the heap of objects, so that a million of them slow nothing down. What is asked often is kept as files
 * come, change and go.
 */
export type FileTable = {
  get(name: string): FileRecord | undefined
  has(name: string): boolean
  /** Adds a file, or replaces what is known of it; it keeps its place then. */
  set(record: FileRecord): void
  delete(name: string): void
  values(): Generator<FileRecord, void, undefined>
  names(): Generator<string, void, undefined>
  /** Files that were made from certain segments. */
  ofSegments(isWanted: (segment: number) => boolean): Generator<FileRecord, void, undefined>
  /**
   * Files on their way to the file system, as {@link commitTurns} orders them; those that arrive meanwhile are left
   * out.
   */
  waiting(): Generator<FileRecord, void, undefined>
  /** Files of which the file system has its copy; in the order of their commits. */
  committed(): Generator<FileRecord, void, undefined>
  /** Files in any other state; in the order in which they entered it. */
  inState(at: State['at']): Generator<FileRecord, void, undefined>
  /** Notes that a file was found where it belongs. */
  markFound(name: string): void
  /** Files that were not marked. */
  missing(): Generator<FileRecord, void, undefined>
  /** Whether a file on its way may be under this temporary path. */
  isMoving(temporary: string): boolean
  readonly size: number
  readonly figures: FileFigures
}

const sealed: State = { at: 'sealed' }

/** Members of a bucket file; one with others is kept as it is. */
const members = 10

export const createFileTable = (): FileTable => {
  const index = createSlotIndex()
  const rows = createFileRows()
  const blocks = createRowBlocks(row => rows.isUsed(row))
  const states = createStateIndex(blocks)
  /** Files with members that this version does not know. */
  const odd = new Map<number, BucketFile>()
  let nextSlot = 0
  let size = 0

  const recordAt = (block: Block, slot: number): FileRecord => ({
    file: odd.get(slot) ?? rows.read(rowOf(block, slot)),
    state: block.states.get(slot) ?? sealed,
  })
  const find = (name: string): number | undefined =>
    index.find(hashText(name), slot => rows.name(rowOf(blocks.of(slot), slot)) === name)
  const all = () => blocks.used(nextSlot, () => true)

  const isInUseAndOnItsWay = (block: Block, slot: number): boolean =>
    rows.isUsed(rowOf(block, slot)) && isOnItsWay(block.states.get(slot) ?? sealed)

  function* waitingSlots(): Generator<WaitingSlot, void, undefined> {
    for (const [block, slot] of blocks.used(nextSlot, ({ waiting }) => waiting > 0))
      if (isInUseAndOnItsWay(block, slot)) yield { slot, segment: rows.segment(rowOf(block, slot)) }
  }

  return {
    figures: states.figures,
    get: name => {
      const slot = find(name)
      return slot === undefined ? undefined : recordAt(blocks.of(slot), slot)
    },
    has: name => find(name) !== undefined,
    set: record => {
      const known = find(record.file.name)
      const slot = known ?? nextSlot++
      const block = blocks.open(slot)
      const row = rowOf(block, slot)
      if (known === undefined) {
        index.add(hashText(record.file.name), slot)
        block.used++
        size++
      } else {
        const before = recordAt(block, slot)
        states.leave(block, slot, before)
        if (before.state.at === 'committed') states.committed.remove(slot)
        rows.clear(row)
        odd.delete(slot)
      }
      rows.write(row, record.file)
      if (Object.keys(record.file).length > members) odd.set(slot, record.file)
      states.enter(block, slot, record)
    },
    delete: name => {
      const slot = find(name)
      if (slot === undefined) return
      const block = blocks.of(slot)
      states.leave(block, slot, recordAt(block, slot))
      index.remove(hashText(name), slot)
      rows.clear(rowOf(block, slot))
      odd.delete(slot)
      size--
      blocks.release(block, nextSlot)
    },
    values: function* () {
      for (const [block, slot] of all()) yield recordAt(block, slot)
    },
    names: function* () {
      for (const [block, slot] of all()) yield rows.name(rowOf(block, slot))
    },
    ofSegments: function* (isWanted) {
      for (const [block, slot] of all()) if (isWanted(rows.segment(rowOf(block, slot)))) yield recordAt(block, slot)
    },
    waiting: function* () {
      for (const slot of commitTurns(waitingSlots())) {
        const block = blocks.get(slot)
        if (block && isInUseAndOnItsWay(block, slot)) yield recordAt(block, slot)
      }
    },
    committed: function* () {
      for (const slot of states.committed.values()) yield recordAt(blocks.of(slot), slot)
    },
    inState: function* (at) {
      for (const slot of Array.from(states.slotsOf(at))) {
        const block = blocks.get(slot)
        if (block?.states.get(slot)?.at === at) yield recordAt(block, slot)
      }
    },
    markFound: name => {
      const slot = find(name)
      if (slot !== undefined) rows.mark(rowOf(blocks.of(slot), slot))
    },
    missing: function* () {
      for (const [block, slot] of all()) if (!rows.isMarked(rowOf(block, slot))) yield recordAt(block, slot)
    },
    isMoving: temporary => states.isMoving(temporary),
    get size() {
      return size
    },
  }
}
