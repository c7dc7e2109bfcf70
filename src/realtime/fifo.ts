/** A queue that can take elements back at its front; every operation costs what it moves, not what waits. */
export type Fifo<T> = {
  readonly length: number
  /** Of all elements. */
  readonly weight: number
  push(element: T): void
  /** Removes at most `count` elements from the front, at most `maxWeight` of them where that is more than one. */
  take(count: number, maxWeight?: number): T[]
  /** Puts taken elements back at the front, in their order. */
  putBack(elements: readonly T[]): void
  /** Removes all. */
  clear(): T[]
}

/** Empty. */
export const createFifo = <T>(weigh: (element: T) => number = () => 0): Fifo<T> => {
  let front: T[] = []
  let start = 0
  let back: T[] = []
  let weight = 0
  const weighAll = (elements: readonly T[]): number => elements.reduce((sum, element) => sum + weigh(element), 0)
  return {
    get length() {
      return front.length - start + back.length
    },
    get weight() {
      return weight
    },
    push: element => {
      weight += weigh(element)
      back.push(element)
    },
    take(count, maxWeight = Number.POSITIVE_INFINITY) {
      if (start === front.length) {
        front = back
        start = 0
        back = []
      }
      const taken: T[] = []
      let takenWeight = 0
      for (const element of front.slice(start, start + count)) {
        const next = takenWeight + weigh(element)
        if (taken.length > 0 && next > maxWeight) break
        takenWeight = next
        taken.push(element)
      }
      weight -= takenWeight
      start += taken.length
      // What was taken must not stay alive until the last of its neighbours is taken.
      if (start * 2 > front.length) {
        front = front.slice(start)
        start = 0
      }
      return taken
    },
    putBack(elements) {
      weight += weighAll(elements)
      front = [...elements, ...front.slice(start)]
      start = 0
    },
    clear() {
      const all = [...front.slice(start), ...back]
      front = []
      start = 0
      back = []
      weight = 0
      return all
    },
  }
}
