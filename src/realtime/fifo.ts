/** A queue that can take elements back at its front; every operation costs what it moves, not what waits. */
export type Fifo<T> = {
  readonly length: number
  push(element: T): void
  /** Removes at most `count` elements from the front. */
  take(count: number): T[]
  /** Puts taken elements back at the front, in their order. */
  putBack(elements: readonly T[]): void
  /** Removes all. */
  clear(): T[]
}

/** Empty. */
export const createFifo = <T>(): Fifo<T> => {
  let front: T[] = []
  let start = 0
  let back: T[] = []
  return {
    get length() {
      return front.length - start + back.length
    },
    push: element => void back.push(element),
    take(count) {
      if (start === front.length) {
        front = back
        start = 0
        back = []
      }
      const taken = front.slice(start, start + count)
      start += taken.length
      // What was taken must not stay alive until the last of its neighbours is taken.
      if (start * 2 > front.length) {
        front = front.slice(start)
        start = 0
      }
      return taken
    },
    putBack(elements) {
      front = [...elements, ...front.slice(start)]
      start = 0
    },
    clear() {
      const all = [...front.slice(start), ...back]
      front = []
      start = 0
      back = []
      return all
    },
  }
}
