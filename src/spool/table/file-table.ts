import type { BucketFile, FileRecord } from '../bucket-file.ts'
import { createFileFigures, type FileFigures, isWaiting } from './file-figures.ts'
import { createFileRows, places, type Row, rowBytes } from './file-rows.ts'
import { createLeast } from './least.ts'
import { createLine } from './line.ts'
import { createSlotIndex } from './slot-index.ts'
import { hashText } from './text-pool.ts'

type State = FileRecord['state']

/**
 * The files that the ledger knows, by name, in the order in which they came: oldest segments first. Some 100 bytes for
 * each, outside of the heap of objects, so that a million of them slow nothing down. What is asked often is kept as
 * files come, change and go.
 */
export type FileTable = {
  get(name: string): FileRecord | undefined
  has(name: string): boolean
  /** Adds a file, or replaces what is known of it; it keeps its place then. */
  set(record: FileRecord): void
  delete(name: string): void
  values(): Generator<FileRecord, void, undefined>
  names(): Generator<string, void, undefined>
  /** Files on their way to the file system, oldest first; those that come while one looks are left out. */
  waiting(): Generator<FileRecord, void, undefined>
  /** Files of which the file system has its copy; those first that came there first. */
  committed(): Generator<FileRecord, void, undefined>
  /** Files in any other state; in the order in which they came into it. */
  inState(at: State['at']): Generator<FileRecord, void, undefined>
  /** Notes that a file was found where it belongs. */
  markFound(name: string): void
  /** Files that nobody marked. */
  missing(): Generator<FileRecord, void, undefined>
  /** Whether a file on its way may stand under this temporary path. */
  isMoving(temporary: string): boolean
  readonly size: number
  readonly figures: FileFigures
}

const sealed: State = { at: 'sealed' }

/** Members of a bucket file; one with others is kept as it is. */
const members = 10

/** Rows that come and go together: a block is given back once the last of its files is gone. */
const blockRows = 128

/** Rows from slot `first` on. States stand beside them, for most files have none but "sealed". */
type Block = {
  readonly first: number
  readonly view: DataView
  readonly states: Map<number, State>
  /** Rows in use, and those of files that wait. */
  used: number
  waiting: number
}

export const createFileTable = (): FileTable => {
  const blocks = new Map<number, Block>()
  const index = createSlotIndex()
  const rows = createFileRows()
  /** Files with members that this version does not know. */
  const odd = new Map<number, BucketFile>()
  /** Slots of files that are neither sealed nor committed, by state; there are few. */
  const slotsInState = new Map<State['at'], Set<number>>()
  const moving = new Map<string, number>()
  const committed = createLine(slot => blocks.get(Math.floor(slot / blockRows))?.states.get(slot)?.at === 'committed')
  const blockOf = (slot: number): Block => {
    const block = blocks.get(Math.floor(slot / blockRows))
    if (!block) throw new RangeError(`There is no row ${slot}`)
    return block
  }
  const rowOf = (block: Block, slot: number): Row => ({ view: block.view, at: (slot - block.first) * rowBytes })
  const least = createLeast({
    get: slot => places.get(rowOf(blockOf(slot), slot)),
    set: (slot, place) => places.set(rowOf(blockOf(slot), slot), place),
  })
  const figures = createFileFigures(() => least.value)
  let nextSlot = 0
  let size = 0

  const recordAt = (block: Block, slot: number): FileRecord => ({
    file: odd.get(slot) ?? rows.read(rowOf(block, slot)),
    state: block.states.get(slot) ?? sealed,
  })
  const find = (name: string): number | undefined =>
    index.find(hashText(name), slot => rows.name(rowOf(blockOf(slot), slot)) === name)

  /** Counts a file in, and notes its state. */
  const enter = (block: Block, slot: number, { file, state }: FileRecord): void => {
    figures.add(file, state)
    if (state.at !== 'sealed') {
      block.states.set(slot, state)
      if (state.at === 'committed') committed.add(slot)
      else slotsOf(state.at).add(slot)
    }
    if ('temporary' in state) moving.set(state.temporary, slot)
    if (!isWaiting(state)) return
    block.waiting++
    least.add(slot, file.oldest)
  }
  /** Counts a file out, as it was. */
  const leave = (block: Block, slot: number, { file, state }: FileRecord): void => {
    figures.remove(file, state)
    block.states.delete(slot)
    slotsOf(state.at).delete(slot)
    if ('temporary' in state && moving.get(state.temporary) === slot) moving.delete(state.temporary)
    if (!isWaiting(state)) return
    block.waiting--
    least.remove(slot)
  }
  const slotsOf = (at: State['at']): Set<number> => {
    const known = slotsInState.get(at)
    if (known) return known
    const slots = new Set<number>()
    slotsInState.set(at, slots)
    return slots
  }

  function* scan(wanted: (block: Block) => boolean): Generator<[Block, number], void, undefined> {
    const end = nextSlot
    for (const block of blocks.values()) {
      if (block.first >= end) return
      if (!wanted(block)) continue
      for (let slot = block.first; slot < Math.min(end, block.first + blockRows); slot++) {
        if (rows.isUsed(rowOf(block, slot))) yield [block, slot]
      }
    }
  }

  return {
    figures,
    get: name => {
      const slot = find(name)
      return slot === undefined ? undefined : recordAt(blockOf(slot), slot)
    },
    has: name => find(name) !== undefined,
    set: record => {
      const known = find(record.file.name)
      const slot = known ?? nextSlot++
      const number = Math.floor(slot / blockRows)
      let block = blocks.get(number)
      if (!block) {
        const view = new DataView(new ArrayBuffer(blockRows * rowBytes))
        block = { first: number * blockRows, view, states: new Map(), used: 0, waiting: 0 }
        blocks.set(number, block)
      }
      const row = rowOf(block, slot)
      if (known === undefined) {
        index.add(hashText(record.file.name), slot)
        block.used++
        size++
      } else {
        const before = recordAt(block, slot)
        leave(block, slot, before)
        if (before.state.at === 'committed') committed.remove(slot)
        rows.clear(row)
        odd.delete(slot)
      }
      rows.write(row, record.file)
      if (Object.keys(record.file).length > members) odd.set(slot, record.file)
      enter(block, slot, record)
    },
    delete: name => {
      const slot = find(name)
      if (slot === undefined) return
      const block = blockOf(slot)
      leave(block, slot, recordAt(block, slot))
      index.remove(hashText(name), slot)
      rows.clear(rowOf(block, slot))
      odd.delete(slot)
      size--
      if (--block.used === 0 && block.first + blockRows <= nextSlot) blocks.delete(block.first / blockRows)
    },
    values: function* () {
      for (const [block, slot] of scan(() => true)) yield recordAt(block, slot)
    },
    names: function* () {
      for (const [block, slot] of scan(() => true)) yield rows.name(rowOf(block, slot))
    },
    waiting: function* () {
      for (const [block, slot] of scan(({ waiting }) => waiting > 0)) {
        if (isWaiting(block.states.get(slot) ?? sealed)) yield recordAt(block, slot)
      }
    },
    committed: function* () {
      for (const slot of committed.values()) yield recordAt(blockOf(slot), slot)
    },
    inState: function* (at) {
      const slots = [...slotsOf(at)]
      for (const slot of slots) {
        const block = blocks.get(Math.floor(slot / blockRows))
        if (block?.states.get(slot)?.at === at) yield recordAt(block, slot)
      }
    },
    markFound: name => {
      const slot = find(name)
      if (slot !== undefined) rows.mark(rowOf(blockOf(slot), slot))
    },
    missing: function* () {
      for (const [block, slot] of scan(() => true)) {
        if (!rows.isMarked(rowOf(block, slot))) yield recordAt(block, slot)
      }
    },
    isMoving: temporary => moving.has(temporary),
    get size() {
      return size
    },
  }
}
