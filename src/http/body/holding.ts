/** What requests hold, and how many there are. */
export type Held = {
  inflightBytes: number
  queuedEvents: number
  requests: number
  /** Of the bytes: of large bodies that have arrived or may arrive, and of incomplete bodies. */
  large: number
  incomplete: number
}

/** What the requests of all threads hold: each thread counts its own, and reads the sums. */
export type Holding = {
  readonly all: Readonly<Held>
  add(what: keyof Held, more: number): void
  /** Whether other threads hold something that they give back without a word. */
  readonly isShared: boolean
}

const places = { inflightBytes: 0, queuedEvents: 1, requests: 2, large: 3, incomplete: 4 } as const satisfies Readonly<
  Record<keyof Held, number>
>

const rowLength = Object.keys(places).length

/** Bytes of the numbers of one thread. */
export const holdingRowBytes = rowLength * Float64Array.BYTES_PER_ELEMENT

/** @param memory of the rows of all threads, all zero at the start. @default of this thread alone */
export const createHolding = (memory: ArrayBufferLike = new ArrayBuffer(holdingRowBytes), row = 0): Holding => {
  const numbers = new Float64Array(memory)
  const start = row * rowLength
  const sum = (what: keyof Held): number => {
    let total = 0
    for (let at = places[what]; at < numbers.length; at += rowLength) total += numbers[at] ?? 0
    return total
  }
  return {
    all: {
      get inflightBytes() {
        return sum('inflightBytes')
      },
      get queuedEvents() {
        return sum('queuedEvents')
      },
      get requests() {
        return sum('requests')
      },
      get large() {
        return sum('large')
      },
      get incomplete() {
        return sum('incomplete')
      },
    },
    add: (what, more) => {
      const at = start + places[what]
      numbers[at] = (numbers[at] ?? 0) + more
    },
    isShared: numbers.length > rowLength,
  }
}

/** Gives back what the requests of a thread held that has ended. */
export const forgetHeld = (memory: ArrayBufferLike, row: number): void =>
  void new Float64Array(memory, row * holdingRowBytes, rowLength).fill(0)
