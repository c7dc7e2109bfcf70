/**
 * Resources taken by the connections of a process's listeners, counted by the threads that have them. For each
 * listener: the values for all threads, then a row for each thread. A thread writes its own row only; a reader adds up
 * the rows. Two threads that take one at the same moment may be one above a limit, which does no harm.
 */
export type SharedCounts = {
  /** Of the listeners, in the order of their numbers: the same in all threads. */
  readonly names: string[]
  readonly rows: number
  readonly numbers: Int32Array
}

/** The counts of a row: open connections, and the descriptors that they take beside the one of each. */
export type CountedThing = 'open' | 'files'

/** The numbers of one listener, as one thread has them. */
export type CountCells = {
  /** Open connections, at the most. */
  most: number
  add(thing: CountedThing, count: number): void
  /** Of all threads. */
  sum(thing: CountedThing): number
  /** Whether it was not set before: one thread logs it. */
  setRefusing(isRefusing: boolean): boolean
  readonly isRefusing: boolean
}

const usualNames = ['server', 'gateway', 'scribe', 'admin']
const maxListeners = 8
const head = 2
const things = ['open', 'files'] as const satisfies readonly CountedThing[]

/** All zero. @param threads beside the one that makes them, whose row is 0 */
export const createSharedCounts = (threads = 0): SharedCounts => {
  const rows = threads + 1
  const bytes = Int32Array.BYTES_PER_ELEMENT * maxListeners * (head + things.length * rows)
  return { names: [...usualNames], rows, numbers: new Int32Array(new SharedArrayBuffer(bytes)) }
}

/** What a thread had open that has ended is not open any more. */
export const forgetRow = (counts: SharedCounts, row: number): void => {
  for (const index of counts.names.keys()) {
    for (const thing of things) Atomics.store(counts.numbers, toPlace(counts, index, row, thing), 0)
  }
}

/** @throws RangeError for too many listeners */
export const cellsOf = (counts: SharedCounts, name: string, row: number): CountCells => {
  const { names, numbers, rows } = counts
  const index = names.includes(name) ? names.indexOf(name) : names.push(name) - 1
  if (index >= maxListeners) throw new RangeError(`Listener ${name} is one too many to be counted`)
  const start = index * (head + things.length * rows)
  return {
    get most() {
      return Atomics.load(numbers, start)
    },
    set most(most) {
      Atomics.store(numbers, start, most)
    },
    add: (thing, count) => void Atomics.add(numbers, toPlace(counts, index, row, thing), count),
    sum: thing => {
      let sum = 0
      for (let one = 0; one < rows; one++) sum += Atomics.load(numbers, toPlace(counts, index, one, thing))
      return sum
    },
    setRefusing: isRefusing => Atomics.exchange(numbers, start + 1, Number(isRefusing)) !== Number(isRefusing),
    get isRefusing() {
      return Atomics.load(numbers, start + 1) === 1
    },
  }
}

const toPlace = ({ rows }: SharedCounts, index: number, row: number, thing: CountedThing): number =>
  index * (head + things.length * rows) + head + row * things.length + things.indexOf(thing)
