/**
 * Memory that reads of a socket fill again and again. Data passed on by the megabyte would otherwise need new memory
 * each time, which is outside of the heap but counts for garbage collection: every twenty of them would cause a
 * collection of the whole heap.
 */
export type Slabs = {
  /** Where the next read goes. */
  next(): Uint8Array
  /** What it brought, lent: it stays as it is until {@link release} was called for it and each lent part, or for good. */
  filled(length: number): Buffer
  /** Nothing is read any more; may be called repeatedly. */
  close(): void
}

type Slab = { readonly memory: Buffer; used: number; lent: number; isCurrent: boolean }

const defaultSlabBytes = 128 * 1024
/** The part of a slab below which a read that goes there is hardly worth its call. */
const leastShare = 1 / 4
/** What waits to be used again, of each size: bytes in all. */
const maxFreeBytes = 4 * 1024 * 1024
const free = new Map<number, Slab[]>()

const slabOf = new WeakMap<Uint8Array, Slab>()

/** Bytes that are alone in their memory, and have one owner at a time. */
const exclusives = new WeakSet<Uint8Array>()

/**
 * Says that these bytes are no longer needed, if they are {@link lend lent} or {@link exclusive}: their content changes
 * then, or is gone. For other bytes nothing happens, since nothing is known of them.
 */
export const release = (bytes: Uint8Array): void => {
  const slab = slabOf.get(bytes)
  if (slab !== undefined) {
    slabOf.delete(bytes)
    slab.lent--
    giveBack(slab)
  } else if (exclusives.delete(bytes) && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
}

/**
 * Bytes that their receiver may {@link release}: their memory is free at once, for the next user. Garbage collection
 * would take long, and the memory would trigger collections of the whole heap.
 */
export const exclusive = (bytes: Uint8Array): Uint8Array => {
  if (bytes.byteLength === bytes.buffer.byteLength) exclusives.add(bytes)
  return bytes
}

/** Lends a part of what is lent, too. */
export const lend = (part: Buffer, from: Uint8Array): Buffer => {
  const slab = slabOf.get(from)
  if (slab) {
    slab.lent++
    slabOf.set(part, slab)
  }
  return part
}

const giveBack = (slab: Slab): void => {
  if (slab.lent > 0 || slab.isCurrent) return
  const { length } = slab.memory
  const others = free.get(length) ?? []
  if ((others.length + 1) * length > maxFreeBytes) return
  slab.used = 0
  others.push(slab)
  free.set(length, others)
}

const open = (bytes: number): Slab => {
  const slab = free.get(bytes)?.pop() ?? { memory: Buffer.allocUnsafeSlow(bytes), used: 0, lent: 0, isCurrent: true }
  slab.isCurrent = true
  return slab
}

/** Memory of this many bytes, lent as a whole. There are few such lengths: each keeps some for the next use. */
export const lendMemory = (length: number): Buffer => {
  const slab = open(length)
  slab.isCurrent = false
  slab.lent = 1
  const whole = slab.memory.subarray()
  slabOf.set(whole, slab)
  return whole
}

/** @param slabBytes of each, at the most what one read brings */
export const createSlabs = (slabBytes = defaultSlabBytes): Slabs => {
  let current: Slab | undefined
  const leave = (): void => {
    const left = current
    current = undefined
    if (left === undefined) return
    left.isCurrent = false
    giveBack(left)
  }
  const take = (): Slab => {
    if (current && slabBytes - current.used < slabBytes * leastShare) leave()
    current ??= open(slabBytes)
    return current
  }
  return {
    next: () => {
      const { memory, used } = take()
      return memory.subarray(used)
    },
    filled: length => {
      const slab = take()
      const bytes = slab.memory.subarray(slab.used, slab.used + length)
      slab.used += length
      slab.lent++
      slabOf.set(bytes, slab)
      return bytes
    },
    close: leave,
  }
}
