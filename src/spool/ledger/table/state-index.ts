import type { FileRecord } from '../../files/bucket-file.ts'
import { createFileFigures, type FileFigures, isWaiting } from './file-figures.ts'
import { places } from './file-rows.ts'
import { createLeast } from './least.ts'
import { createLine, type Line } from './line.ts'
import { type Block, type RowBlocks, rowOf } from './row-blocks.ts'

type State = FileRecord['state']

/** Slots by the states of their files, and the figures of all, kept as files come, change and go. */
export type StateIndex = {
  readonly figures: FileFigures
  /** Counts a file in, and notes its state. */
  enter(block: Block, slot: number, record: FileRecord): void
  /** Counts a file out, as it was. Its place among the committed is dropped when it is its turn. */
  leave(block: Block, slot: number, record: FileRecord): void
  /** Slots of files in a state other than sealed and committed; there are few. */
  slotsOf(at: State['at']): Set<number>
  readonly committed: Line
  /** Whether a file is moving from this temporary path. */
  isMoving(temporary: string): boolean
}

export const createStateIndex = (blocks: RowBlocks): StateIndex => {
  const slotsInState = new Map<State['at'], Set<number>>()
  const moving = new Map<string, number>()
  const committed = createLine(slot => blocks.get(slot)?.states.get(slot)?.at === 'committed')
  const placesOfSlots = {
    get: (slot: number) => places.get(rowOf(blocks.of(slot), slot)),
    set: (slot: number, place: number) => places.set(rowOf(blocks.of(slot), slot), place),
  }
  // A file is in one of them at a time, and so has one place.
  const leastWaiting = createLeast(placesOfSlots)
  const leastQuarantined = createLeast(placesOfSlots)
  const figures = createFileFigures(
    () => leastWaiting.value,
    () => leastQuarantined.value,
  )

  const slotsOf = (at: State['at']): Set<number> => {
    const known = slotsInState.get(at)
    if (known) return known
    const slots = new Set<number>()
    slotsInState.set(at, slots)
    return slots
  }

  return {
    figures,
    slotsOf,
    committed,
    isMoving: temporary => moving.has(temporary),
    enter: (block, slot, { file, state }) => {
      figures.add(file, state)
      if (state.at !== 'sealed') {
        block.states.set(slot, state)
        if (state.at === 'committed') committed.add(slot)
        else slotsOf(state.at).add(slot)
      }
      if ('temporary' in state) moving.set(state.temporary, slot)
      if (state.at === 'quarantined') leastQuarantined.add(slot, file.oldest)
      if (!isWaiting(state)) return
      block.waiting++
      leastWaiting.add(slot, file.oldest)
    },
    leave: (block, slot, { file, state }) => {
      figures.remove(file, state)
      block.states.delete(slot)
      slotsOf(state.at).delete(slot)
      if ('temporary' in state && moving.get(state.temporary) === slot) moving.delete(state.temporary)
      if (state.at === 'quarantined') leastQuarantined.remove(slot)
      if (!isWaiting(state)) return
      block.waiting--
      leastWaiting.remove(slot)
    },
  }
}
