/** The least of many numbers, kept while they come and go: a heap of slots, in which each knows its place. */
export type Least = {
  add(slot: number, value: number): void
  /** A slot that is not there is fine. */
  remove(slot: number): void
  /** The least value; undefined when empty. */
  readonly value: number | undefined
}

/** Where a slot keeps its place in the heap; 0 outside the heap. */
export type Places = { get(slot: number): number; set(slot: number, place: number): void }

const firstSize = 64

export const createLeast = (places: Places): Least => {
  // Places count from 1: the parent of a place is half of it.
  let slots = new Float64Array(firstSize)
  let values = new Float64Array(firstSize)
  let size = 0

  const put = (place: number, slot: number, value: number): void => {
    slots[place] = slot
    values[place] = value
    places.set(slot, place)
  }
  /** Carries a slot from a free place towards the top, or else down, to where it belongs. */
  const settle = (from: number, slot: number, value: number): void => {
    let place = from
    for (let up = place >> 1; up > 0 && at(values, up) > value; up = place >> 1) {
      put(place, at(slots, up), at(values, up))
      place = up
    }
    for (let down = place * 2; down <= size; down = place * 2) {
      if (down < size && at(values, down + 1) < at(values, down)) down++
      if (at(values, down) >= value) break
      put(place, at(slots, down), at(values, down))
      place = down
    }
    put(place, slot, value)
  }
  return {
    add: (slot, value) => {
      size++
      if (size === slots.length) {
        slots = enlarged(slots)
        values = enlarged(values)
      }
      settle(size, slot, value)
    },
    remove: slot => {
      const place = places.get(slot)
      if (place === 0) return
      places.set(slot, 0)
      const last = at(slots, size)
      const value = at(values, size)
      size--
      if (place <= size) settle(place, last, value)
    },
    get value() {
      return size === 0 ? undefined : at(values, 1)
    },
  }
}

const at = (numbers: Float64Array, place: number): number => numbers[place] ?? 0

const enlarged = (old: Float64Array): Float64Array<ArrayBuffer> => {
  const next = new Float64Array(old.length * 2)
  next.set(old)
  return next
}
