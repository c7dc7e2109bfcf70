/**
 * Finds rows of a table by the hash of their key. Numbers only, and outside of the heap of objects: a million rows cost
 * no garbage collection anything. Many small tables, so that none takes long to grow.
 */
export type SlotIndex = {
  /** The slot of that hash for which `isIt` holds. */
  find(hash: number, isIt: (slot: number) => boolean): number | undefined
  add(hash: number, slot: number): void
  /** A slot that is not there is fine. */
  remove(hash: number, slot: number): void
}

/** One for each value of a hash's first byte. */
const tables = 256
const firstSize = 16
const empty = 0xffff_ffff

type Table = { hashes: Uint32Array; slots: Uint32Array; used: number }

export const createSlotIndex = (): SlotIndex => {
  const all: (Table | undefined)[] = Array.from({ length: tables }, () => undefined)

  /** The place of a slot, or the free place that ends the search. */
  const seek = ({ hashes, slots }: Table, hash: number, isIt: (slot: number) => boolean): number => {
    const mask = slots.length - 1
    let at = hash & mask
    for (; slots[at] !== empty; at = (at + 1) & mask) {
      if (hashes[at] === hash && isIt(slots[at] ?? empty)) break
    }
    return at
  }
  return {
    find: (hash, isIt) => {
      const table = all[hash >>> 24]
      const slot = table?.slots[seek(table, hash, isIt)]
      return slot === empty ? undefined : slot
    },
    add: (hash, slot) => {
      let table = all[hash >>> 24]
      // At most half full: places are found after a step or two.
      if (!table || table.used * 2 >= table.slots.length) table = all[hash >>> 24] = grown(table)
      put(table, hash, slot)
    },
    remove: (hash, slot) => {
      const table = all[hash >>> 24]
      if (table)
        take(
          table,
          seek(table, hash, one => one === slot),
        )
    },
  }
}

const grown = (old: Table | undefined): Table => {
  const size = old ? old.slots.length * 2 : firstSize
  const next: Table = { hashes: new Uint32Array(size), slots: new Uint32Array(size).fill(empty), used: 0 }
  old?.slots.forEach((slot, at) => {
    if (slot !== empty) put(next, old.hashes[at] ?? 0, slot)
  })
  return next
}

const put = (table: Table, hash: number, slot: number): void => {
  const mask = table.slots.length - 1
  let at = hash & mask
  while (table.slots[at] !== empty) at = (at + 1) & mask
  table.hashes[at] = hash
  table.slots[at] = slot
  table.used++
}

/** Frees a place; those after it move up, or a search would end at the gap. */
const take = (table: Table, place: number): void => {
  const { hashes, slots } = table
  const mask = slots.length - 1
  if (slots[place] === empty) return
  let gap = place
  for (let at = (gap + 1) & mask; slots[at] !== empty; at = (at + 1) & mask) {
    const home = (hashes[at] ?? 0) & mask
    // Whether its home lies after the gap, going round: then it stays.
    if (((at - home) & mask) < ((at - gap) & mask)) continue
    hashes[gap] = hashes[at] ?? 0
    slots[gap] = slots[at] ?? empty
    gap = at
  }
  slots[gap] = empty
  table.used--
}
