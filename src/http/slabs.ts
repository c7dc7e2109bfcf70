/**
 * Memory that reads of a socket fill again and again. What is passed on by the megabyte would otherwise be a new piece of
 * memory each time, which the heap does not hold but the collector of garbage counts: it would go through the whole heap
 * for every twenty of them.
 */
export type Slabs = {
  /** Where the next read goes. */
  next(): Uint8Array
  /** Hands on what it brought; its parts stay as they are until {@link release} was called for each, or for good. */
  filled(length: number, onBytes: (bytes: Buffer) => void): void
}

type Slab = { readonly memory: Buffer; used: number; lent: number; isCurrent: boolean; readonly free: Slab[] }

const slabBytes = 128 * 1024
/** A read that gets less than this is hardly worth its call. */
const leastBytes = 32 * 1024
/** Slabs that wait to be used again. */
const maxFree = 8

const slabOf = new WeakMap<Uint8Array, Slab>()

/** Says that nobody needs these bytes any more, if they are {@link lend lent}: what is in them changes then. */
export const release = (bytes: Uint8Array): void => {
  const slab = slabOf.get(bytes)
  if (slab === undefined) return
  slabOf.delete(bytes)
  slab.lent--
  giveBack(slab)
}

/** Keeps the slab of a part for as long as the part is not released. @param part of what `filled` handed on */
export const lend = (part: Buffer, from: Uint8Array): Buffer => {
  const slab = slabOf.get(from)
  if (slab) {
    slab.lent++
    slabOf.set(part, slab)
  }
  return part
}

const giveBack = (slab: Slab): void => {
  if (slab.lent > 0 || slab.isCurrent || slab.free.length >= maxFree) return
  slab.used = 0
  slab.free.push(slab)
}

export const createSlabs = (): Slabs => {
  const free: Slab[] = []
  const open = (): Slab => {
    const slab = free.pop() ?? { memory: Buffer.allocUnsafeSlow(slabBytes), used: 0, lent: 0, isCurrent: true, free }
    slab.isCurrent = true
    return slab
  }
  let current = open()
  return {
    next: () => {
      if (current.memory.length - current.used < leastBytes) {
        const full = current
        current = open()
        full.isCurrent = false
        giveBack(full)
      }
      return current.memory.subarray(current.used)
    },
    filled: (length, onBytes) => {
      const bytes = current.memory.subarray(current.used, current.used + length)
      current.used += length
      slabOf.set(bytes, current)
      onBytes(bytes)
    },
  }
}
