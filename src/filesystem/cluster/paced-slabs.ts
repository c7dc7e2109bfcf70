import { createSlabs, type Slabs } from '../../bytes/slabs.ts'

/**
 * Memory for the reads of one connection, more for each when many bytes arrive, and how long to wait for more before
 * the next one. A data node that is as fast as this process would be read from, and its bytes written, in as many small
 * pieces as it sends: that takes twice the processor time of both.
 */
export type PacedSlabs = Slabs & {
  /** How long to wait after the last read, in ms. */
  readonly waitMs: number
}

/** How long to wait for more, the shortest wait, and how many bytes have to arrive in it. */
const shortestMs = 1
const worthBytes = 128 * 1024
const enoughBytes = 256 * 1024
/** After this much there is most likely more: who takes many takes all. */
const manyBytes = 8 * 1024 * 1024
const slabBytesOfMany = 512 * 1024

/** @param slabBytes of each, until many have arrived */
export const createPacedSlabs = (slabBytes: number): PacedSlabs => {
  let slabs = createSlabs(slabBytes)
  let received = 0
  /** Bytes from which on reads may wait. */
  let waitFrom = manyBytes
  let waitMs = 0
  const count = (length: number): void => {
    const before = received
    received += length
    if (before < manyBytes && received >= manyBytes) {
      slabs.close()
      slabs = createSlabs(slabBytesOfMany)
    }
    // The wait before brought little: the other side waits for this one now, or is slow.
    if (waitMs > 0 && length < worthBytes) waitFrom = received + manyBytes
    waitMs = received >= waitFrom && length < enoughBytes ? shortestMs : 0
  }
  return {
    next: () => slabs.next(),
    filled: length => {
      const bytes = slabs.filled(length)
      count(length)
      return bytes
    },
    close: () => slabs.close(),
    get waitMs() {
      return waitMs
    },
  }
}
