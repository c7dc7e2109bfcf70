/** Numbers in the order of their arrival; one that has left the line is dropped at its turn. */
export type Line = {
  add(slot: number): void
  /** Removes a number that is to join the line again; a linear search. */
  remove(slot: number): void
  values(): Generator<number, void, undefined>
}

/** Places in front that may be empty before the rest moves up. */
const maxGap = 1_024

/** @param stands whether a number that joined is still in line */
export const createLine = (stands: (slot: number) => boolean): Line => {
  const line: number[] = []
  let first = 0
  const next = (): number => line[first] ?? 0
  return {
    add: slot => void line.push(slot),
    remove: slot => {
      const at = line.indexOf(slot, first)
      if (at >= 0) line.splice(at, 1)
    },
    values: function* () {
      while (first < line.length && !stands(next())) first++
      if (first > maxGap && first * 2 > line.length) {
        line.splice(0, first)
        first = 0
      }
      for (let at = first; at < line.length; at++) {
        const slot = line[at] ?? 0
        if (stands(slot)) yield slot
      }
    },
  }
}
