/** Size of a memory that many batches share. */
export const memoryBytes = 1 << 20

/** Memories kept for reuse. */
const maxSpare = 8

/** Memory that a thread fills and hands over in ranges. */
export type Memory = {
  readonly number: number
  readonly buffer: SharedArrayBuffer
  readonly bytes: Uint8Array
  /** For one range alone. */
  readonly isLarge: boolean
  /** Bytes that ranges have taken. */
  filled: number
  /** Ranges that are not free again. */
  ranges: number
  /** Whether the desk knows it by its number. */
  isKnown: boolean
}

/** The memories of a thread: one is being filled, others are on their way or spare. */
export type Memories = {
  /** One with space for this many bytes, at most {@link memoryBytes}. */
  withRoom(bytes: number): Memory
  createLarge(bytes: number): Memory
  /** A range of it is free. */
  free(number: number): void
  /** Numbers that are not used any more, since this was asked last. */
  takeDropped(): readonly number[]
}

export const createMemories = (): Memories => {
  let count = 0
  let dropped: number[] = []
  const spare: Memory[] = []
  /** Full ones with ranges that are not free yet. */
  const away = new Map<number, Memory>()
  const create = (size: number, isLarge: boolean): Memory => {
    const buffer = new SharedArrayBuffer(size)
    const bytes = new Uint8Array(buffer)
    return { number: count++, buffer, bytes, isLarge, filled: 0, ranges: 0, isKnown: false }
  }
  let filling: Memory | undefined

  const reuse = (memory: Memory): void => {
    memory.filled = 0
    if (!away.delete(memory.number)) return
    if (spare.length < maxSpare) spare.push(memory)
    else dropped.push(memory.number)
  }
  return {
    withRoom: bytes => {
      if (filling !== undefined && memoryBytes - filling.filled < bytes) {
        away.set(filling.number, filling)
        filling = undefined
      }
      filling ??= spare.pop() ?? create(memoryBytes, false)
      return filling
    },
    createLarge: bytes => create(bytes, true),
    free: number => {
      const memory = number === filling?.number ? filling : away.get(number)
      if (memory !== undefined && --memory.ranges === 0) reuse(memory)
    },
    takeDropped: () => {
      const taken = dropped
      dropped = []
      return taken
    },
  }
}
